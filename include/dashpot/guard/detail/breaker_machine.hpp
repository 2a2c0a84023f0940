// SPDX-License-Identifier: MIT
#ifndef DASHPOT_GUARD_DETAIL_BREAKER_MACHINE_HPP
#define DASHPOT_GUARD_DETAIL_BREAKER_MACHINE_HPP

#include <dashpot/core/abi.hpp>
#include <dashpot/core/detail/wait.hpp>
#include <dashpot/core/duration.hpp>
#include <dashpot/core/reason.hpp>
#include <dashpot/core/state.hpp>
#include <dashpot/guard/breaker_event.hpp>
#include <dashpot/guard/breaker_options.hpp>
#include <dashpot/guard/detail/call_report.hpp>
#include <dashpot/guard/detail/machine_state.hpp>
#include <dashpot/guard/detail/rule_in_force.hpp>
#include <dashpot/guard/snapshot.hpp>
#include <dashpot/policy/detail/probe_gate.hpp>
#include <dashpot/policy/detail/shadow_tally.hpp>
#include <dashpot/policy/failure_policy.hpp>
#include <dashpot/policy/next_success.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace dashpot::inline DASHPOT_ABI::detail {

/// The rules of a circuit breaker: what each call, outcome and command does to a MachineState.
///
/// SharedMachine lets threads share a machine.
///
/// **Threads.** It is a value without synchronization, and is passed the time.
template <FailurePolicy P>
class BreakerMachine {
    using Tally = typename P::Tally;

  public:
    /// The generation of an outcome whose own is not known: it counts in the generation it meets.
    static constexpr std::uint64_t any_generation = 0;

    /// The result of an admission, an outcome or a command.
    struct Effect {
        bool was_taken = false;           ///< The call was admitted, or the outcome counted.
        std::optional<Reason> moved_by{}; ///< Set if the state changed.
    };

    constexpr BreakerMachine(P policy, const BreakerOptions& options, Instant now, std::uint64_t seed)
        : here_{std::move(policy), options, now, seed} {}

    [[nodiscard]] constexpr State state() const noexcept { return here_.state; }
    [[nodiscard]] constexpr std::uint64_t generation() const noexcept { return here_.generation; }

    /// Returns the time at which it entered its state.
    [[nodiscard]] constexpr Instant since() const noexcept { return here_.since; }

    /// Returns the duration above which a call is slow; `never` if slow calls are not judged.
    [[nodiscard]] constexpr std::chrono::nanoseconds slow_after() const noexcept {
        return here_.rule.slow_after();
    }
    /// Returns the duration up to which the length of a call does not matter; `never` if no length
    /// matters.
    [[nodiscard]] constexpr std::chrono::nanoseconds quick_up_to() const noexcept {
        return here_.rule.quick_up_to();
    }
    /// Returns what must happen to the next success that is not slow.
    [[nodiscard]] constexpr NextSuccess next_success() const noexcept { return here_.next_success(); }

    /// Returns the wait during which every caller is refused. FORCED_OPEN has none: it never ends.
    [[nodiscard]] constexpr Wait wait() const noexcept { return here_.wait(); }

    /// Returns the snapshot without the counters of calls that the machine does not see.
    [[nodiscard]] constexpr Snapshot snapshot(Instant now) const noexcept {
        return here_.snapshot(now);
    }

    /// Returns the numbers of each candidate of a Shadow.
    [[nodiscard]] constexpr auto candidates(Instant now) const noexcept
        requires HasCandidates<P>
    {
        return here_.rule.tally().candidates(now);
    }

    /// Returns true if a machine that is made now would judge all further calls in the same way.
    [[nodiscard]] constexpr bool is_as_new(Instant now) const noexcept { return here_.is_as_new(now); }

    [[nodiscard]] constexpr std::size_t history_size() const noexcept { return here_.history.size(); }

    /// Appends the most recent events: see BreakerHistory::copy_to().
    void copy_history_to(std::vector<BreakerEvent>& events, Instant now) const {
        here_.history.copy_to(events, here_, now);
    }

    /// Returns true if admit() would admit a call now.
    [[nodiscard]] constexpr bool admits(Instant now) const noexcept {
        return here_.state != State::forced_open && !wait().is_on(now);
    }

    /// Admits a call or refuses it. Any caller may answer an `unnamed` probe.
    constexpr Effect admit(Instant now, bool unnamed) noexcept {
        if (!admits(now)) return {};
        if (here_.state == State::open) {
            here_.enter(State::half_open, now, Reason::reset_timeout);
            here_.probes.grant(now, unnamed);
            return {true, Reason::reset_timeout};
        }
        if (here_.state == State::half_open) {
            if (here_.probes.all_out()) { // and not all answered in time: the missing ones are lost
                here_.start_probing();
                ++here_.generation;
                here_.note(EventKind::fresh_probes, now);
            } else {
                here_.note(EventKind::probe, now);
            }
            here_.probes.grant(now, unnamed);
        }
        return {true};
    }

    /// Is true if outcomes in CLOSED and METRICS_ONLY can be recorded without a time, unless
    /// needs_end().
    static constexpr bool foresees_opening = ForeseesOpening<Tally>;

    /// Returns true if the time at which the call ended is needed to record its outcome: to measure the
    /// call, or because the outcome opens the circuit.
    [[nodiscard]] constexpr bool needs_end(const CallReport& report) const noexcept {
        if (report.is_timed) return false;
        if constexpr (foresees_opening) {
            if (!report.is_quick(quick_up_to()) && !report.is_measured()) return true;
            return here_.state == State::closed && here_.rule.tally().would_open(finished(report));
        } else {
            return true;
        }
    }

    /// Returns the call as the policy in force sees it.
    [[nodiscard]] constexpr FinishedCall finished(const CallReport& report) const noexcept {
        FinishedCall call{report.failed, !report.is_quick(slow_after()), report.at};
        if constexpr (MeasuresCalls<P>) call.elapsed = report.elapsed();
        return call;
    }

    /// Records the outcome of a call that was not ignored. `call.at` must be set in HALF_OPEN, with a
    /// history, if the policy does not foresee its opening, and if needs_end().
    /// `retry_after` is the wait that the target asked for; 0 if it asked for none.
    constexpr Effect record(std::uint64_t generation, const FinishedCall& call,
                            std::chrono::nanoseconds retry_after = {}) noexcept {
        if (!may_answer(generation)) return {};
        count(call);
        if (here_.state == State::closed) {
            const std::optional<Reason> reason = judge(call);
            if (reason) open(call.at, *reason, retry_after);
            return {true, reason};
        }
        if (here_.state == State::metrics_only) {
            if (judge(call)) {
                ++here_.would_have_opened;
                here_.note(EventKind::would_have_opened, call.at);
                here_.rule.start_again();
            }
            return {true};
        }
        const ProbeGate::Verdict verdict = here_.probes.record(call);
        here_.history.note_call(here_, call);
        switch (verdict) {
        case ProbeGate::Verdict::undecided: break;
        case ProbeGate::Verdict::close:
            here_.enter(State::closed, call.at, Reason::probes_succeeded);
            return {true, Reason::probes_succeeded};
        case ProbeGate::Verdict::reopen:
            open(call.at, Reason::probes_failed, retry_after);
            return {true, Reason::probes_failed};
        }
        return {true};
    }

    /// Records successes that were counted.
    constexpr void record_successes(std::uint64_t count) noexcept {
        here_.totals.successes += count;
        if (here_.history.keeps_any()) {
            const Instant end = here_.rule.next_success().end();
            here_.history.put_off(here_.rule.record_changes(count), end);
        } else {
            here_.rule.record_successes(count);
        }
    }

    /// Takes an admission back. A probe can then be granted again. `now` matters only to a history.
    constexpr Effect give_back(std::uint64_t generation, Instant now = {}) noexcept {
        if (!may_answer(generation)) return {};
        if (here_.state == State::half_open) {
            here_.probes.give_back();
            here_.note(EventKind::returned_probe, now);
        }
        return {true};
    }

    /// Opens as a deciding failure would. If no failure can be recorded, it does nothing.
    constexpr Effect trip(Instant now) noexcept {
        if (here_.state != State::closed && here_.state != State::half_open) return {};
        here_.history.write_successes(here_, now);
        here_.enter(State::open, now, Reason::trip);
        return {true, Reason::trip};
    }

    /// Carries out reset(), disable(), force_open() or metrics_only().
    constexpr Effect command(State to, Reason reason, Instant now) noexcept {
        if (here_.state != to) {
            here_.history.write_successes(here_, now);
            here_.enter(to, now, reason);
            return {true, reason};
        }
        if (to == State::closed) { // no transition, but calls in flight must not count any more
            here_.history.write_successes(here_, now);
            here_.rule.clear();
            ++here_.generation;
            here_.note(EventKind::reset, now);
        }
        return {true};
    }

    /// Changes policy and options, but neither state nor generation. If the policy changes, `rule` is
    /// exchanged with the previous rule.
    ///
    /// The change itself does not open the circuit: the next recorded call is judged by the new policy.
    /// The wait in OPEN is drawn again if its timeout changes. A half-open period ends by the options
    /// that it began with.
    constexpr Effect reconfigure(RuleInForce<P>& rule, const BreakerOptions& options,
                                 Instant now = {}) noexcept
        requires CanBeReconfigured<P>
    {
        here_.history.write_successes(here_, now);
        const bool is_the_same_policy = rule.policy() == here_.rule.policy();
        if (!(is_the_same_policy && options == here_.options)) here_.is_as_made = false;
        if (!is_the_same_policy) {
            rule.take_over(here_.rule);
            here_.rule.swap(rule);
        }
        if (!(options.reset_timeout == here_.options.reset_timeout)) {
            const bool is_in_force = here_.state == State::open || here_.state == State::half_open;
            here_.open.change(options.reset_timeout, is_in_force);
        }
        if (options.count_totals && !here_.options.count_totals)
            here_.totals = {}; // it counts from here on
        here_.options = options;
        here_.note(EventKind::reconfigured, now);
        return {true};
    }

    /// If the last step drew a wait without a seed, draws it again with a number of this process.
    constexpr void use_chance(std::uint64_t (*of_process)() noexcept) noexcept {
        if (here_.open.needs_chance()) here_.open.draw_again(here_.options.reset_timeout, of_process());
    }

  private:
    /// An outcome counts in its own generation. An outcome without a generation counts in each state
    /// that judges calls, but in HALF_OPEN only for a probe that was granted without a name.
    [[nodiscard]] constexpr bool may_answer(std::uint64_t generation) noexcept {
        if (!judges_calls(here_.state)) return false;
        if (generation != any_generation) return generation == here_.generation;
        return here_.state != State::half_open || here_.probes.claim_unnamed();
    }

    /// Opens by an outcome.
    constexpr void open(Instant now, Reason reason, std::chrono::nanoseconds retry_after) noexcept {
        here_.enter(State::open, now, reason);
        if (here_.options.honor_retry_after) here_.open.wait_at_least(retry_after);
    }

    constexpr void count(const FinishedCall& call) noexcept {
        ++(call.failed ? here_.totals.failures : here_.totals.successes);
        if (call.slow) ++here_.totals.slow;
    }

    constexpr std::optional<Reason> judge(const FinishedCall& call) noexcept {
        if (here_.history.keeps_any() && !call.failed && !call.slow && could_be_counted(call.at)) {
            const NextSuccess next = here_.rule.next_success();
            if (next != NextSuccess::skip()) here_.history.put_off(1, next.end());
            return here_.rule.record(call);
        }
        here_.history.write_successes(here_, call.at);
        const std::optional<Reason> reason = here_.rule.record(call);
        here_.history.note_call(here_, call);
        return reason;
    }

    /// Returns true if a success at that time needs no event of its own.
    [[nodiscard]] constexpr bool could_be_counted(Instant at) const noexcept {
        const NextSuccess next = here_.rule.next_success();
        if (next.kind() == NextSuccess::Kind::record) return false;
        return !CountsUntil<Tally> || at < next.end();
    }

    MachineState<P> here_;
};

} // namespace dashpot::inline DASHPOT_ABI::detail

#endif
