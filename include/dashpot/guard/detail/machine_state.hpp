// SPDX-License-Identifier: MIT
#ifndef DASHPOT_GUARD_DETAIL_MACHINE_STATE_HPP
#define DASHPOT_GUARD_DETAIL_MACHINE_STATE_HPP

#include <dashpot/core/abi.hpp>
#include <dashpot/core/detail/wait.hpp>
#include <dashpot/core/duration.hpp>
#include <dashpot/core/reason.hpp>
#include <dashpot/core/state.hpp>
#include <dashpot/guard/breaker_event.hpp>
#include <dashpot/guard/breaker_options.hpp>
#include <dashpot/guard/detail/breaker_history.hpp>
#include <dashpot/guard/detail/call_report.hpp>
#include <dashpot/guard/detail/open_period.hpp>
#include <dashpot/guard/detail/rule_in_force.hpp>
#include <dashpot/guard/snapshot.hpp>
#include <dashpot/policy/detail/probe_gate.hpp>
#include <dashpot/policy/failure_policy.hpp>
#include <dashpot/policy/next_success.hpp>

#include <chrono>
#include <cstdint>
#include <utility>

namespace dashpot::inline DASHPOT_ABI::detail {

/// Returns true if an outcome that is recorded in this state can change anything.
[[nodiscard]] constexpr bool judges_calls(State state) noexcept {
    return state == State::closed || state == State::half_open || state == State::metrics_only;
}

/// The state of a circuit breaker: where it is, what it shows, and how it enters another state.
///
/// Each state that needs data has an object: RuleInForce for CLOSED and METRICS_ONLY, OpenPeriod for
/// OPEN, ProbeGate for HALF_OPEN. BreakerMachine has the rules that decide what happens next.
///
/// **Threads.** It is a value without synchronization, and is passed the time.
template <FailurePolicy P>
struct MachineState {
    constexpr MachineState(P policy, const BreakerOptions& given, Instant now, std::uint64_t seed)
        : rule{std::move(policy)}, open{given.reset_timeout, seed}, probes{given.half_open},
          options{given}, state{given.initial_state}, since{now}, history{given.history} {}

    RuleInForce<P> rule; // of CLOSED and METRICS_ONLY
    OpenPeriod open;     // of OPEN, and of the HALF_OPEN that follows
    ProbeGate probes;    // of HALF_OPEN
    Counts frozen{};     // the numbers that OPEN and FORCED_OPEN show

    BreakerOptions options;
    bool is_as_made = true; // with the policy and the options of the constructor
    State state;
    std::uint64_t generation = 1; // 0 means any: BreakerMachine::any_generation
    Instant since;
    std::uint64_t would_have_opened = 0;
    CallTotals totals{};
    BreakerHistory history;

    /// Returns what must happen to the next success that is not slow.
    [[nodiscard]] constexpr NextSuccess next_success() const noexcept {
        if (state != State::closed && state != State::metrics_only) return NextSuccess::record();
        const NextSuccess next = rule.next_success();
        if (next != NextSuccess::skip()) return next;
        // The policy needs no further success. The metrics do, or the length of each call matters.
        const bool is_needed =
            state == State::metrics_only || options.count_totals || rule.quick_up_to() != never;
        return is_needed ? NextSuccess::count() : next;
    }

    /// Returns the wait during which every caller is refused. FORCED_OPEN has none: it never ends.
    [[nodiscard]] constexpr Wait wait() const noexcept {
        switch (state) {
        case State::open: return open.wait();
        case State::half_open: return probes.wait();
        case State::closed:
        case State::disabled:
        case State::forced_open:
        case State::metrics_only: break;
        }
        return {};
    }

    /// Returns the numbers that the state shows.
    [[nodiscard]] constexpr Counts counts(Instant now) const noexcept {
        switch (state) {
        case State::closed:
        case State::metrics_only: return rule.tally().counts(now);
        case State::half_open: return probes.counts();
        case State::open:
        case State::forced_open: return frozen;
        case State::disabled: break;
        }
        return {};
    }

    /// Returns the snapshot without the counters of calls that the machine does not see.
    [[nodiscard]] constexpr Snapshot snapshot(Instant now) const noexcept {
        const Counts numbers = counts(now);
        const bool is_open = state == State::open;
        const bool is_half_open = state == State::half_open;
        Snapshot seen{.state = state, .generation = generation};
        seen.calls = numbers.calls;
        seen.failures = numbers.failures;
        seen.slow = numbers.slow;
        seen.failure_rate = numbers.failure_rate;
        seen.slow_rate = numbers.slow_rate;
        if (is_half_open) seen.probes_in_flight = probes.in_flight();
        seen.would_have_opened = would_have_opened;
        if (options.count_totals) seen.totals = totals;
        seen.since = since;
        if (is_open || is_half_open) seen.opened_at = open.began_at();
        if (is_open) seen.retry_after = wait().rest(now);
        return seen;
    }

    /// Returns true if a machine that is made now would judge all further calls in the same way.
    [[nodiscard]] constexpr bool is_as_new(Instant now) const noexcept {
        if (state != State::closed || options.initial_state != State::closed || !is_as_made)
            return false;
        const Counts numbers = counts(now);
        return numbers.calls == 0 && numbers.failures == 0;
    }

    /// Enters a state, which starts a generation and empties the window.
    constexpr void enter(State to, Instant now, Reason reason) noexcept {
        const State from = state;
        if (to == State::open || to == State::forced_open) frozen = counts(now);
        if (to == State::open) open.begin(options.reset_timeout, now, from == State::half_open);
        if (to == State::half_open) start_probing();
        rule.clear();
        since = now;
        state = to;
        ++generation;
        history.note_transition(*this, from, reason, now);
    }

    /// Starts a half-open period.
    constexpr void start_probing() noexcept {
        probes = ProbeGate{options.half_open}; // they may have changed since the last period
        const auto& given = options.half_open.probe_timeout;
        probes.restart(given ? std::chrono::nanoseconds{*given} : open.next_probe_timeout());
    }

    /// Writes an event that is not a transition.
    constexpr void note(EventKind kind, Instant at) noexcept { history.note(*this, kind, at); }
};

} // namespace dashpot::inline DASHPOT_ABI::detail

#endif
