// SPDX-License-Identifier: MIT
#ifndef DASHPOT_ADAPTER_DETAIL_UTF8_HPP
#define DASHPOT_ADAPTER_DETAIL_UTF8_HPP

#include <dashpot/core/abi.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

namespace dashpot::inline DASHPOT_ABI::detail {

/// Returns the number of bytes of the character at the front of `text`; 0 if the front is not valid
/// UTF-8.
///
/// **Source.** The Unicode Standard, table 3-7: there are no overlong forms, no surrogates, and no
/// characters above U+10FFFF.
[[nodiscard]] constexpr std::size_t utf8_character(std::string_view text) noexcept {
    if (text.empty()) return 0;
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned first = byte(0);
    if (first < 0x80) return 1;
    if (first < 0xC2 || first > 0xF4) return 0;
    const std::size_t length = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
    if (text.size() < length) return 0;

    const unsigned lowest = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
    const unsigned highest = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
    if (byte(1) < lowest || byte(1) > highest) return 0;
    for (std::size_t i = 2; i < length; ++i) {
        if (byte(i) < 0x80 || byte(i) > 0xBF) return 0;
    }
    return length;
}

/// Returns the text as UTF-8 that every reader accepts. Different texts stay different. Four
/// characters `\xNN` replace each control character except the line feed, each backslash, and each
/// byte that is not part of a character. The zero byte is replaced too, because Prometheus ends a
/// value there.
[[nodiscard]] inline std::string to_utf8(std::string_view text) {
    constexpr std::string_view digits = "0123456789ABCDEF";
    std::string result;
    result.reserve(text.size());
    while (!text.empty()) {
        const std::size_t length = utf8_character(text);
        const auto byte = static_cast<unsigned char>(text.front());
        const bool is_control = (byte < 0x20 && byte != '\n') || byte == 0x7F;
        if (length == 0 || is_control || byte == '\\') {
            result += "\\x";
            result += digits[byte >> 4U];
            result += digits[byte & 0xFU];
        } else {
            result += text.substr(0, length);
        }
        text.remove_prefix(std::max<std::size_t>(length, 1));
    }
    return result;
}

} // namespace dashpot::inline DASHPOT_ABI::detail

#endif
