// SPDX-License-Identifier: MIT
#ifndef DASHPOT_GUARD_DETAIL_BREAKER_CORE_HPP
#define DASHPOT_GUARD_DETAIL_BREAKER_CORE_HPP

#include <dashpot/core/abi.hpp>
#include <dashpot/core/clock.hpp>
#include <dashpot/core/detail/process_chance.hpp>
#include <dashpot/core/detail/thread_number.hpp>
#include <dashpot/core/detail/wait.hpp>
#include <dashpot/core/duration.hpp>
#include <dashpot/core/error.hpp>
#include <dashpot/core/outcome.hpp>
#include <dashpot/core/reason.hpp>
#include <dashpot/core/state.hpp>
#include <dashpot/core/threading.hpp>
#include <dashpot/guard/breaker_event.hpp>
#include <dashpot/guard/breaker_options.hpp>
#include <dashpot/guard/detail/admission.hpp>
#include <dashpot/guard/detail/breaker_machine.hpp>
#include <dashpot/guard/detail/breaker_word.hpp>
#include <dashpot/guard/detail/call_report.hpp>
#include <dashpot/guard/detail/call_stripes.hpp>
#include <dashpot/guard/detail/published_state.hpp>
#include <dashpot/guard/detail/transition_outlets.hpp>
#include <dashpot/guard/subscription.hpp>
#include <dashpot/guard/transition.hpp>
#include <dashpot/policy/failure_policy.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace dashpot::inline DASHPOT_ABI::detail {

/// A BreakerMachine that threads can share.
///
/// The machine changes under mutex_, in change() alone, which publishes what became of it: a word and a
/// gate. Who only asks reads those, and takes no lock. Nor does who records a success that cannot
/// change a verdict: it is left in the stripes, and the machine is told before it is asked or told
/// anything else. Functions named _locked need the lock.
template <Clock C, FailurePolicy P>
class BreakerCore {
  public:
    using Machine = BreakerMachine<P>;
    static constexpr std::uint64_t any_generation = Machine::any_generation;

    BreakerCore(P policy, const BreakerOptions& options, C clock)
        : clock_{std::move(clock)},
          machine_{validated(std::move(policy)), validated(options), read(clock_), own_seed()},
          published_{word_locked()}, slow_after_{machine_.slow_after().count()},
          keeps_history_{options.history != 0} {}

    BreakerCore(const BreakerCore&) = delete;
    BreakerCore& operator=(const BreakerCore&) = delete;

    [[nodiscard]] BreakerWord word() const noexcept { return published_.word(); }

    [[nodiscard]] Instant now() const noexcept { return read(clock_); }

    /// Whether the policy wants to know how long calls take. It may be another a moment later.
    [[nodiscard]] bool times_calls() const noexcept {
        return JudgesSlowCalls<P> && slow_after() != never;
    }

    /// Asks to make one call. An `unnamed` probe may be answered by anybody. A call that needs a slot
    /// gets both or neither: the breaker refuses first, and for want of a slot it does not change.
    template <class Slot = NoSlot>
    [[nodiscard]] Admission admit(bool unnamed, Slot slot = {}) noexcept {
        const BreakerWord seen = word();
        if (admits_all(seen.state()))
            return slot.take() ? Admission{seen} : Admission::without_slot(seen);
        if (seen.state() == State::forced_open) return refuse(seen, Wait{}, {});
        const std::optional<Wait> wait = published_.wait_of(seen);
        const Instant at = now(); // if the wait is on now, it was on when it was read
        if (wait && wait->is_on(at)) return refuse(seen, *wait, at);
        // The same wait again: the breaker was still ready when no slot was left.
        if (wait && slot.is_none_left() && published_.wait_of(seen) == wait) {
            slot.count_refused();
            return Admission::without_slot(seen);
        }
        return admit_under_lock(seen, at, unnamed, slot);
    }

    /// Records how a call ended.
    /// @return true if it counted
    bool answer(std::uint64_t generation, Outcome outcome, Timing timing) noexcept {
        for (;;) {
            const BreakerWord seen = word();
            if (generation != any_generation && generation != seen.generation()) return false;
            if (outcome == Outcome::ignored) {
                const auto effect = give_back(generation, seen);
                if (!effect) continue;
                if (effect->was_taken && judges_calls(seen.state())) stripes_.count_ignored();
                return effect->was_taken;
            }
            if (!judges_calls(seen.state())) return false;

            CallReport report{.failed = outcome == Outcome::failure, .timing = timing};
            if (!report.failed && seen.is_closed_and_quiet()) return true;
            if (EndsBatches<typename P::Tally> || (timing.is_start && times_calls())) report.end(now());
            if (!report.failed && leave_success(generation, report)) return true;
            if (const auto effect = record(seen, generation, report)) return effect->was_taken;
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

    /// Changes policy and options, and calls `also()` in the same step, under the lock.
    template <class F>
    void reconfigure(P policy, const BreakerOptions& options, F&& also)
        requires CanBeReconfigured<P>
    {
        policy.validate();
        options.validate();
        RuleInForce<P> rule{std::move(policy)}; // what allocates comes before the lock
        change_now([&](Machine& machine, Instant at) {
            const Effect effect = machine.reconfigure(rule, options, at);
            slow_after_.store(machine.slow_after().count(), std::memory_order_relaxed);
            also();
            return effect;
        });
    }

    [[nodiscard]] std::chrono::nanoseconds retry_after() const noexcept {
        const BreakerWord seen = word();
        if (seen.state() != State::open) return std::chrono::nanoseconds{0};
        const std::optional<Wait> wait = published_.wait_of(seen);
        return wait ? wait->rest(now()) : snapshot().retry_after;
    }

    [[nodiscard]] Snapshot snapshot() const noexcept {
        const Instant at = now();
        const UpToDate machine{*this};
        return snapshot_locked(at);
    }

    [[nodiscard]] bool is_as_new() const noexcept {
        if (!word().is_closed()) return false;
        const Instant at = now();
        const UpToDate machine{*this};
        return machine->is_as_new(at);
    }

    [[nodiscard]] std::vector<BreakerEvent> history() const {
        std::vector<BreakerEvent> events;
        events.reserve(machine_.history_size());
        const Instant at = now();
        const UpToDate machine{*this};
        machine->copy_history_to(events, at);
        return events;
    }

    [[nodiscard]] Subscription subscribe(std::function<void(const Transition&)> listener) {
        return Channel::subscribe(channel(), std::move(listener));
    }

    /// Passes each transition on to `sink`, beside the listeners.
    void forward_to(std::shared_ptr<TransitionSink> sink) noexcept {
        const std::lock_guard lock{mutex_};
        outlets_.set_sink(std::move(sink));
    }

    [[nodiscard]] std::size_t listeners() const noexcept {
        const std::lock_guard lock{mutex_};
        return outlets_.listeners();
    }

  private:
    using Channel = TransitionOutlets::Channel;

    /// The machine under the lock, for as long as this exists. The machine has recorded all successes
    /// that were left in the stripes. The stripes are shut until the end, and open again if the machine
    /// then allows it: further successes may be left until the next change.
    class UpToDate {
      public:
        explicit UpToDate(const BreakerCore& core) noexcept : lock_{core.mutex_}, core_{core} {
            core_.machine_.record_successes(core_.stripes_.collect());
        }
        UpToDate(const UpToDate&) = delete;
        UpToDate& operator=(const UpToDate&) = delete;
        ~UpToDate() { core_.reopen_locked(); }

        [[nodiscard]] Machine& operator*() noexcept { return core_.machine_; }
        [[nodiscard]] Machine* operator->() noexcept { return &core_.machine_; }
        [[nodiscard]] const Machine* operator->() const noexcept { return &core_.machine_; }

      private:
        const std::lock_guard<threading::mutex> lock_;
        const BreakerCore& core_;
    };

    void reopen_locked() const noexcept {
        if (!machine_.may_batch_successes() || machine_.is_quiet()) return stripes_.stay_shut();
        if constexpr (EndsBatches<typename P::Tally>) {
            const std::int64_t end = machine_.batch_ends().time_since_epoch().count();
            if (batch_ends_.load(std::memory_order_relaxed) != end) { // every caller reads this line
                batch_ends_.store(end, std::memory_order_relaxed);
            }
        }
        stripes_.open();
    }

    [[nodiscard]] std::chrono::nanoseconds slow_after() const noexcept {
        return std::chrono::nanoseconds{slow_after_.load(std::memory_order_relaxed)};
    }

    template <class T>
    [[nodiscard]] static T validated(T options) {
        options.validate();
        return options;
    }

    /// Differs between breakers, and between processes started together.
    [[nodiscard]] std::uint64_t own_seed() const noexcept {
        return static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(this)) ^ process_chance();
    }

    [[nodiscard]] static bool admits_all(State state) noexcept {
        return state == State::closed || state == State::disabled || state == State::metrics_only;
    }

    /// `wait` is the wait of `seen`; only the one in OPEN has an end that is known.
    [[nodiscard]] Admission refuse(BreakerWord seen, const Wait& wait, Instant at) noexcept {
        stripes_.count_refused();
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
            const auto effect = change(seen, [&](Machine& machine) {
                // The gate changes first: a caller that then finds no slot left looks at it again.
                lacks_slot = machine.admits(at) && !slot.take_after([&] { published_.open_gate(); });
                const Effect result = lacks_slot ? Effect{} : machine.admit(at, unnamed);
                decided = word_locked();
                left = machine.wait();
                return result;
            });
            if (effect && lacks_slot) return Admission::without_slot(decided);
            if (effect) return effect->was_taken ? Admission{decided} : refuse(decided, left, at);
            seen = word();
            at = now();
        }
    }

    using Effect = typename Machine::Effect;

    /// Leaves a success for later, where that makes no difference. It then counts in the generation.
    [[nodiscard]] bool leave_success(std::uint64_t generation,
                                     [[maybe_unused]] const CallReport& report) noexcept {
        return stripes_.leave_success([&] {
            if constexpr (JudgesSlowCalls<P>) {
                if (!report.is_quick(slow_after())) return false;
            }
            if constexpr (EndsBatches<typename P::Tally>) {
                if (report.at.time_since_epoch().count() >= batch_ends_.load(std::memory_order_relaxed))
                    return false;
            }
            return generation == any_generation || generation == word().generation();
        });
    }

    /// Records what cannot be left, judged by the policy that is in force under the lock, whatever was
    /// seen before; or nothing when the breaker had moved on since it was `seen`.
    [[nodiscard, gnu::noinline]] std::optional<Effect>
    record(BreakerWord seen, std::uint64_t generation, CallReport& report) noexcept {
        const bool needs_end =
            !Machine::foresees_opening || seen.state() == State::half_open || keeps_history_;
        if (needs_end && !report.is_timed) report.end(now());
        for (;;) {
            const auto effect = change(seen, [&](Machine& machine) -> Effect {
                const bool is_slow = !report.is_quick(machine.slow_after());
                if (is_slow && !report.is_measured()) return {.lacks_time = true};
                return machine.record(generation, {report.failed, is_slow, report.at}, report.is_timed);
            });
            if (!effect || !effect->lacks_time) return effect;
            report.end(now());
        }
    }

    /// The effect, or nothing when the breaker had moved on since it was `seen`.
    [[gnu::noinline]] std::optional<Effect> give_back(std::uint64_t generation,
                                                      BreakerWord seen) noexcept {
        if (seen.state() != State::half_open) return Effect{true}; // no place was taken
        const Instant at = keeps_history_ ? now() : Instant{};
        return change(seen, [&](Machine& machine) { return machine.give_back(generation, at); });
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
        TransitionOutlets::Delivery delivery;
        Effect effect;
        {
            UpToDate machine{*this};
            if (machine->generation() != seen.generation()) return std::nullopt;
            effect = f(*machine);
            machine->use_chance(process_chance);
            published_.publish(word_locked(), machine->wait());
            if (effect.moved_by && outlets_.are_open()) {
                const Snapshot now = snapshot_locked(machine->since());
                delivery = outlets_.push(
                    {seen.state(), now.state, now.generation, *effect.moved_by, now.since, now});
            }
        }
        delivery.run();
        return effect;
    }

    [[nodiscard]] BreakerWord word_locked() const noexcept {
        return {machine_.generation(), machine_.state(), machine_.is_quiet()};
    }

    [[nodiscard]] Snapshot snapshot_locked(Instant at) const noexcept {
        Snapshot seen = machine_.snapshot(at);
        seen.ignored = stripes_.ignored();
        seen.refused = stripes_.refused();
        return seen;
    }

    [[nodiscard]] std::shared_ptr<Channel> channel() {
        const std::lock_guard lock{mutex_};
        return outlets_.own();
    }

    [[no_unique_address]] const C clock_;

    // Written by who records something that counts: a line of its own, away from the word. Mutable,
    // since who reads the machine first tells it what lies in the stripes.
    alignas(cache_line) mutable threading::mutex mutex_;
    mutable Machine machine_;   // guarded by mutex_
    TransitionOutlets outlets_; // guarded by mutex_

    // Read by every caller, written only when something changes.
    alignas(cache_line) PublishedState published_; // written under mutex_
    // Written under mutex_, while no stripe is open: who leaves a success reads those of its opening.
    mutable threading::atomic<std::int64_t> batch_ends_{0};
    threading::atomic<std::int64_t> slow_after_; // nanoseconds
    const bool keeps_history_;

    // While a thread empties its full stripe, the others find theirs shut and wait for the lock. Where
    // batches end with the time anyway, a stripe is hardly ever full.
    mutable CallStripes<EndsBatches<typename P::Tally> ? 24 : 8> stripes_;
};

} // namespace dashpot::inline DASHPOT_ABI::detail

#endif
