// SPDX-License-Identifier: MIT
#ifndef DASHPOT_GUARD_DETAIL_BREAKER_CORE_HPP
#define DASHPOT_GUARD_DETAIL_BREAKER_CORE_HPP

#include <dashpot/core/clock.hpp>
#include <dashpot/core/detail/wait.hpp>
#include <dashpot/core/duration.hpp>
#include <dashpot/core/error.hpp>
#include <dashpot/core/outcome.hpp>
#include <dashpot/core/reason.hpp>
#include <dashpot/core/state.hpp>
#include <dashpot/guard/breaker_options.hpp>
#include <dashpot/guard/detail/breaker_machine.hpp>
#include <dashpot/guard/detail/breaker_word.hpp>
#include <dashpot/guard/detail/event_channel.hpp>
#include <dashpot/guard/detail/refusal_gate.hpp>
#include <dashpot/guard/detail/striped_counter.hpp>
#include <dashpot/guard/subscription.hpp>
#include <dashpot/guard/transition.hpp>
#include <dashpot/policy/failure_policy.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

namespace dashpot::inline v0::detail {

/// The answer to a caller who asked to make one call.
struct Admission {
    BreakerWord word;                 // as it was when the caller was let in or refused
    std::optional<Refusal> refusal{}; // empty: go ahead
};

/// A BreakerMachine that threads can share.
///
/// The machine changes under mutex_, in change() alone, which publishes what became of it: a word and a
/// gate. Who only asks reads those, and takes no lock. Functions named _locked need it.
template <Clock C, FailurePolicy P>
class BreakerCore {
  public:
    using Machine = BreakerMachine<P>;
    using Elapsed = std::optional<std::chrono::nanoseconds>;

    static constexpr std::uint64_t any_generation = Machine::any_generation;

    BreakerCore(P policy, const BreakerOptions& options, C clock)
        : clock_{std::move(clock)}, policy_{validated(std::move(policy))},
          machine_{policy_, validated(options), read(clock_), own_seed()}, word_{word_locked().bits()} {
    }

    BreakerCore(const BreakerCore&) = delete;
    BreakerCore& operator=(const BreakerCore&) = delete;

    [[nodiscard]] BreakerWord word() const noexcept {
        return BreakerWord{word_.load(std::memory_order_acquire)};
    }

    [[nodiscard]] Instant now() const noexcept { return read(clock_); }

    /// The duration above which a call is slow; empty where calls need not be timed.
    [[nodiscard]] Elapsed slow_after() const noexcept {
        if constexpr (JudgesSlowCalls<P>) return policy_.slow_after();
        return std::nullopt;
    }

    /// Asks to make one call. An `unnamed` probe may be answered by anybody.
    [[nodiscard]] Admission admit(bool unnamed) noexcept {
        for (;;) {
            const BreakerWord seen = word();
            if (admits_all(seen.state())) return {seen};
            if (seen.state() == State::forced_open) return refuse(seen, {});

            const Instant at = now();
            const Wait wait = gate_.read();
            if (wait.is_on(at) && word() == seen) return refuse(seen, wait.rest(at));

            BreakerWord decided;
            Wait left;
            const auto effect = change(seen, [&](Machine& machine) {
                const auto result = machine.admit(at, unnamed);
                decided = word_locked();
                left = machine.wait();
                return result;
            });
            if (!effect) continue;
            if (effect->was_taken) return {decided};
            return refuse(decided, left.rest(at));
        }
    }

    /// Records how a call ended. `elapsed` is empty where nobody measured it but `started` is known.
    /// @return true if it counted
    bool answer(std::uint64_t generation, Outcome outcome, const Elapsed elapsed,
                Instant started = {}) noexcept {
        for (;;) {
            const BreakerWord seen = word();
            if (generation != any_generation && generation != seen.generation()) return false;
            if (outcome == Outcome::ignored) {
                const auto effect = give_back(generation, seen);
                if (!effect) continue;
                if (effect->was_taken && judges_calls(seen.state())) ignored_.add();
                return effect->was_taken;
            }
            if (!judges_calls(seen.state())) return false;

            FinishedCall call{.failed = outcome == Outcome::failure};
            const Elapsed limit = slow_after();
            const bool must_measure = limit && !elapsed;
            if (must_measure) call.at = now();
            call.slow = limit && (must_measure ? between(started, call.at) : *elapsed) > *limit;
            if (!call.failed && !call.slow && seen.is_closed_and_quiet()) return true;
            // One reading serves both purposes, and a success that needs neither costs none.
            const bool needs_time =
                call.failed || needs_time_of_success<typename P::Tally>() || !seen.is_closed();
            if (needs_time && !must_measure) call.at = now();
            const auto effect =
                change(seen, [&](Machine& machine) { return machine.record(generation, call); });
            if (effect) return effect->was_taken;
        }
    }

    /// Takes back a permission that was not used: no call was made.
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

    [[nodiscard]] std::chrono::nanoseconds retry_after() const noexcept {
        const BreakerWord seen = word();
        if (seen.state() != State::open) return std::chrono::nanoseconds{0};
        const Wait wait = gate_.read();
        // An open gate says nothing: OPEN is published a moment before its wait.
        const bool is_its_own = wait.length.count() > 0 && word() == seen;
        return is_its_own ? wait.rest(now()) : snapshot().retry_after;
    }

    [[nodiscard]] Snapshot snapshot() const noexcept {
        const Instant at = now();
        const std::lock_guard lock{mutex_};
        return snapshot_locked(at);
    }

    [[nodiscard]] Subscription subscribe(std::function<void(const Transition&)> listener) {
        return Channel::subscribe(channel(), std::move(listener));
    }

  private:
    using Channel = EventChannel<Transition>;

    template <class T>
    [[nodiscard]] static T validated(T options) {
        options.validate();
        return options;
    }

    /// Differs between breakers, and between processes started together.
    [[nodiscard]] std::uint64_t own_seed() const noexcept {
        return static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(this)) ^
               static_cast<std::uint64_t>(SteadyClock::now().time_since_epoch().count());
    }

    [[nodiscard]] static bool admits_all(State state) noexcept {
        return state == State::closed || state == State::disabled || state == State::metrics_only;
    }

    [[nodiscard]] Admission refuse(BreakerWord seen, std::chrono::nanoseconds rest) noexcept {
        refused_.add();
        if (seen.state() == State::half_open) {
            return {seen, Refusal{Error::probes_in_flight, std::chrono::nanoseconds{0}}};
        }
        return {seen, Refusal{Error::circuit_open, rest}};
    }

    using Effect = typename Machine::Effect;

    /// The effect, or nothing when the breaker had moved on since it was `seen`.
    std::optional<Effect> give_back(std::uint64_t generation, BreakerWord seen) noexcept {
        if (seen.state() != State::half_open) return Effect{true}; // no place was taken
        return change(seen, [&](Machine& machine) { return machine.give_back(generation); });
    }

    /// Changes with the time of day, in whatever state it is.
    template <class F>
    void change_now(F&& f) noexcept {
        for (;;) {
            const BreakerWord seen = word();
            const Instant at = now();
            if (change(seen, [&](Machine& machine) { return f(machine, at); })) return;
        }
    }

    /// The one way to change anything: under the lock, published before it is let go, and announced
    /// after that, without another look at the breaker, which a listener may destroy.
    ///
    /// Nothing happens, and nothing is returned, if the breaker is no longer in the generation that the
    /// caller saw: the time that it read after that look, outside the lock, may then be older than the
    /// state, and a wait that began with it would be too short. The caller looks again.
    template <class F>
    std::optional<Effect> change(BreakerWord seen, F&& f) noexcept {
        std::shared_ptr<Channel> to_deliver;
        Effect effect;
        {
            const std::lock_guard lock{mutex_};
            if (machine_.generation() != seen.generation()) return std::nullopt;
            effect = f(machine_);
            publish_locked();
            if (effect.moved_by && announce_locked(seen.state(), *effect.moved_by)) {
                to_deliver = channel_;
            }
        }
        if (to_deliver) to_deliver->deliver();
        return effect;
    }

    [[nodiscard]] BreakerWord word_locked() const noexcept {
        return {machine_.generation(), machine_.state(), machine_.is_quiet()};
    }

    /// Writes only what changed: every caller reads these.
    void publish_locked() noexcept {
        const BreakerWord before{word_.load(std::memory_order_relaxed)};
        const BreakerWord after = word_locked();
        if (after.generation() != before.generation()) gate_.open();
        if (after != before) word_.store(after.bits(), std::memory_order_release);
        if (const Wait wait = machine_.wait(); wait != gate_.read()) gate_.set(wait);
    }

    [[nodiscard]] bool announce_locked(State from, Reason reason) noexcept {
        if (!channel_) return false;
        const Snapshot now = snapshot_locked(machine_.since());
        return channel_->push({from, now.state, now.generation, reason, now.since, now});
    }

    [[nodiscard]] Snapshot snapshot_locked(Instant at) const noexcept {
        Snapshot seen = machine_.snapshot(at);
        seen.ignored = ignored_.sum();
        seen.refused = refused_.sum();
        return seen;
    }

    [[nodiscard]] std::shared_ptr<Channel> channel() {
        const std::lock_guard lock{mutex_};
        if (!channel_) channel_ = std::make_shared<Channel>();
        return channel_;
    }

    [[no_unique_address]] const C clock_;
    const P policy_;

    // Written by who records something that counts: a line of its own, away from the word.
    alignas(cache_line) mutable std::mutex mutex_;
    Machine machine_;                  // guarded by mutex_
    std::shared_ptr<Channel> channel_; // guarded by mutex_; null until somebody listens

    // Read by every caller, written only when something changes.
    alignas(cache_line) std::atomic<std::uint64_t> word_; // written under mutex_
    RefusalGate gate_;                                    // written under mutex_

    StripedCounter refused_;
    StripedCounter ignored_;
};

} // namespace dashpot::inline v0::detail

#endif
