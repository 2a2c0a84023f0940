// SPDX-License-Identifier: MIT
#ifndef DASHPOT_EXAMPLES_RELAY_HUB_RELAY_REPLY_HPP
#define DASHPOT_EXAMPLES_RELAY_HUB_RELAY_REPLY_HPP

#include <nlohmann/json_fwd.hpp>

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace relay_hub {

/// What goes back to the front office: JSON, and the HTTP status that goes with it.
struct Reply {
    std::string code;
    int status = 200;
    std::string body;
    /// For the Retry-After header: seconds or a date, where the hub or the target knows. Empty: no
    /// header.
    std::string retry_after{};
};

/// An answer of the hub's own: `{"code":…,"target":…,"message":…}`. No target, no member `target`.
[[nodiscard]] Reply own_reply(std::string_view code, std::string_view target, std::string_view message);

/// A time as `retry_after_ms` shows it: rounded up, so that a client that waits that long is not
/// early. null if it cannot be known: 0 would mean "at once".
[[nodiscard]] nlohmann::json in_milliseconds(std::optional<std::chrono::nanoseconds> retry_after);

/// An answer of the hub's own for E904 and E906, with `retry_after_ms`. There is no Retry-After if the
/// time cannot be known.
[[nodiscard]] Reply try_later_reply(std::string_view code, std::string_view target,
                                    std::string_view message,
                                    std::optional<std::chrono::nanoseconds> retry_after);

} // namespace relay_hub

#endif
