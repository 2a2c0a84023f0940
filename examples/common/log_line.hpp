// SPDX-License-Identifier: MIT
#ifndef DASHPOT_EXAMPLES_COMMON_LOG_LINE_HPP
#define DASHPOT_EXAMPLES_COMMON_LOG_LINE_HPP

#include <cstddef>
#include <string_view>

namespace example {

/// Whether `line` is a line of a breaker log about `target` and that change: a time in UTC, ISO 8601
/// with milliseconds, and then exactly `|TARGET|FROM->TO`.
///
/// By hand, since g++ 12 takes std::regex for uninitialized memory when it instruments it.
[[nodiscard]] constexpr bool is_log_line(std::string_view line, std::string_view target,
                                         std::string_view change) {
    constexpr std::string_view time = "0000-00-00T00:00:00.000Z";
    if (line.size() != time.size() + target.size() + change.size() + 2) return false;
    for (std::size_t i = 0; i < time.size(); ++i) {
        const bool is_digit = line[i] >= '0' && line[i] <= '9';
        if (time[i] == '0' ? !is_digit : line[i] != time[i]) return false;
    }
    line.remove_prefix(time.size());
    return line.starts_with('|') && line.substr(1, target.size()) == target &&
           line[target.size() + 1] == '|' && line.ends_with(change);
}

} // namespace example

#endif
