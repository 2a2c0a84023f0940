// SPDX-License-Identifier: MIT
#ifndef DASHPOT_EXAMPLES_COMMON_URL_ESCAPES_HPP
#define DASHPOT_EXAMPLES_COMMON_URL_ESCAPES_HPP

#include "http_fields.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace example {

/// Replaces each escape of a URL, `%41` for example, by its character. What is no escape stays as it
/// is.
[[nodiscard]] inline std::string without_escapes(std::string_view text) {
    const auto digit = [&](std::size_t at) {
        const char c = at < text.size() ? lower_case(text[at]) : ' ';
        if (c >= '0' && c <= '9') return c - '0';
        return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
    };
    std::string result;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool is_escape = text[i] == '%' && digit(i + 1) >= 0 && digit(i + 2) >= 0;
        result += is_escape ? static_cast<char>(digit(i + 1) * 16 + digit(i + 2)) : text[i];
        if (is_escape) i += 2;
    }
    return result;
}

} // namespace example

#endif
