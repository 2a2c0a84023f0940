// SPDX-License-Identifier: MIT
#ifndef DASHPOT_GUARD_DETAIL_BREAKER_MACHINE_HPP
#define DASHPOT_GUARD_DETAIL_BREAKER_MACHINE_HPP

#include <dashpot/core/abi.hpp>
#include <dashpot/core/detail/wait.hpp>
#include <dashpot/core/duration.hpp>
#include <dashpot/core/error.hpp>
#include <dashpot/core/reason.hpp>
#include <dashpot/core/state.hpp>
#include <dashpot/guard/breaker_event.hpp>
#include <dashpot/guard/breaker_options.hpp>
#include <dashpot/guard/detail/call_report.hpp>
#include <dashpot/guard/detail/event_ring.hpp>
#include <dashpot/guard/detail/open_period.hpp>
#include <dashpot/guard/detail/rule_in_force.hpp>
#include <dashpot/guard/transition.hpp>
#include <dashpot/policy/detail/probe_gate.hpp>
#include <dashpot/policy/failure_policy.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

namespace dashpot::inline DASHPOT_ABI::detail {

/// Whether an answer can change anything there.
[[nodiscard]] constexpr bool judges_calls(State state) noexcept {
    return state == State::closed || state == State::half_open || state == State::metrics_only;
}

/// The rules of a circuit breaker, and nothing but the rules: one call at a time, told the time.
///
/// BreakerCore makes it safe to share; everything that decides is here.
template <FailurePolicy P>
class BreakerMachine {
    using Tally = typename P::Tally;

  public:
    /// The generation of an answer that cannot know its own: it counts where it arrives.
    static constexpr std::uint64_t any_generation = 0;

    /// What came of a question, an answer or a command.
    struct Effect {
        bool was_taken = false;           ///< The call was admitted, the answer counted.
        std::optional<Reason> moved_by{}; ///< Set when the state changed.
        bool lacks_time = false;          ///< Nothing was done: ask again and say when the call ended.
    };

    constexpr BreakerMachine(P policy, const BreakerOptions& options, Instant now, std::uint64_t seed)
        : rule_{std::move(policy)}, options_{options}, probes_{options.half_open},
          state_{options.initial_state}, since_{now}, open_{options.reset_timeout, seed},
          history_{options.history} {}

    [[nodiscard]] constexpr State state() const noexcept { return state_; }
    [[nodiscard]] constexpr std::uint64_t generation() const noexcept { return generation_; }

    /// When it entered its state.
    [[nodiscard]] constexpr Instant since() const noexcept { return since_; }

    /// A call that takes longer is slow; `never` where slow calls are not judged.
    [[nodiscard]] constexpr std::chrono::nanoseconds slow_after() const noexcept {
        return rule_.slow_after();
    }

    /// A success of any length would change nothing, and nobody counts it either.
    [[nodiscard]] constexpr bool is_quiet() const noexcept {
        return state_ == State::closed && !options_.count_totals && !a_verdict_may_stand_ &&
               slow_after() == never && rule_.tally().quiet();
    }

    /// While it is on, every caller is refused. FORCED_OPEN needs none: it never ends.
    [[nodiscard]] constexpr Wait wait() const noexcept {
        switch (state_) {
        case State::open: return open_.wait();
        case State::half_open: return probes_.wait();
        case State::closed:
        case State::disabled:
        case State::forced_open:
        case State::metrics_only: break;
        }
        return {};
    }

    /// Returns true if admit() would admit a call now.
    [[nodiscard]] constexpr bool admits(Instant now) const noexcept {
        return state_ != State::forced_open && !wait().is_on(now);
    }

    /// Asks to make one call. An `unnamed` probe may be answered by anybody.
    constexpr Effect admit(Instant now, bool unnamed) noexcept {
        if (!admits(now)) return {};
        if (state_ == State::open) {
            enter(State::half_open, now, Reason::reset_timeout);
            probes_.grant(now, unnamed);
            return {true, Reason::reset_timeout};
        }
        if (state_ == State::half_open) {
            if (probes_.all_out()) { // and nobody answered in time: these probes are lost
                start_probing();
                ++generation_;
                note(EventKind::fresh_probes, now);
            } else {
                note(EventKind::probe, now);
            }
            probes_.grant(now, unnamed);
        }
        return {true};
    }

    /// Whether it can hear of a call in CLOSED without being told the time, unless that opens it.
    static constexpr bool foresees_opening = ForeseesOpening<Tally>;

    /// Hears how a call ended that was not ignored. In HALF_OPEN, and for policies that do not foresee
    /// their opening, it must know when.
    constexpr Effect record(std::uint64_t generation, const FinishedCall& call,
                            bool is_timed = true) noexcept {
        if (!may_answer(generation)) return {};
        if constexpr (foresees_opening) {
            if (!is_timed && state_ == State::closed && rule_.tally().would_open(call)) {
                return {.lacks_time = true};
            }
        }
        count(call);
        if (state_ == State::closed) {
            const std::optional<Reason> reason = judge(call);
            if (reason) enter(State::open, call.at, *reason);
            return {true, reason};
        }
        if (state_ == State::metrics_only) {
            if (judge(call)) {
                ++would_have_opened_;
                note(EventKind::would_have_opened, call.at);
                forget_calls();
            }
            return {true};
        }
        const ProbeGate::Verdict verdict = probes_.record(call);
        note(call);
        switch (verdict) {
        case ProbeGate::Verdict::undecided: break;
        case ProbeGate::Verdict::close:
            enter(State::closed, call.at, Reason::probes_succeeded);
            return {true, Reason::probes_succeeded};
        case ProbeGate::Verdict::reopen:
            enter(State::open, call.at, Reason::probes_failed);
            return {true, Reason::probes_failed};
        }
        return {true};
    }

    /// Successes that are not slow may be told later, and together, before anything else is told.
    [[nodiscard]] constexpr bool may_batch_successes() const noexcept {
        if (state_ != State::closed && state_ != State::metrics_only) return false;
        return !a_verdict_may_stand_ && rule_.may_batch_successes();
    }

    /// Those recorded from then on must be told one by one.
    [[nodiscard]] constexpr Instant batch_ends() const noexcept { return rule_.batch_ends(); }

    /// Records successes that were left for later.
    constexpr void record_successes(std::uint64_t count) noexcept {
        totals_.successes += count;
        if (history_.keeps_any()) {
            unwritten_ += rule_.record_changes(count);
        } else {
            rule_.record_successes(count);
        }
    }

    /// Takes a permission back: a probe's place is free again. `now` matters only to a history.
    constexpr Effect give_back(std::uint64_t generation, Instant now = {}) noexcept {
        if (!may_answer(generation)) return {};
        if (state_ == State::half_open) {
            probes_.give_back();
            note(EventKind::returned_probe, now);
        }
        return {true};
    }

    /// Opens as a deciding failure would; where none can be recorded, it does nothing.
    constexpr Effect trip(Instant now) noexcept {
        if (state_ != State::closed && state_ != State::half_open) return {};
        write_successes(now);
        enter(State::open, now, Reason::trip);
        return {true, Reason::trip};
    }

    /// Obeys reset(), disable(), force_open() or metrics_only().
    constexpr Effect command(State to, Reason reason, Instant now) noexcept {
        if (state_ != to) {
            write_successes(now);
            enter(to, now, reason);
            return {true, reason};
        }
        if (to == State::closed) { // no transition, but what is in flight must not count any more
            write_successes(now);
            forget_calls();
            ++generation_;
            note(EventKind::reset, now);
        }
        return {true};
    }

    /// Changes policy and options, and neither state nor generation. `rule` must be new; if the policy
    /// is another, `rule` then holds the one that was in force.
    ///
    /// Nothing opens by that: a verdict on the calls that it holds is spoken with the next. A wait in
    /// OPEN is measured anew if it would be another; a half-open period ends by the rules it began
    /// with.
    constexpr Effect reconfigure(RuleInForce<P>& rule, const BreakerOptions& options,
                                 Instant now = {}) noexcept
        requires CanBeReconfigured<P>
    {
        write_successes(now);
        const bool is_the_same_policy = rule.policy() == rule_.policy();
        if (!(is_the_same_policy && options == options_)) is_as_made_ = false;
        if (!is_the_same_policy) {
            rule.take_over(rule_);
            rule_.swap(rule);
            a_verdict_may_stand_ = true;
        }
        if (!(options.reset_timeout == options_.reset_timeout)) {
            const bool is_in_force = state_ == State::open || state_ == State::half_open;
            open_.change(options.reset_timeout, is_in_force);
        }
        if (options.count_totals && !options_.count_totals) totals_ = {}; // it counts from here on
        options_ = options;
        note(EventKind::reconfigured, now);
        return {true};
    }

    /// If the last step drew a wait that no seed fixes, draws it again, by a chance of this process.
    constexpr void use_chance(std::uint64_t (*of_process)() noexcept) noexcept {
        if (open_.needs_chance()) open_.draw_again(options_.reset_timeout, of_process());
    }

    /// How many events there is room for. It never changes.
    [[nodiscard]] constexpr std::size_t history_size() const noexcept { return history_.size(); }

    /// Appends the most recent events. Successes whose event is not written yet are the last of them,
    /// with the time `now`. Allocates nothing if there is room for history_size() events.
    void copy_history_to(std::vector<BreakerEvent>& events, Instant now) const {
        if (unwritten_ == 0) return history_.copy_to(events);
        const BreakerEvent latest = unwritten_successes(now);
        history_.copy_to(events, &latest);
    }

    /// Whether one that was made now would judge alike from here on.
    [[nodiscard]] constexpr bool is_as_new(Instant now) const noexcept {
        if (state_ != State::closed || options_.initial_state != State::closed || !is_as_made_)
            return false;
        const Counts counts = counts_at(now);
        return counts.calls == 0 && counts.failures == 0;
    }

    /// All but the counters that the machine is not told of.
    [[nodiscard]] constexpr Snapshot snapshot(Instant now) const noexcept {
        const Counts counts = counts_at(now);
        const bool is_open = state_ == State::open;
        const bool is_half_open = state_ == State::half_open;
        Snapshot seen{.state = state_, .generation = generation_};
        seen.calls = counts.calls;
        seen.failures = counts.failures;
        seen.slow = counts.slow;
        seen.failure_rate = counts.failure_rate;
        seen.slow_rate = counts.slow_rate;
        if (is_half_open) seen.probes_in_flight = probes_.in_flight();
        seen.would_have_opened = would_have_opened_;
        if (options_.count_totals) seen.totals = totals_;
        seen.since = since_;
        if (is_open || is_half_open) seen.opened_at = open_.began_at();
        if (is_open) seen.retry_after = wait().rest(now);
        return seen;
    }

  private:
    /// An answer counts in its own generation. One that has none counts where calls are judged, and in
    /// HALF_OPEN for as many probes as were handed out without a name.
    [[nodiscard]] constexpr bool may_answer(std::uint64_t generation) noexcept {
        if (!judges_calls(state_)) return false;
        if (generation != any_generation) return generation == generation_;
        return state_ != State::half_open || probes_.claim_unnamed();
    }

    constexpr void count(const FinishedCall& call) noexcept {
        ++(call.failed ? totals_.failures : totals_.successes);
        if (call.slow) ++totals_.slow;
    }

    constexpr void enter(State to, Instant now, Reason reason) noexcept {
        const State from = state_;
        if (to == State::open || to == State::forced_open) frozen_ = counts_at(now);
        if (to == State::open) open_.begin(options_.reset_timeout, now, from == State::half_open);
        if (to == State::half_open) start_probing();
        forget_calls();
        since_ = now;
        state_ = to;
        ++generation_;
        note(EventKind::transition, now, from, reason);
    }

    [[nodiscard]] constexpr BreakerEvent event(EventKind kind, Instant at, std::uint64_t count,
                                               State from, Reason reason) const noexcept {
        const Counts seen = counts_at(at);
        return {0,      at,    generation_, kind,          from,     state_,
                reason, count, seen.calls,  seen.failures, seen.slow};
    }
    constexpr void note(EventKind kind, Instant at, State from, Reason reason) noexcept {
        if (history_.keeps_any()) history_.add(event(kind, at, 1, from, reason));
    }
    constexpr void note(EventKind kind, Instant at) noexcept { note(kind, at, state_, Reason::policy); }
    constexpr void note(const FinishedCall& call) noexcept {
        if (call.failed) return note(call.slow ? EventKind::slow_failure : EventKind::failure, call.at);
        note(call.slow ? EventKind::slow_success : EventKind::successes, call.at);
    }

    constexpr std::optional<Reason> judge(const FinishedCall& call) noexcept {
        const bool could_be_left = !call.failed && !call.slow && may_batch_successes() &&
                                   (!EndsBatches<Tally> || call.at < batch_ends());
        if (!history_.keeps_any() || !could_be_left) return judge_alone(call);
        if (!rule_.tally().quiet()) ++unwritten_;
        return rule_.tally().record(call);
    }

    constexpr std::optional<Reason> judge_alone(const FinishedCall& call) noexcept {
        write_successes(call.at);
        a_verdict_may_stand_ = false; // whatever it is, it is spoken now
        const std::optional<Reason> reason = rule_.tally().record(call);
        note(call);
        return reason;
    }

    /// Successes that were left for later, or could have been, become one event: just before the next
    /// event of another kind, and not when the breaker is read. What changed nothing is not among them.
    constexpr void write_successes(Instant now) noexcept {
        if (unwritten_ != 0) history_.add(unwritten_successes(now));
        unwritten_ = 0;
    }
    [[nodiscard]] constexpr BreakerEvent unwritten_successes(Instant now) const noexcept {
        // At the latest just before their bucket ends: a replay counts them in the same bucket.
        const Instant at = (std::min)(now, batch_ends() - std::chrono::nanoseconds{1});
        return event(EventKind::successes, at, unwritten_, state_, Reason::policy);
    }

    constexpr void forget_calls() noexcept {
        a_verdict_may_stand_ = false;
        rule_.tally().clear();
    }

    constexpr void start_probing() noexcept {
        probes_ = ProbeGate{options_.half_open}; // they may have changed since the last period
        const auto& given = options_.half_open.probe_timeout;
        probes_.restart(given ? std::chrono::nanoseconds{*given} : open_.next_probe_timeout());
    }

    [[nodiscard]] constexpr Counts counts_at(Instant now) const noexcept {
        switch (state_) {
        case State::closed:
        case State::metrics_only: return rule_.tally().counts(now);
        case State::half_open: return probes_.counts();
        case State::open:
        case State::forced_open: return frozen_;
        case State::disabled: break;
        }
        return {};
    }

    RuleInForce<P> rule_;
    BreakerOptions options_;
    ProbeGate probes_;
    State state_;
    bool is_as_made_ = true;           // with the policy and the options of the constructor
    bool a_verdict_may_stand_ = false; // on the calls held: the policy has changed since the last
    std::uint64_t generation_ = any_generation + 1;
    Instant since_;
    Counts frozen_{}; // the numbers that OPEN and FORCED_OPEN show
    OpenPeriod open_;
    std::uint64_t would_have_opened_ = 0;
    CallTotals totals_{};
    EventRing history_;
    std::uint64_t unwritten_ = 0; // successes that history_ has no event for yet
};

} // namespace dashpot::inline DASHPOT_ABI::detail

#endif
