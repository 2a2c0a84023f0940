// SPDX-License-Identifier: MIT
#ifndef DASHPOT_EXAMPLES_RELAY_HUB_RELAY_ANSWER_HPP
#define DASHPOT_EXAMPLES_RELAY_HUB_RELAY_ANSWER_HPP

#include "reply.hpp"
#include "target_call.hpp"

#include <string_view>

namespace relay_hub {

/// What goes back after a call: the target's answer as it came, or why there is none that could go. The
/// target's Retry-After goes back with either: it says when the target wants to be called again.
[[nodiscard]] Reply to_reply(CallResult&& result, std::string_view target);

} // namespace relay_hub

#endif
