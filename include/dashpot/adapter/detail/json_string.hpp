// SPDX-License-Identifier: MIT
#ifndef DASHPOT_ADAPTER_DETAIL_JSON_STRING_HPP
#define DASHPOT_ADAPTER_DETAIL_JSON_STRING_HPP

#include <dashpot/adapter/detail/utf8.hpp>
#include <dashpot/core/abi.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

namespace dashpot::inline DASHPOT_ABI::detail {

/// Appends what stands for `value` between the quotes of a JSON string. Different values stay
/// different: a byte that is not part of a UTF-8 character becomes the four characters `\xNN`, and a
/// backslash `\x5C`.
inline void append_json_string(std::string& text, std::string_view value) {
    constexpr std::string_view digits = "0123456789ABCDEF";
    while (!value.empty()) {
        const std::size_t length = utf8_character(value);
        const auto byte = static_cast<unsigned char>(value.front());
        if (length == 0 || byte < 0x20 || byte == '\\') {
            text += byte < 0x20 ? "\\u00" : "\\\\x";
            text += digits[byte >> 4U];
            text += digits[byte & 0xFU];
        } else {
            if (value.front() == '"') text += '\\';
            text += value.substr(0, length);
        }
        value.remove_prefix(std::max<std::size_t>(length, 1));
    }
}

} // namespace dashpot::inline DASHPOT_ABI::detail

#endif
