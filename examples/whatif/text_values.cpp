// SPDX-License-Identifier: MIT
#include "text_values.hpp"

#include <array>
#include <charconv>
#include <cstddef>
#include <limits>
#include <system_error>
#include <utility>

namespace whatif {
namespace {

constexpr std::int64_t ns_per_second = 1'000'000'000;

[[nodiscard]] constexpr bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

/// The number of `count` digits at `at`; -1 if they are no digits.
[[nodiscard]] constexpr int digits_at(std::string_view text, std::size_t at,
                                      std::size_t count) noexcept {
    int value = 0;
    for (std::size_t i = at; i != at + count; ++i) {
        if (!is_digit(text[i])) return -1;
        value = value * 10 + (text[i] - '0');
    }
    return value;
}

[[nodiscard]] constexpr bool is_leap(int year) noexcept {
    return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

[[nodiscard]] constexpr int days_of(int year, int month) noexcept {
    constexpr std::array<int, 12> days{31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    return month == 2 && is_leap(year) ? 29 : days[static_cast<std::size_t>(month - 1)];
}

/// Days since 1970-01-01.
[[nodiscard]] constexpr std::int64_t day_number(int year, int month, int day) noexcept {
    const int y = month <= 2 ? year - 1 : year;
    const int era = y / 400; // no log is older than year 0
    const int of_era = y - era * 400;
    const int of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    const int day_of_era = of_era * 365 + of_era / 4 - of_era / 100 + of_year;
    return std::int64_t{era} * 146'097 + day_of_era - 719'468;
}

struct ClockTime {
    int hour;
    int minute;
    int second;
};

/// Seconds since 1970; empty if there is no such day or time. A leap second is the next second.
[[nodiscard]] constexpr std::optional<std::int64_t> seconds_of(int year, int month, int day,
                                                               ClockTime time) noexcept {
    if (year < 0 || month < 1 || month > 12 || day < 1 || day > days_of(year, month)) return {};
    if (time.hour < 0 || time.hour > 23 || time.minute < 0 || time.minute > 59) return {};
    if (time.second < 0 || time.second > 60) return {};
    return day_number(year, month, day) * 86'400 + time.hour * 3'600 + time.minute * 60 + time.second;
}

/// `+02:00` or `+0200` in seconds.
[[nodiscard]] constexpr std::optional<int> offset_of(std::string_view text) noexcept {
    if (text == "Z" || text == "z") return 0;
    if (text.size() != 5 && !(text.size() == 6 && text[3] == ':')) return {};
    if (text[0] != '+' && text[0] != '-') return {};
    const int hours = digits_at(text, 1, 2);
    const int minutes = digits_at(text, text.size() - 2, 2);
    if (hours < 0 || hours > 23 || minutes < 0 || minutes > 59) return {};
    const int offset = hours * 3'600 + minutes * 60;
    return text[0] == '-' ? -offset : offset;
}

[[nodiscard]] std::optional<std::int64_t> in_nanoseconds(std::int64_t seconds,
                                                         std::int64_t fraction) noexcept {
    // The limits of the clock are in the years 1677 and 2262.
    constexpr std::int64_t last = (std::numeric_limits<std::int64_t>::max)() / ns_per_second - 1;
    if (seconds < 0 || seconds > last) return {};
    return seconds * ns_per_second + fraction;
}

[[nodiscard]] std::optional<std::int64_t> parse_rfc3339(std::string_view text) noexcept {
    if (text.size() < 20 || text[4] != '-' || text[7] != '-') return {};
    if (text[10] != 'T' && text[10] != 't' && text[10] != ' ') return {};
    if (text[13] != ':' || text[16] != ':') return {};
    const auto seconds =
        seconds_of(digits_at(text, 0, 4), digits_at(text, 5, 2), digits_at(text, 8, 2),
                   {digits_at(text, 11, 2), digits_at(text, 14, 2), digits_at(text, 17, 2)});
    if (!seconds) return {};
    std::size_t at = 19;
    std::int64_t fraction = 0;
    if (text[at] == '.' || text[at] == ',') {
        const std::size_t begin = ++at;
        std::int64_t unit = ns_per_second / 10;
        for (; at != text.size() && is_digit(text[at]); ++at, unit /= 10)
            fraction += (text[at] - '0') * unit;
        if (at == begin) return {};
    }
    const auto offset = offset_of(text.substr(at));
    return offset ? in_nanoseconds(*seconds - *offset, fraction) : std::nullopt;
}

} // namespace

std::optional<std::int64_t> parse_decimal(std::string_view text, int exponent) noexcept {
    const bool is_negative = !text.empty() && text.front() == '-';
    if (is_negative) text.remove_prefix(1);
    if (text.empty() || !(is_digit(text.front()) || text.front() == '.')) return {};
    if (const std::size_t e = text.find_first_of("eE"); e != std::string_view::npos) {
        std::string_view power = text.substr(e + 1);
        if (!power.empty() && power.front() == '+') power.remove_prefix(1);
        int more = 0;
        const auto [end, error] = std::from_chars(power.data(), power.data() + power.size(), more);
        if (error != std::errc{} || end != power.data() + power.size()) return {};
        if (more < -400 || more > 400) return {};
        exponent += more;
        text = text.substr(0, e);
    }
    constexpr std::int64_t most = ((std::numeric_limits<std::int64_t>::max)() - 9) / 10;
    std::int64_t value = 0;
    bool has_digits = false;
    bool is_fraction = false;
    for (const char c : text) {
        if (c == '.' && !is_fraction) {
            is_fraction = true;
            continue;
        }
        if (!is_digit(c)) return {};
        has_digits = true;
        if (is_fraction && --exponent < 0) {
            ++exponent; // what is finer than the unit is cut off
            continue;
        }
        if (value > most) return {};
        value = value * 10 + (c - '0');
    }
    if (!has_digits) return {};
    for (; exponent > 0; --exponent) {
        if (value > most) return {};
        value *= 10;
    }
    for (; exponent < 0 && value != 0; ++exponent) value /= 10;
    return is_negative ? -value : value;
}

std::optional<std::int64_t> parse_time(std::string_view text) noexcept {
    if (text.size() > 10 && text[4] == '-') return parse_rfc3339(text);
    const auto time = parse_decimal(text, 9);
    return time && *time >= 0 ? time : std::nullopt;
}

bool is_whole_second(std::string_view text) noexcept {
    return text.find('.') == std::string_view::npos && text.find(',') == std::string_view::npos &&
           text.find_first_of("eE") == std::string_view::npos;
}

std::optional<std::int64_t> parse_access_time(std::string_view text) noexcept {
    if (text.size() != 26 || text[2] != '/' || text[6] != '/' || text[11] != ':' || text[20] != ' ')
        return {};
    constexpr std::string_view names = "JanFebMarAprMayJunJulAugSepOctNovDec";
    const std::size_t month = names.find(text.substr(3, 3));
    if (month == std::string_view::npos || month % 3 != 0) return {};
    const auto seconds =
        seconds_of(digits_at(text, 7, 4), static_cast<int>(month / 3) + 1, digits_at(text, 0, 2),
                   {digits_at(text, 12, 2), digits_at(text, 15, 2), digits_at(text, 18, 2)});
    const auto offset = offset_of(text.substr(21));
    if (!seconds || !offset) return {};
    return in_nanoseconds(*seconds - *offset, 0);
}

std::optional<std::int64_t> parse_duration(std::string_view text) noexcept {
    constexpr std::array<std::pair<std::string_view, std::int64_t>, 6> units{
        {{"ns", 1},
         {"us", 1'000},
         {"ms", 1'000'000},
         {"min", 60 * ns_per_second},
         {"s", ns_per_second},
         {"h", 3'600 * ns_per_second}}};
    for (const auto& [name, factor] : units) {
        if (!text.ends_with(name)) continue;
        const std::string_view number = text.substr(0, text.size() - name.size());
        // Minutes and hours are no power of ten: in nanoseconds of a minute first.
        const auto parts = parse_decimal(number, 9);
        if (!parts) return {};
        if (factor < ns_per_second) {
            constexpr std::int64_t billion = ns_per_second;
            if (*parts % (billion / factor) != 0) return {}; // finer than a nanosecond
            return *parts / (billion / factor);
        }
        const std::int64_t seconds = factor / ns_per_second;
        if (*parts > (std::numeric_limits<std::int64_t>::max)() / seconds ||
            *parts < (std::numeric_limits<std::int64_t>::min)() / seconds)
            return {};
        return *parts * seconds;
    }
    return {};
}

} // namespace whatif
