// SPDX-License-Identifier: MIT
#ifndef DASHPOT_EXAMPLES_RELAY_HUB_RELAY_CALL_DEADLINE_HPP
#define DASHPOT_EXAMPLES_RELAY_HUB_RELAY_CALL_DEADLINE_HPP

#include "../../common/wait_until.hpp"

#include <algorithm>
#include <chrono>

namespace relay_hub {

using example::SteadyTime;

/// The deadline of one call, in time that the hub was there to use.
///
/// A process can be stopped for seconds (SIGSTOP, a debugger, a migration of its machine). The target
/// has answered meanwhile, or could not since nothing was sent to it: the time is not the target's. It
/// shows as a wait that ended long after it should have, or as a gap between two looks at the clock.
///
/// **Contract.** A value that is passed the time: ran() before each wait, waited() after it. A stop of
/// less than `tolerance` is not noticed. A stop that ends before the wait would have is not noticed
/// either, and does no harm: what came meanwhile is there.
/// **Threads.** One thread per object.
class CallDeadline {
  public:
    /// More than a busy machine makes a thread wait for a processor, less than any stop that matters.
    static constexpr std::chrono::milliseconds tolerance{200};

    CallDeadline(SteadyTime begin, std::chrono::nanoseconds timeout) noexcept
        : at_{begin + timeout}, seen_{begin} {}

    [[nodiscard]] SteadyTime at() const noexcept { return at_; }
    [[nodiscard]] bool has_passed(SteadyTime now) const noexcept { return now >= at_; }
    /// How long the hub was stopped during the call, as far as it was noticed.
    [[nodiscard]] std::chrono::nanoseconds lost() const noexcept { return lost_; }

    /// The thread ran since the last look, without waiting. If that took long, the process was stopped.
    void ran(SteadyTime now) noexcept {
        const auto gap = now - seen_;
        seen_ = std::max(now, seen_);
        if (gap <= tolerance) return;
        at_ += gap;
        lost_ += gap;
    }

    /// The thread waited since the last look, until `until` at most. If it woke long after that, the
    /// wait counts as one that is to begin again.
    void waited(SteadyTime now, SteadyTime until) noexcept {
        const auto rest = at_ - seen_;
        seen_ = std::max(now, seen_);
        if (now - until <= tolerance) return;
        at_ = now + rest;
        lost_ += now - until;
    }

  private:
    SteadyTime at_;
    SteadyTime seen_;
    std::chrono::nanoseconds lost_{0};
};

} // namespace relay_hub

#endif
