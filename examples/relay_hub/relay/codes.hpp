// SPDX-License-Identifier: MIT
#ifndef DASHPOT_EXAMPLES_RELAY_HUB_RELAY_CODES_HPP
#define DASHPOT_EXAMPLES_RELAY_HUB_RELAY_CODES_HPP

#include <dashpot/core/outcome.hpp>

#include <algorithm>
#include <array>
#include <string_view>

namespace relay_hub {

/// The codes that the hub itself gives. All others are the targets'.
namespace code {
inline constexpr std::string_view malformed = "E400";      ///< not a request
inline constexpr std::string_view forbidden = "E403";      ///< not for this client to ask
inline constexpr std::string_view unknown_target = "E404"; ///< no such target
inline constexpr std::string_view target_error = "E500";   ///< the target answered 5xx
inline constexpr std::string_view no_answer = "E901";      ///< nothing complete in time
inline constexpr std::string_view broken = "E902";         ///< no connection, or a broken answer
inline constexpr std::string_view circuit_open = "E904";   ///< open, or all probes out
inline constexpr std::string_view full = "E905";           ///< the compartment is full
inline constexpr std::string_view rate_limited = "E906";   ///< more calls than may begin
inline constexpr std::string_view hub_failed = "E999";     ///< the hub itself failed
} // namespace code

/// What counts as a failure of the target. The list, in its one place.
inline constexpr std::array failures{code::target_error, code::no_answer, code::broken};

/// A code that is not on the list, a business rejection for one, is the target in good health.
[[nodiscard]] constexpr dashpot::Outcome classify(std::string_view answered) noexcept {
    return std::ranges::find(failures, answered) != failures.end() ? dashpot::Outcome::failure
                                                                   : dashpot::Outcome::success;
}

/// The HTTP status that goes with one of the hub's own codes.
[[nodiscard]] constexpr int http_status(std::string_view own) noexcept {
    if (own == code::malformed) return 400;
    if (own == code::forbidden) return 403;
    if (own == code::unknown_target) return 404;
    if (own == code::no_answer) return 504;
    if (own == code::circuit_open) return 503;
    if (own == code::full || own == code::rate_limited) return 429;
    if (own == code::hub_failed) return 500;
    return 502;
}

} // namespace relay_hub

#endif
