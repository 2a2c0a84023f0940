// SPDX-License-Identifier: MIT
#include "retry_after.hpp"

#include "ascii.hpp"

#include <algorithm>
#include <cstddef>

namespace relay_hub {
namespace {

/// The two digits at `at`. @return 100, which is in no range, if they are not digits
int two_digits(std::string_view text, std::size_t at) noexcept {
    if (!is_digit(text[at]) || !is_digit(text[at + 1])) return 100;
    return (text[at] - '0') * 10 + (text[at + 1] - '0');
}

/// Returns true if `word`, of three letters, is one of those in `words`.
bool is_one_of(std::string_view word, std::string_view words) noexcept {
    const auto found = words.find(word);
    return found != std::string_view::npos && found % 3 == 0;
}

bool is_date(std::string_view text) noexcept {
    constexpr std::string_view pattern = "Sun, 06 Nov 1994 08:49:37 GMT";
    if (text.size() != pattern.size()) return false;
    for (const std::size_t at : {3U, 4U, 7U, 11U, 16U, 19U, 22U, 25U, 26U, 27U, 28U})
        if (text[at] != pattern[at]) return false;
    const int day = two_digits(text, 5);
    return is_one_of(text.substr(0, 3), "MonTueWedThuFriSatSun") && day >= 1 && day <= 31 &&
           is_one_of(text.substr(8, 3), "JanFebMarAprMayJunJulAugSepOctNovDec") &&
           two_digits(text, 12) < 100 && two_digits(text, 14) < 100 && two_digits(text, 17) < 24 &&
           two_digits(text, 20) < 60 && two_digits(text, 23) <= 60;
}

} // namespace

bool is_retry_after(std::string_view value) noexcept {
    const bool is_seconds =
        !value.empty() && value.size() <= 10 && std::ranges::all_of(value, is_digit);
    return is_seconds || is_date(value);
}

} // namespace relay_hub
