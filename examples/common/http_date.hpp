// SPDX-License-Identifier: MIT
#ifndef DASHPOT_EXAMPLES_COMMON_HTTP_DATE_HPP
#define DASHPOT_EXAMPLES_COMMON_HTTP_DATE_HPP

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <ctime>
#include <string>

namespace example {

/// A time as the field Date has it: `Mon, 30 Nov 2026 08:15:30 GMT`, under any locale.
[[nodiscard]] inline std::string http_date(std::chrono::system_clock::time_point at) {
    constexpr std::array<const char*, 7> days{"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
    constexpr std::array<const char*, 12> months{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                 "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    const std::time_t time =
        std::chrono::system_clock::to_time_t(std::chrono::floor<std::chrono::seconds>(at));
    std::tm utc{};
    ::gmtime_r(&time, &utc);
    std::array<char, 64> text{};
    std::snprintf(text.data(), text.size(), "%s, %02d %s %04d %02d:%02d:%02d GMT",
                  days[static_cast<std::size_t>(utc.tm_wday)], utc.tm_mday,
                  months[static_cast<std::size_t>(utc.tm_mon)], utc.tm_year + 1900, utc.tm_hour,
                  utc.tm_min, utc.tm_sec);
    return text.data();
}

} // namespace example

#endif
