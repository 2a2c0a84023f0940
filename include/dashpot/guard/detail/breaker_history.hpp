// SPDX-License-Identifier: MIT
#ifndef DASHPOT_GUARD_DETAIL_BREAKER_HISTORY_HPP
#define DASHPOT_GUARD_DETAIL_BREAKER_HISTORY_HPP

#include <dashpot/core/abi.hpp>
#include <dashpot/core/duration.hpp>
#include <dashpot/core/reason.hpp>
#include <dashpot/core/state.hpp>
#include <dashpot/guard/breaker_event.hpp>
#include <dashpot/guard/detail/event_ring.hpp>
#include <dashpot/policy/failure_policy.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace dashpot::inline DASHPOT_ABI::detail {

/// Writes the events of a here.
///
/// **Contract.** Each event contains the state and the numbers of the breaker after it. They are read
/// from `here`, a MachineState. Successes that were or could have been counted without the lock become
/// one event. It is written just before the next event of another kind, and not when the history is
/// read: the events depend on the calls alone.
/// **Threads.** It is a value without synchronization. **Cost.** It allocates once, when it is made.
/// With no room for events, each function does nothing.
class BreakerHistory {
  public:
    constexpr explicit BreakerHistory(std::uint32_t size) : ring_{size} {}

    [[nodiscard]] constexpr bool keeps_any() const noexcept { return ring_.keeps_any(); }

    /// Returns the number of events that it has room for. It never changes.
    [[nodiscard]] constexpr std::size_t size() const noexcept { return ring_.size(); }

    /// Writes an event that is not a transition.
    template <class Here>
    constexpr void note(const Here& here, EventKind kind, Instant at) noexcept {
        add(here, kind, at, here.state, Reason::policy);
    }
    template <class Here>
    constexpr void note_transition(const Here& here, State from, Reason reason, Instant at) noexcept {
        add(here, EventKind::transition, at, from, reason);
    }
    template <class Here>
    constexpr void note_call(const Here& here, const FinishedCall& call) noexcept {
        const EventKind failure = call.slow ? EventKind::slow_failure : EventKind::failure;
        const EventKind success = call.slow ? EventKind::slow_success : EventKind::successes;
        note(here, call.failed ? failure : success, call.at);
    }

    /// Adds successes to those that have no event yet. They ended before `end`.
    constexpr void put_off(std::uint64_t count, Instant end) noexcept {
        if (count == 0 || !keeps_any()) return;
        unwritten_ += count;
        end_ = end;
    }

    /// Writes the event of the successes that have none yet.
    template <class Here>
    constexpr void write_successes(const Here& here, Instant now) noexcept {
        if (unwritten_ != 0) ring_.add(unwritten_successes(here, now));
        unwritten_ = 0;
    }

    /// Appends the most recent events. Successes that have no event yet are the last of them, with the
    /// time `now`. Allocates nothing if there is room for size() events.
    template <class Here>
    void copy_to(std::vector<BreakerEvent>& events, const Here& here, Instant now) const {
        if (unwritten_ == 0) return ring_.copy_to(events);
        const BreakerEvent latest = unwritten_successes(here, now);
        ring_.copy_to(events, &latest);
    }

  private:
    template <class Here>
    [[nodiscard]] static constexpr BreakerEvent event(const Here& here, EventKind kind, Instant at,
                                                      State from, Reason reason) noexcept {
        const Counts seen = here.counts(at);
        return {0,      at, here.generation, kind,          from,     here.state,
                reason, 1,  seen.calls,      seen.failures, seen.slow};
    }

    template <class Here>
    constexpr void add(const Here& here, EventKind kind, Instant at, State from,
                       Reason reason) noexcept {
        if (keeps_any()) ring_.add(event(here, kind, at, from, reason));
    }

    template <class Here>
    [[nodiscard]] constexpr BreakerEvent unwritten_successes(const Here& here,
                                                             Instant now) const noexcept {
        // At the latest just before their bucket ends: a replay counts them in the same bucket.
        const Instant at = (std::min)(now, end_ - std::chrono::nanoseconds{1});
        BreakerEvent latest = event(here, EventKind::successes, at, here.state, Reason::policy);
        latest.count = unwritten_;
        return latest;
    }

    EventRing ring_;
    std::uint64_t unwritten_ = 0;   // successes that have no event yet
    Instant end_{(Instant::max)()}; // of those
};

} // namespace dashpot::inline DASHPOT_ABI::detail

#endif
