// SPDX-License-Identifier: MIT
#ifndef DASHPOT_ADAPTER_DETAIL_LOG_TIME_HPP
#define DASHPOT_ADAPTER_DETAIL_LOG_TIME_HPP

#include <dashpot/core/abi.hpp>
#include <dashpot/core/contract.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <functional>
#include <string>
#include <utility>

namespace dashpot::inline DASHPOT_ABI::detail {

/// A function that returns the time for the lines of a log. It is used for nothing else.
using WallClock = std::function<std::chrono::system_clock::time_point()>;

/// Returns `wall_clock` unchanged if it is not empty.
/// @param refusal  the message of the error for an empty function
[[nodiscard]] inline WallClock checked(WallClock wall_clock, const char* refusal) {
    if (!wall_clock) refuse_option(refusal);
    return wall_clock;
}

/// Returns `at` in UTC, ISO 8601, in whole milliseconds that are never rounded up:
/// `2026-11-30T08:15:30.042Z`.
[[nodiscard]] inline std::string log_time(std::chrono::system_clock::time_point at) {
    using namespace std::chrono;
    const auto day = floor<days>(at);
    const year_month_day date{day};
    const hh_mm_ss time{floor<milliseconds>(at - day)};
    std::array<char, 64> text{};
    const int length = std::snprintf(
        text.data(), text.size(), "%04d-%02u-%02uT%02d:%02d:%02d.%03dZ", int{date.year()},
        unsigned{date.month()}, unsigned{date.day()}, static_cast<int>(time.hours().count()),
        static_cast<int>(time.minutes().count()), static_cast<int>(time.seconds().count()),
        static_cast<int>(time.subseconds().count()));
    return {text.data(), static_cast<std::size_t>(length)};
}

} // namespace dashpot::inline DASHPOT_ABI::detail

#endif
