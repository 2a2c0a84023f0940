// SPDX-License-Identifier: MIT
#ifndef DASHPOT_EXAMPLES_COMMON_CLOCK_STEPS_HPP
#define DASHPOT_EXAMPLES_COMMON_CLOCK_STEPS_HPP

#include <dashpot/core/duration.hpp>

#include <chrono>
#include <cstddef>
#include <deque>

namespace example {

/// What the wall clock showed at an instant of the steady clock, also before a step of the wall clock:
/// after an NTP correction, or while the machine was suspended and the steady clock stood still.
///
/// **Contract.** Each comparison of the two clocks is noted. An instant has the wall time that was
/// valid then: what happened before a step keeps its time, as a line of a log does. A step lies between
/// two comparisons; instants between these belong to the time after it. So whatever is to keep its time
/// is followed by a comparison.
/// **Threads.** None: the caller holds a lock.
class ClockSteps {
  public:
    using Offset = std::chrono::nanoseconds; ///< wall time since 1970 minus steady time

    /// Differences up to this are the error of a comparison. An instant always reads the same.
    static constexpr Offset tolerance = std::chrono::milliseconds{10};
    /// How many steps are remembered. Instants before the oldest have the wall time after it.
    static constexpr std::size_t kept = 64;

    void note(dashpot::Instant now, Offset offset) {
        if (!steps_.empty() && steps_.back().offset - offset <= tolerance &&
            offset - steps_.back().offset <= tolerance) {
            compared_at_ = now;
            return;
        }
        steps_.push_back({compared_at_, offset});
        if (steps_.size() > kept) steps_.pop_front();
        compared_at_ = now;
    }

    /// Only valid after note().
    [[nodiscard]] Offset at(dashpot::Instant instant) const noexcept {
        for (auto step = steps_.rbegin(); step != steps_.rend(); ++step)
            if (instant > step->after) return step->offset;
        return steps_.front().offset;
    }

  private:
    struct Step {
        dashpot::Instant after;
        Offset offset;
    };

    std::deque<Step> steps_;
    dashpot::Instant compared_at_ = dashpot::Instant::min();
};

} // namespace example

#endif
