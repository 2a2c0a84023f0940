// SPDX-License-Identifier: MIT
#ifndef DASHPOT_EXAMPLES_RELAY_HUB_RELAY_RETRY_AFTER_HPP
#define DASHPOT_EXAMPLES_RELAY_HUB_RELAY_RETRY_AFTER_HPP

#include <string_view>

namespace relay_hub {

/// Returns true if `value` is what a Retry-After header may hold (RFC 9110, 10.2.3), so that a target's
/// can be passed on: up to ten digits, which are seconds, or a date as in "Sun, 06 Nov 1994 08:49:37
/// GMT". The two forms of a date that RFC 9110 calls obsolete are not taken.
[[nodiscard]] bool is_retry_after(std::string_view value) noexcept;

} // namespace relay_hub

#endif
