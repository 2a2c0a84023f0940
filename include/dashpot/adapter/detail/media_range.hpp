// SPDX-License-Identifier: MIT
#ifndef DASHPOT_ADAPTER_DETAIL_MEDIA_RANGE_HPP
#define DASHPOT_ADAPTER_DETAIL_MEDIA_RANGE_HPP

#include <dashpot/core/abi.hpp>

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace dashpot::inline DASHPOT_ABI::detail {

/// Returns the text before `separator` without surrounding blanks, and sets `rest` to the text after
/// the separator.
[[nodiscard]] constexpr std::string_view next_field(std::string_view& rest, char separator) noexcept {
    const std::size_t end = (std::min)(rest.find(separator), rest.size());
    std::string_view field = rest.substr(0, end);
    rest.remove_prefix((std::min)(end + 1, rest.size()));
    constexpr std::string_view blanks = " \t";
    field.remove_prefix((std::min)(field.find_first_not_of(blanks), field.size()));
    field = field.substr(0, field.find_last_not_of(blanks) + 1);
    return field;
}

/// Returns true if both texts are equal when the case of ASCII letters is ignored. `lower` must have
/// no upper-case letters.
[[nodiscard]] constexpr bool equals_ignoring_case(std::string_view text,
                                                  std::string_view lower) noexcept {
    return std::equal(text.begin(), text.end(), lower.begin(), lower.end(), [](char a, char b) {
        return (a >= 'A' && a <= 'Z' ? static_cast<char>(a - 'A' + 'a') : a) == b;
    });
}

/// Returns a number such as "1", "0.5" or "0.125" in thousandths. Other texts give 0.
[[nodiscard]] constexpr int thousandths(std::string_view text) noexcept {
    if (text.empty() || text.size() > 5 || (text[0] != '0' && text[0] != '1')) return 0;
    if (text.size() > 1 && text[1] != '.') return 0;
    int result = text[0] == '1' ? 1000 : 0;
    int unit = 100;
    for (const char c : text.substr(std::min<std::size_t>(text.size(), 2))) {
        if (c < '0' || c > '9') return 0;
        result += unit * (c - '0');
        unit /= 10;
    }
    return (std::min)(result, 1000);
}

/// How much a client prefers a media type, and how specifically its header names the type.
struct Preference {
    int quality = 0;   ///< in thousandths; 0 if the client does not accept the type
    int closeness = 0; ///< 3: by its name, 2: as `text/*`, 1: as `*/*`, 0: not at all
};

/// Reads the header Accept for `type`, a media type in lower case. The most specific range for the
/// type decides.
///
/// **Source.** RFC 9110, 12.5.1.
[[nodiscard]] constexpr Preference preference_of(std::string_view type,
                                                 std::string_view accept) noexcept {
    Preference result;
    while (!accept.empty()) {
        std::string_view range = next_field(accept, ',');
        const std::string_view name = next_field(range, ';');
        int closeness = 0;
        if (equals_ignoring_case(name, type))
            closeness = 3;
        else if (name == "*/*")
            closeness = 1;
        else if (name.ends_with("/*") && equals_ignoring_case(name.substr(0, name.size() - 1),
                                                              type.substr(0, type.find('/') + 1)))
            closeness = 2;
        if (closeness == 0 || closeness < result.closeness) continue;
        int quality = 1000;
        while (!range.empty()) {
            std::string_view parameter = next_field(range, ';');
            if (equals_ignoring_case(next_field(parameter, '='), "q"))
                quality = thousandths(next_field(parameter, ';'));
        }
        if (closeness == result.closeness) quality = (std::max)(quality, result.quality);
        result = {quality, closeness};
    }
    return result;
}

} // namespace dashpot::inline DASHPOT_ABI::detail

#endif
