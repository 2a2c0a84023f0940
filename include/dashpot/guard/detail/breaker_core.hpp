// SPDX-License-Identifier: MIT
#ifndef DASHPOT_GUARD_DETAIL_BREAKER_CORE_HPP
#define DASHPOT_GUARD_DETAIL_BREAKER_CORE_HPP

#include <dashpot/core/abi.hpp>
#include <dashpot/core/clock.hpp>
#include <dashpot/core/detail/wait.hpp>
#include <dashpot/core/duration.hpp>
#include <dashpot/core/error.hpp>
#include <dashpot/core/outcome.hpp>
#include <dashpot/core/reason.hpp>
#include <dashpot/core/state.hpp>
#include <dashpot/guard/breaker_event.hpp>
#include <dashpot/guard/breaker_options.hpp>
#include <dashpot/guard/detail/admission.hpp>
#include <dashpot/guard/detail/breaker_word.hpp>
#include <dashpot/guard/detail/call_report.hpp>
#include <dashpot/guard/detail/rule_in_force.hpp>
#include <dashpot/guard/detail/shared_machine.hpp>
#include <dashpot/guard/detail/transition_outlets.hpp>
#include <dashpot/guard/snapshot.hpp>
#include <dashpot/guard/subscription.hpp>
#include <dashpot/guard/transition.hpp>
#include <dashpot/policy/detail/shadow_tally.hpp>
#include <dashpot/policy/failure_policy.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace dashpot::inline DASHPOT_ABI::detail {

/// A circuit breaker without its public face: admissions, outcomes and commands as they come from
/// callers, with a clock.
///
/// It decides what a call can do without the lock of its SharedMachine, and reads the clock whenever
/// the machine needs the time: after a look at the word, and before the lock. A clock is user code,
/// which never runs under the lock.
///
/// **Threads.** Any thread may call each member.
template <Clock C, FailurePolicy P>
class BreakerCore {
    using Shared = SharedMachine<P>;
    using Machine = typename Shared::Machine;
    using Effect = typename Machine::Effect;

  public:
    static constexpr std::uint64_t any_generation = Machine::any_generation;

    BreakerCore(P policy, const BreakerOptions& options, C clock)
        : clock_{std::move(clock)},
          shared_{validated(std::move(policy)), validated(options), read(clock_)} {}

    BreakerCore(const BreakerCore&) = delete;
    BreakerCore& operator=(const BreakerCore&) = delete;

    [[nodiscard]] BreakerWord word() const noexcept { return shared_.word(); }

    [[nodiscard]] Instant now() const noexcept { return read(clock_); }

    /// Returns true if the policy needs to know how long calls take. It may be another policy a moment
    /// later.
    [[nodiscard]] bool times_calls() const noexcept {
        return TimesCalls<P> && shared_.quick_up_to() != never;
    }

    /// Admits a call or refuses it. Any caller may answer an `unnamed` probe. A call that needs a slot
    /// gets both or neither: the breaker refuses first, and does not change if there is no slot.
    template <class Slot = NoSlot>
    [[nodiscard]] Admission admit(bool unnamed, Slot slot = {}) noexcept {
        const BreakerWord seen = word();
        if (admits_all(seen.state()))
            return slot.take() ? Admission{seen} : Admission::without_slot(seen);
        if (seen.state() == State::forced_open) return refuse(seen, Wait{}, {});
        const std::optional<Wait> wait = shared_.wait_of(seen);
        const Instant at = now(); // if the wait is on now, it was on when it was read
        if (wait && wait->is_on(at)) return refuse(seen, *wait, at);
        // The same wait again: the breaker was still ready when no slot was left.
        if (wait && slot.is_none_left() && shared_.wait_of(seen) == wait) {
            slot.count_refused();
            return Admission::without_slot(seen);
        }
        return admit_under_lock(seen, at, unnamed, slot);
    }

    /// Records how a call ended. `retry_after` is the wait that the target asked for; 0 if it asked for
    /// none.
    /// @return true if it counted
    bool answer(std::uint64_t generation, Outcome outcome, Timing timing,
                std::chrono::nanoseconds retry_after = {}) noexcept {
        for (;;) {
            const BreakerWord seen = word();
            if (generation != any_generation && generation != seen.generation()) return false;
            if (outcome == Outcome::ignored) {
                const auto effect = give_back(generation, seen);
                if (!effect) continue;
                if (effect->was_taken && judges_calls(seen.state())) shared_.count_ignored();
                return effect->was_taken;
            }
            if (!judges_calls(seen.state())) return false;

            CallReport report{.failed = outcome == Outcome::failure, .timing = timing};
            report.retry_after = retry_after;
            if (!report.failed && seen.is_closed_and_quiet()) return true;
            if (CountsUntil<typename P::Tally> || (timing.is_start && times_calls())) report.end(now());
            if (!report.failed && shared_.leave_success(generation, report)) return true;
            if (const auto effect = record(seen, generation, report)) return effect->was_taken;
        }
    }

    /// Takes back an admission that was not used: no call was made.
    void release(std::uint64_t generation) noexcept {
        const BreakerWord seen = word();
        if (generation == seen.generation()) (void)give_back(generation, seen);
    }

    void trip() noexcept {
        change_now([](Machine& machine, Instant at) { return machine.trip(at); });
    }

    void command(State to, Reason reason) noexcept {
        change_now([&](Machine& machine, Instant at) { return machine.command(to, reason, at); });
    }

    /// Changes policy and options, and calls `also()` in the same step, under the lock.
    template <class F>
    void reconfigure(P policy, const BreakerOptions& options, F&& also)
        requires CanBeReconfigured<P>
    {
        policy.validate();
        options.validate();
        RuleInForce<P> rule{std::move(policy)}; // what allocates comes before the lock
        change_now([&](Machine& /*machine*/, Instant at) {
            const Effect effect = shared_.reconfigure_locked(rule, options, at);
            also();
            return effect;
        });
    }

    [[nodiscard]] std::chrono::nanoseconds retry_after() const noexcept {
        const BreakerWord seen = word();
        if (seen.state() != State::open) return std::chrono::nanoseconds{0};
        const std::optional<Wait> wait = shared_.wait_of(seen);
        return wait ? wait->rest(now()) : snapshot().retry_after;
    }

    [[nodiscard]] Snapshot snapshot() const noexcept { return shared_.snapshot(now()); }

    [[nodiscard]] auto candidates() const noexcept
        requires HasCandidates<P>
    {
        const Instant at = now();
        return shared_.look([&](const Machine& machine) { return machine.candidates(at); });
    }

    [[nodiscard]] bool is_as_new() const noexcept {
        if (!word().is_closed()) return false;
        const Instant at = now();
        return shared_.look([&](const Machine& machine) { return machine.is_as_new(at); });
    }

    [[nodiscard]] std::vector<BreakerEvent> history() const {
        std::vector<BreakerEvent> events;
        events.reserve(shared_.history_size()); // what allocates comes before the lock
        const Instant at = now();
        shared_.look([&](const Machine& machine) { machine.copy_history_to(events, at); });
        return events;
    }

    [[nodiscard]] Subscription subscribe(std::function<void(const Transition&)> listener) {
        return shared_.subscribe(std::move(listener));
    }
    void forward_to(std::shared_ptr<TransitionSink> sink) noexcept {
        shared_.forward_to(std::move(sink));
    }
    [[nodiscard]] std::size_t listeners() const noexcept { return shared_.listeners(); }

  private:
    template <class T>
    [[nodiscard]] static T validated(T options) {
        options.validate();
        return options;
    }

    [[nodiscard]] static bool admits_all(State state) noexcept {
        return state == State::closed || state == State::disabled || state == State::metrics_only;
    }

    /// `wait` is the wait of `seen`. The refusal says how long it still is only in OPEN: elsewhere the
    /// end is not known.
    [[nodiscard]] Admission refuse(BreakerWord seen, const Wait& wait, Instant at) noexcept {
        shared_.count_refused();
        if (seen.state() == State::half_open) return {seen, Error::probes_in_flight};
        if (seen.state() == State::forced_open) return {seen, Error::circuit_open};
        return {seen, Error::circuit_open, wait.rest(at)};
    }

    template <class Slot>
    [[nodiscard, gnu::noinline]] Admission admit_under_lock(BreakerWord seen, Instant at, bool unnamed,
                                                            Slot slot) noexcept {
        for (;;) {
            BreakerWord decided;
            Wait left;
            bool lacks_slot = false;
            const auto effect = shared_.change(seen, [&](Machine& machine) {
                // The gate changes first: a caller that then finds no slot left looks at it again.
                lacks_slot =
                    machine.admits(at) && !slot.take_after([&] { shared_.open_gate_locked(); });
                const Effect result = lacks_slot ? Effect{} : machine.admit(at, unnamed);
                decided = Shared::word_of(machine);
                left = machine.wait();
                return result;
            });
            if (effect && lacks_slot) return Admission::without_slot(decided);
            if (effect) return effect->was_taken ? Admission{decided} : refuse(decided, left, at);
            seen = word();
            at = now();
        }
    }

    /// Records an outcome by the policy that is in force under the lock. Returns nothing if the breaker
    /// has entered another generation since it was `seen`.
    [[nodiscard, gnu::noinline]] std::optional<Effect>
    record(BreakerWord seen, std::uint64_t generation, CallReport& report) noexcept {
        const bool needs_end =
            !Machine::foresees_opening || seen.state() == State::half_open || shared_.keeps_history();
        if (needs_end && !report.is_timed) report.end(now());
        for (;;) {
            bool lacks_end = false;
            const auto effect = shared_.change(seen, [&](Machine& machine) {
                lacks_end = machine.needs_end(report);
                return lacks_end
                           ? Effect{}
                           : machine.record(generation, machine.finished(report), report.retry_after);
            });
            if (!effect || !lacks_end) return effect;
            report.end(now()); // here, because a clock is user code, which never runs under the lock
        }
    }

    /// Returns nothing if the breaker has entered another generation since it was `seen`.
    [[gnu::noinline]] std::optional<Effect> give_back(std::uint64_t generation,
                                                      BreakerWord seen) noexcept {
        if (seen.state() != State::half_open) return Effect{true}; // no place was taken
        const Instant at = shared_.keeps_history() ? now() : Instant{};
        return shared_.change(seen,
                              [&](Machine& machine) { return machine.give_back(generation, at); });
    }

    /// Changes the machine in whatever state it is.
    template <class F>
    void change_now(F&& f) noexcept {
        for (;;) {
            const BreakerWord seen = word();
            const Instant at = now();
            if (shared_.change(seen, [&](Machine& machine) { return f(machine, at); })) return;
        }
    }

    [[no_unique_address]] const C clock_;
    Shared shared_;
};

} // namespace dashpot::inline DASHPOT_ABI::detail

#endif
