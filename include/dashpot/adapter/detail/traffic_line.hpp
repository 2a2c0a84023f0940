// SPDX-License-Identifier: MIT
#ifndef DASHPOT_ADAPTER_DETAIL_TRAFFIC_LINE_HPP
#define DASHPOT_ADAPTER_DETAIL_TRAFFIC_LINE_HPP

#include <dashpot/adapter/detail/json_string.hpp>
#include <dashpot/core/abi.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace dashpot::inline DASHPOT_ABI::detail {

/// A time in UTC, ISO 8601, in whole microseconds that are never rounded up:
/// `2026-11-30T08:15:30.042123Z`. It allocates nothing.
class TrafficTime {
  public:
    explicit TrafficTime(std::chrono::system_clock::time_point at) noexcept {
        using namespace std::chrono;
        const auto whole = floor<microseconds>(at);
        const auto day = floor<days>(whole);
        const year_month_day date{day};
        const hh_mm_ss time{whole - day};
        const int year = (std::max)(int{date.year()}, 0); // no log is older
        put(0, static_cast<unsigned>(year), 4, '-');
        put(5, unsigned{date.month()}, 2, '-');
        put(8, unsigned{date.day()}, 2, 'T');
        put(11, static_cast<unsigned>(time.hours().count()), 2, ':');
        put(14, static_cast<unsigned>(time.minutes().count()), 2, ':');
        put(17, static_cast<unsigned>(time.seconds().count()), 2, '.');
        put(20, static_cast<unsigned>(time.subseconds().count()), 6, 'Z');
    }

    [[nodiscard]] std::string_view text() const noexcept { return {text_.data(), text_.size()}; }

  private:
    void put(std::size_t at, unsigned value, std::size_t digits, char behind) noexcept {
        text_[at + digits] = behind;
        for (; digits != 0; value /= 10) text_[at + --digits] = static_cast<char>('0' + value % 10);
    }

    std::array<char, 27> text_{};
};

/// Appends digits.
template <std::integral Number>
void append_digits(std::string& text, Number value) {
    std::array<char, 24> digits{};
    const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), value);
    text.append(digits.data(), end);
}

/// Returns the most bytes that a line with this target has.
[[nodiscard]] constexpr std::size_t longest_traffic_line(std::string_view target) noexcept {
    return 160 + 6 * target.size(); // a control character becomes six characters
}

/// Appends the line of a call. It allocates nothing if there is room.
inline void append_traffic_line(std::string& text, std::string_view time, std::string_view target,
                                std::string_view outcome, std::chrono::nanoseconds elapsed,
                                std::uint64_t in_flight) {
    const std::int64_t micros = (std::max)(elapsed.count(), std::int64_t{0}) / 1000;
    text.append(R"({"time":")").append(time).append(R"(","target":")");
    append_json_string(text, target);
    text.append(R"(","outcome":")").append(outcome).append(R"(","elapsed_ms":)");
    append_digits(text, micros / 1000);
    const auto rest = static_cast<unsigned>(micros % 1000);
    text += '.';
    for (const unsigned unit : {100U, 10U, 1U}) text += static_cast<char>('0' + rest / unit % 10);
    text.append(R"(,"in_flight":)");
    append_digits(text, in_flight);
    text.append("}\n");
}

/// Returns the line about `count` lines that were dropped.
[[nodiscard]] inline std::string dropped_traffic_line(std::string_view time, std::uint64_t count) {
    std::string text;
    text.append(R"({"time":")").append(time);
    text.append(R"(","target":"","outcome":"dropped","elapsed_ms":0,"in_flight":0,"dropped":)");
    append_digits(text, count);
    return text.append("}\n");
}

/// Returns the length of the whole lines at the front of `lines` that have at most `most` bytes
/// together; the length of the first line if it is longer.
[[nodiscard]] constexpr std::size_t whole_lines(std::string_view lines, std::size_t most) noexcept {
    if (lines.size() <= most) return lines.size();
    const std::size_t last = lines.rfind('\n', most - 1);
    return (last == std::string_view::npos ? lines.find('\n') : last) + 1;
}

} // namespace dashpot::inline DASHPOT_ABI::detail

#endif
