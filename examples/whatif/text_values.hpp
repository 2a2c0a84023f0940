// SPDX-License-Identifier: MIT
#ifndef DASHPOT_EXAMPLES_WHATIF_TEXT_VALUES_HPP
#define DASHPOT_EXAMPLES_WHATIF_TEXT_VALUES_HPP

#include <cstdint>
#include <optional>
#include <string_view>

namespace whatif {

// Values as logs and options write them. Each is empty if the text is no such value.

/// A decimal number times 10 to the power of `exponent`, as a whole number; further digits are cut off.
/// Takes exponents, `1.5e3`, and no sign but a minus.
[[nodiscard]] std::optional<std::int64_t> parse_decimal(std::string_view text, int exponent) noexcept;

/// Nanoseconds since 1970: RFC 3339, or seconds.
[[nodiscard]] std::optional<std::int64_t> parse_time(std::string_view text) noexcept;

/// Returns true if the text of a time has no fraction of a second.
[[nodiscard]] bool is_whole_second(std::string_view text) noexcept;

/// `10/Oct/2026:13:55:36 +0200`, the time of an access log.
[[nodiscard]] std::optional<std::int64_t> parse_access_time(std::string_view text) noexcept;

/// A duration with its unit, `1.5s`: ns us ms s min h. The text must be no longer than that.
[[nodiscard]] std::optional<std::int64_t> parse_duration(std::string_view text) noexcept;

} // namespace whatif

#endif
