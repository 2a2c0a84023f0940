// SPDX-License-Identifier: MIT
#ifndef DASHPOT_EXAMPLES_RELAY_HUB_RELAY_ASCII_HPP
#define DASHPOT_EXAMPLES_RELAY_HUB_RELAY_ASCII_HPP

namespace relay_hub {

// Whatever the locale is, and for bytes beyond ASCII too.

[[nodiscard]] constexpr bool is_digit(int c) noexcept { return c >= '0' && c <= '9'; }
[[nodiscard]] constexpr char to_lower(char c) noexcept {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

} // namespace relay_hub

#endif
