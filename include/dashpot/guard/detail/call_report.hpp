// SPDX-License-Identifier: MIT
#ifndef DASHPOT_GUARD_DETAIL_CALL_REPORT_HPP
#define DASHPOT_GUARD_DETAIL_CALL_REPORT_HPP

#include <dashpot/core/abi.hpp>
#include <dashpot/core/duration.hpp>

#include <chrono>

namespace dashpot::inline DASHPOT_ABI::detail {

/// The limit above which no call is: slow calls are not judged.
inline constexpr std::chrono::nanoseconds never = (std::chrono::nanoseconds::max)();

/// How long a call took: given by its caller, or to be measured from its start.
struct Timing {
    std::chrono::nanoseconds value{0}; // the length, or the time since the epoch at which it began
    bool is_start = false;
};

/// How a call ended, as its caller knows it. The policy in force when the answer is recorded decides if
/// it was slow.
struct CallReport {
    bool failed = false;
    Timing timing{};
    Instant at{}; // when it ended, once the clock was read
    bool is_timed = false;
    std::chrono::nanoseconds retry_after{0}; // the wait that the target asked for; 0: none

    constexpr void end(Instant now) noexcept {
        at = now;
        is_timed = true;
    }

    [[nodiscard]] constexpr bool is_measured() const noexcept { return is_timed || !timing.is_start; }

    /// Returns how long it took; 0 if that is not known.
    [[nodiscard]] constexpr std::chrono::nanoseconds elapsed() const noexcept {
        if (!is_measured()) return std::chrono::nanoseconds{0};
        return timing.is_start ? between(Instant{timing.value}, at) : timing.value;
    }

    /// Returns true if it is known to have taken no longer, or if nothing is judged slow.
    [[nodiscard]] constexpr bool is_quick(std::chrono::nanoseconds slow_after) const noexcept {
        if (slow_after == never) return true;
        if (!is_measured()) return false;
        return elapsed() <= slow_after;
    }
};

} // namespace dashpot::inline DASHPOT_ABI::detail

#endif
