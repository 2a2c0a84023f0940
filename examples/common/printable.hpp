// SPDX-License-Identifier: MIT
#ifndef DASHPOT_EXAMPLES_COMMON_PRINTABLE_HPP
#define DASHPOT_EXAMPLES_COMMON_PRINTABLE_HPP

#include <cstddef>
#include <string>
#include <string_view>

namespace example {

/// Text from outside, fit for an error message: on one line, in ASCII, and not too long. What is none
/// of that could fill a log, or forge lines in it.
[[nodiscard]] inline std::string printable(std::string_view text, std::size_t longest = 300) {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string result;
    for (const char c : text.substr(0, longest)) {
        if (c >= ' ' && c <= '~') {
            result += c;
            continue;
        }
        const auto byte = static_cast<unsigned char>(c);
        result += {'\\', 'x', digits[byte / 16U], digits[byte % 16U]};
    }
    if (text.size() > longest) result += "...";
    return result;
}

} // namespace example

#endif
