// SPDX-License-Identifier: MIT
#include "settings.hpp"

#include "../../common/printable.hpp"

#include <algorithm>
#include <charconv>
#include <sstream>
#include <stdexcept>
#include <string>
#include <system_error>

namespace relay_hub {
namespace {

template <class Given>
[[noreturn]] void reject_seconds(const Given& given, SecondsRange range) {
    std::ostringstream message;
    message << given << " is not a number of seconds from " << range.lowest << " to " << range.highest;
    throw std::invalid_argument{message.str()};
}

// Written so that NaN is in none.
bool is_in(SecondsRange range, double seconds) {
    return seconds >= range.lowest && seconds <= range.highest;
}

std::string quoted(std::string_view text) { return "'" + example::printable(text, 80) + "'"; }

template <class Number>
bool read_whole(std::string_view text, Number& number) {
    const auto* const end = text.data() + text.size();
    const auto [parsed, error] = std::from_chars(text.data(), end, number);
    return error == std::errc{} && parsed == end;
}

} // namespace

std::uint32_t parse_count(std::string_view text, CountRange range) {
    std::uint32_t number = 0;
    if (!read_whole(text, number) || number < range.lowest || number > range.highest)
        throw std::invalid_argument{quoted(text) + " is not a whole number from " +
                                    std::to_string(range.lowest) + " to " +
                                    std::to_string(range.highest)};
    return number;
}

std::chrono::nanoseconds parse_seconds(std::string_view text, SecondsRange range) {
    double seconds = 0;
    if (!read_whole(text, seconds) || !is_in(range, seconds)) reject_seconds(quoted(text), range);
    return from_seconds(seconds, range);
}

std::chrono::nanoseconds from_seconds(double seconds, SecondsRange range) {
    if (!is_in(range, seconds)) reject_seconds(seconds, range);
    return std::chrono::round<std::chrono::nanoseconds>(std::chrono::duration<double>{seconds});
}

void check_target_name(std::string_view name) {
    const auto is_allowed = [](char c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
               c == '-' || c == '.';
    };
    if (name.empty() || name.size() > 64 || !std::ranges::all_of(name, is_allowed) || name == "." ||
        name == "..")
        throw std::invalid_argument{quoted(name) +
                                    " is no target name: it has 1 to 64 letters, digits, '_', '-' and "
                                    "'.', nothing else, and is not '.' or '..'"};
}

} // namespace relay_hub
