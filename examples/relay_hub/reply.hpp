// SPDX-License-Identifier: MIT
#ifndef DASHPOT_EXAMPLES_RELAY_HUB_REPLY_HPP
#define DASHPOT_EXAMPLES_RELAY_HUB_REPLY_HPP

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
    /// For the Retry-After header, where the hub knows.
    std::optional<std::chrono::seconds> retry_after{};
};

/// An answer of the hub's own: `{"code":…,"target":…,"message":…}`. No target, no member `target`.
[[nodiscard]] Reply own_reply(std::string_view code, std::string_view target, std::string_view message);

/// The same for E904, with `retry_after_ms`: rounded up, so that who waits that long is not early.
/// 0 means that the hub cannot know, as while probes are out; then there is no Retry-After.
[[nodiscard]] Reply circuit_open_reply(std::string_view target, std::string_view message,
                                       std::chrono::nanoseconds retry_after);

} // namespace relay_hub

#endif
