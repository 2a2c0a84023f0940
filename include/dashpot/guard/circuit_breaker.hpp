// SPDX-License-Identifier: MIT
#ifndef DASHPOT_GUARD_CIRCUIT_BREAKER_HPP
#define DASHPOT_GUARD_CIRCUIT_BREAKER_HPP

#include <dashpot/core/abi.hpp>
#include <dashpot/core/by_exception.hpp>
#include <dashpot/core/clock.hpp>
#include <dashpot/core/duration.hpp>
#include <dashpot/core/outcome.hpp>
#include <dashpot/core/result.hpp>
#include <dashpot/core/state.hpp>
#include <dashpot/guard/breaker_event.hpp>
#include <dashpot/guard/breaker_options.hpp>
#include <dashpot/guard/detail/admission.hpp>
#include <dashpot/guard/detail/admitted_call.hpp>
#include <dashpot/guard/detail/breaker_core.hpp>
#include <dashpot/guard/detail/transition_outlets.hpp>
#include <dashpot/guard/permit.hpp>
#include <dashpot/guard/snapshot.hpp>
#include <dashpot/guard/subscription.hpp>
#include <dashpot/guard/transition.hpp>
#include <dashpot/policy/consecutive_failures.hpp>
#include <dashpot/policy/detail/shadow_tally.hpp>
#include <dashpot/policy/failure_policy.hpp>

#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

namespace dashpot::inline DASHPOT_ABI {

namespace detail {

/// For guards of more than one part: changes a breaker, and what belongs to it, under one lock.
struct InOneStep {
    /// Takes a permit and a slot, or neither.
    template <class Breaker, class Slot>
    [[nodiscard]] static auto try_acquire(Breaker& breaker, Slot slot) noexcept {
        return breaker.try_acquire_with(slot);
    }

    template <class Breaker, class P, class F>
    static void reconfigure(Breaker& breaker, P policy, const BreakerOptions& options, F&& also) {
        breaker.core_.reconfigure(std::move(policy), options, std::forward<F>(also));
    }
};

/// For guards that hold a breaker: passes its transitions on to a sink of theirs.
struct ForwardTransitions {
    template <class Breaker>
    static void of(Breaker& breaker, std::shared_ptr<TransitionSink> sink) noexcept {
        breaker.core_.forward_to(std::move(sink));
    }
};

} // namespace detail

/// Refuses calls to a target that keeps failing, and lets probes through from time to time to learn
/// whether it has recovered.
///
///     dashpot::CircuitBreaker<> breaker{{.threshold = 5}, {.reset_timeout = 10s}};
///
///     auto price = breaker.call([&] { return fetch_price(sku); });
///     return price ? *price : cached_price(sku);
///
///     CLOSED ── the policy says so ──▶ OPEN ── reset_timeout, then a caller ──▶ HALF_OPEN ── enough
///     probes succeed ──▶ CLOSED; or, as soon as they no longer can ──▶ OPEN
///
/// **Contract.** Three forms of the same thing: call() for a function, try_acquire() for a call that
/// begins and ends in different places, allow() and record_*() for code that cannot hold a Permit.
/// The circuit opens when the deciding outcome is recorded. In OPEN, the first caller after the reset
/// timeout moves it to HALF_OPEN and is its first probe, in one step; nothing else moves it. A late
/// answer never votes on a state that its call did not begin in. A refused call is no failure.
/// A call within a call of the same breaker is refused like any other caller when probes are out.
/// **Threads.** Every member may be called from any thread at any time. No code of the user's runs
/// under a lock: listeners, classifiers and called functions may use the breaker.
/// **Cost.** Healthy: one atomic load to ask, one to record a success that changes nothing; an atomic
/// write of the thread's own for one that changes a window but cannot open the circuit. Refused: a
/// clock reading and a count, no lock. Recording anything else: one mutex. No allocation, but for more
/// than 16 events that wait for a slow listener.
/// **Errors.** The constructor throws std::invalid_argument that names the field out of range.
/// **Source.** M. Nygard, *Release It!*, 2nd ed., "Circuit Breaker". Generations: sony/gobreaker.
///
/// @tparam C  a Clock; give a testing::ManualClock to drive it from a test
/// @tparam P  a FailurePolicy; see policy/ for those that ship
template <Clock C = SteadyClock, FailurePolicy P = ConsecutiveFailures>
class CircuitBreaker {
  public:
    using clock_type = C;
    using policy_type = P;
    using time_point = Instant;
    using duration = Nanoseconds;
    using Snapshot = dashpot::Snapshot;
    using Transition = dashpot::Transition;

    /// The right to make one call: see BreakerPermit.
    using Permit = BreakerPermit<C, P>;

    /// CLOSED, or in BreakerOptions::initial_state; all it needs is allocated here.
    explicit CircuitBreaker(P policy = {}, BreakerOptions options = {}, C clock = C{})
        : core_{std::move(policy), options, std::move(clock)} {}

    CircuitBreaker(const CircuitBreaker&) = delete;
    CircuitBreaker& operator=(const CircuitBreaker&) = delete;

    /// Asks to make one call now: the two-step form.
    ///
    /// **Contract.** true: make the call, then record its outcome once. false: do not call, record
    /// nothing. It has no generation, so an outcome counts in the state in which it arrives: in
    /// HALF_OPEN it answers a probe as long as one of those handed out here is unanswered, in OPEN it
    /// is dropped. Where that matters, or an exception could skip the record, use try_acquire().
    [[nodiscard]] bool allow() noexcept {
        return core_.word().is_closed() || !core_.admit(true).was_refused();
    }

    /// Answers an allow(). `elapsed`, how long the call took, matters only where slow calls are judged.
    void record_success(duration elapsed = {}) noexcept {
        if (core_.word().is_closed_and_quiet()) return;
        record(Outcome::success, elapsed);
    }
    /// Answers an allow(). `elapsed`, how long the call took, matters only where slow calls are judged.
    void record_failure(duration elapsed = {}) noexcept { record(Outcome::failure, elapsed); }
    /// Answers an allow() with neither: gives an unanswered probe back, and records nothing.
    void record_ignored() noexcept { record(Outcome::ignored, {}); }

    /// Asks to make one call now, and hands out what answers for it.
    [[nodiscard]] Permit try_acquire() noexcept { return try_acquire_with(detail::NoSlot{}); }

    /// Calls `f` if the circuit lets it, and records how it ended.
    ///
    /// **Contract.** Returns what `f` returned, or the Refusal if it was not called. `classify` is
    /// called with the returned value as a const reference (with nothing for void, if it can be), or
    /// with a std::exception_ptr if it takes one, and answers an Outcome. It runs with the permit
    /// held; if it throws, the call counts as ignored. Where it does not take the exception, an
    /// exception is a failure; where it does not take the value, a value is a success. A lambda with
    /// `auto` parameters is given values only.
    /// **Errors.** Whatever `f` or `classify` throws, untouched.
    template <class F, class Classify = ByException>
        requires std::invocable<F>
    [[nodiscard]] auto call(F&& f, Classify&& classify = {}) -> Result<std::invoke_result_t<F>> {
        return detail::admitted_call(try_acquire(), std::forward<F>(f), classify);
    }

    /// Where it stands. A pure read: shows OPEN until a caller moves it, however long ago the wait
    /// ended. **Cost.** One atomic load.
    [[nodiscard]] State state() const noexcept { return core_.word().state(); }

    /// All numbers, of one instant. A pure read. **Cost.** The mutex, for a moment.
    [[nodiscard]] Snapshot snapshot() const { return core_.snapshot(); }

    /// Returns the numbers of each candidate of a Shadow, in their order and of one instant: a
    /// std::array of CandidateNumbers. A pure read. **Cost.** The mutex, for a moment.
    [[nodiscard]] auto candidates() const
        requires detail::HasCandidates<P>
    {
        return core_.candidates();
    }

    /// Returns true if a new breaker would admit and judge all calls from here on as this one does: it
    /// was made CLOSED and is so, with no call in its window, and was not reconfigured. Calls in flight
    /// do not matter. A pure read. **Cost.** One atomic load unless CLOSED; the mutex, for a moment.
    [[nodiscard]] bool is_as_new() const noexcept { return core_.is_as_new(); }

    /// The last events, oldest first, as many as BreakerOptions::history has room for; all of one
    /// instant. testing/replay.hpp feeds them to a breaker again.
    ///
    /// **Contract.** Each outcome that the policy or the probes received, each probe, each transition,
    /// and what else changed the breaker. Successes that changed nothing, refusals, and
    /// calls ignored outside HALF_OPEN are not among them. What is kept depends on the calls alone:
    /// reading, here or elsewhere, writes no event.
    /// **Cost.** The mutex while they are copied; allocates before that.
    [[nodiscard]] std::vector<BreakerEvent> history() const { return core_.history(); }

    /// What is left of the wait: 0 unless OPEN, never negative, never more than the reset timeout.
    [[nodiscard]] std::chrono::nanoseconds retry_after() const noexcept { return core_.retry_after(); }

    /// Back to CLOSED from any state, with an empty window and a new generation: what is in flight no
    /// longer counts. In CLOSED that is no transition, and no event.
    void reset() { core_.command(State::closed, Reason::reset); }
    /// Opens as a deciding failure would: from CLOSED or HALF_OPEN. Nothing else moves: OPEN keeps its
    /// wait, and what a command set (disabled, forced open, metrics only) stays so.
    void trip() { core_.trip(); }
    /// Refuses everything, until reset() or another command.
    void force_open() { core_.command(State::forced_open, Reason::force_open); }
    /// Admits everything and records nothing, until another command.
    void disable() { core_.command(State::disabled, Reason::disable); }
    /// Admits and judges everything, and only counts how often it would have opened: to try a policy on
    /// live traffic before it may refuse any. Until another command.
    void metrics_only() { core_.command(State::metrics_only, Reason::metrics_only); }

    /// Changes policy and options of the breaker as it runs, in one step: each call is judged by what
    /// was in force before or after, never by some of both.
    ///
    /// **Contract.** State, generation, permits and listeners stay, and there is no event. The calls
    /// that the policy judges by stay as far as they fit: docs/reconfiguration.md says which. Nothing
    /// opens by it; the next recorded call is judged by the new rule. If `reset_timeout` is another,
    /// the wait of an OPEN circuit is measured again, from the same opening. A half-open period under
    /// way ends by the rules that it began with. `initial_state` and `history` mean nothing here.
    /// **Cost.** The mutex, and what the policy needs to take its calls over; allocates before that.
    /// **Errors.** As the constructor; then nothing has changed.
    void reconfigure(P policy, BreakerOptions options)
        requires detail::CanBeReconfigured<P>
    {
        core_.reconfigure(std::move(policy), options, [] {});
    }

    /// Calls `listener` with every change of state from now on, as long as the Subscription lives.
    ///
    /// **Contract.** In order, exactly once, one at a time, outside every lock, on the thread that
    /// caused the change or on one that is delivering already. A listener may call anything here,
    /// subscribe and unsubscribe. One that throws is contained.
    /// **Errors.** std::invalid_argument for an empty function.
    [[nodiscard]] Subscription on_transition(std::function<void(const Transition&)> listener) {
        return core_.subscribe(std::move(listener));
    }

    /// How many subscriptions of on_transition() live.
    [[nodiscard]] std::size_t listeners() const noexcept { return core_.listeners(); }

  private:
    using Core = detail::BreakerCore<C, P>;
    friend struct detail::InOneStep;
    friend struct detail::ForwardTransitions;

    template <class Slot>
    [[nodiscard]] Permit try_acquire_with(Slot slot) noexcept {
        return Permit{core_, slot};
    }

    void record(Outcome outcome, duration elapsed) noexcept {
        (void)core_.answer(Core::any_generation, outcome, {elapsed});
    }

    Core core_;
};

} // namespace dashpot::inline DASHPOT_ABI

#endif
