// SPDX-License-Identifier: MIT
#ifndef DASHPOT_GUARD_PRIORITY_HPP
#define DASHPOT_GUARD_PRIORITY_HPP

#include <dashpot/core/abi.hpp>

#include <cstdint>
#include <iosfwd>
#include <string_view>

namespace dashpot::inline DASHPOT_ABI {

/// How important a call is. An AdaptiveLimiter admits less important calls up to a part of its limit
/// only, so that they are the first to be refused.
enum class Priority : std::uint8_t {
    critical,  ///< Admitted below the whole limit.
    high,      ///< Admitted below 95 % of the limit.
    normal,    ///< Admitted below 80 % of the limit.
    sheddable, ///< Admitted below half of the limit.
};

/// Returns the name of the enumerator, for example "critical".
[[nodiscard]] constexpr std::string_view to_string(Priority priority) noexcept {
    switch (priority) {
    case Priority::critical: return "critical";
    case Priority::high: return "high";
    case Priority::normal: return "normal";
    case Priority::sheddable: return "sheddable";
    }
    return "unknown";
}

/// Writes to_string().
template <class Traits>
std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& out, Priority priority) {
    return out << to_string(priority);
}

namespace detail {

/// Returns true if a call may begin while `in_flight` others are under way. The first one always may.
[[nodiscard]] constexpr bool has_room(std::uint32_t in_flight, std::uint32_t limit,
                                      Priority priority) noexcept {
    std::uint64_t percent = 100;
    if (priority == Priority::high) percent = 95;
    if (priority == Priority::normal) percent = 80;
    if (priority == Priority::sheddable) percent = 50;
    return in_flight == 0 || std::uint64_t{in_flight} * 100 < limit * percent;
}

} // namespace detail

} // namespace dashpot::inline DASHPOT_ABI

#endif
