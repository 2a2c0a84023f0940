// SPDX-License-Identifier: MIT
#ifndef DASHPOT_GUARD_DETAIL_SHARED_MACHINE_HPP
#define DASHPOT_GUARD_DETAIL_SHARED_MACHINE_HPP

#include <dashpot/core/abi.hpp>
#include <dashpot/core/detail/cache_line.hpp>
#include <dashpot/core/detail/process_chance.hpp>
#include <dashpot/core/detail/wait.hpp>
#include <dashpot/core/duration.hpp>
#include <dashpot/core/threading.hpp>
#include <dashpot/guard/breaker_options.hpp>
#include <dashpot/guard/detail/breaker_machine.hpp>
#include <dashpot/guard/detail/breaker_word.hpp>
#include <dashpot/guard/detail/call_report.hpp>
#include <dashpot/guard/detail/call_stripes.hpp>
#include <dashpot/guard/detail/published_state.hpp>
#include <dashpot/guard/detail/transition_outlets.hpp>
#include <dashpot/guard/snapshot.hpp>
#include <dashpot/guard/subscription.hpp>
#include <dashpot/guard/transition.hpp>
#include <dashpot/policy/failure_policy.hpp>
#include <dashpot/policy/next_success.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

namespace dashpot::inline DASHPOT_ABI::detail {

/// A BreakerMachine that threads can share.
///
/// The machine is used under a lock: change() changes it, look() reads it. Two things need no lock.
/// What the machine shows is read from a PublishedState. A success that cannot open the circuit is
/// left in CallStripes; the machine records it before anything else happens to the machine.
///
/// **Contract.** No function that is passed in may call user code: it runs under the lock.
/// **Threads.** Any thread may call each member. Members named _locked need the lock.
template <FailurePolicy P>
class SharedMachine {
  public:
    using Machine = BreakerMachine<P>;
    using Effect = typename Machine::Effect;

    SharedMachine(P policy, const BreakerOptions& options, Instant now)
        : machine_{std::move(policy), options, now, own_seed()}, published_{word_of(machine_)},
          quick_up_to_{machine_.quick_up_to().count()}, keeps_history_{options.history != 0} {}

    SharedMachine(const SharedMachine&) = delete;
    SharedMachine& operator=(const SharedMachine&) = delete;

    [[nodiscard]] BreakerWord word() const noexcept { return published_.word(); }

    [[nodiscard]] static BreakerWord word_of(const Machine& machine) noexcept {
        return {machine.generation(), machine.state(), machine.next_success() == NextSuccess::skip()};
    }

    /// Returns the wait of a machine whose word was `seen`: see PublishedState.
    [[nodiscard]] std::optional<Wait> wait_of(BreakerWord seen) const noexcept {
        return published_.wait_of(seen);
    }

    /// Hides the wait, in a function that change() calls: see PublishedState.
    void open_gate_locked() noexcept { published_.open_gate(); }

    /// Returns the duration up to which the length of a call does not matter; `never` if no length
    /// matters. It may be another duration a moment later.
    [[nodiscard]] std::chrono::nanoseconds quick_up_to() const noexcept {
        return std::chrono::nanoseconds{quick_up_to_.load(std::memory_order_relaxed)};
    }

    /// Leaves a success for later, if that makes no difference. It then counts in `generation`.
    /// @return false: nothing was left
    [[nodiscard]] bool leave_success(std::uint64_t generation,
                                     [[maybe_unused]] const CallReport& report) noexcept {
        return stripes_.leave_success([&] {
            if constexpr (TimesCalls<P>) {
                if (!report.is_quick(quick_up_to())) return false;
            }
            if constexpr (CountsUntil<typename P::Tally>) {
                if (report.at.time_since_epoch().count() >= batch_ends_.load(std::memory_order_relaxed))
                    return false;
            }
            return generation == Machine::any_generation || generation == word().generation();
        });
    }

    void count_refused() noexcept { stripes_.count_refused(); }
    void count_ignored() noexcept { stripes_.count_ignored(); }

    /// Calls `f` with the machine under the lock, and returns its result.
    template <class F>
    auto look(F&& f) const noexcept {
        const UpToDate machine{*this};
        return f(std::as_const(*machine));
    }

    [[nodiscard]] Snapshot snapshot(Instant at) const noexcept {
        return look([&](const Machine& machine) { return snapshot_of(machine, at); });
    }

    /// The one way to change anything. Calls `f` with the machine under the lock, publishes the result
    /// before the lock is released, and announces it afterwards. It does not touch the machine after
    /// that: a listener may destroy it.
    ///
    /// Nothing happens, and nothing is returned, if the machine is no longer in the generation of
    /// `seen`. The time that the caller read after it had seen the word may then be older than the
    /// state, and a wait that began at that time would be too short. The caller must start again.
    template <class F>
    std::optional<Effect> change(BreakerWord seen, F&& f) noexcept {
        TransitionOutlets::Delivery delivery;
        Effect effect;
        {
            UpToDate machine{*this};
            if (machine->generation() != seen.generation()) return std::nullopt;
            effect = f(*machine);
            machine->use_chance(process_chance);
            published_.publish(word_of(*machine), machine->wait());
            if (effect.moved_by && outlets_.are_open()) {
                const Snapshot now = snapshot_of(*machine, machine->since());
                delivery = outlets_.push(
                    {seen.state(), now.state, now.generation, *effect.moved_by, now.since, now});
            }
        }
        delivery.run();
        return effect;
    }

    /// Changes policy and options in a function that change() calls.
    Effect reconfigure_locked(RuleInForce<P>& rule, const BreakerOptions& options, Instant at) noexcept
        requires CanBeReconfigured<P>
    {
        const Effect effect = machine_.reconfigure(rule, options, at);
        quick_up_to_.store(machine_.quick_up_to().count(), std::memory_order_relaxed);
        return effect;
    }

    [[nodiscard]] bool keeps_history() const noexcept { return keeps_history_; }
    [[nodiscard]] std::size_t history_size() const noexcept { return machine_.history_size(); }

    [[nodiscard]] Subscription subscribe(std::function<void(const Transition&)> listener) {
        return TransitionOutlets::Channel::subscribe(channel(), std::move(listener));
    }

    /// Passes each transition on to `sink` too.
    void forward_to(std::shared_ptr<TransitionSink> sink) noexcept {
        const std::lock_guard lock{mutex_};
        outlets_.set_sink(std::move(sink));
    }

    [[nodiscard]] std::size_t listeners() const noexcept {
        const std::lock_guard lock{mutex_};
        return outlets_.listeners();
    }

  private:
    /// The machine under the lock, for as long as this exists. The machine has recorded all successes
    /// that were left in the stripes. The stripes are shut until the end, and open again if the machine
    /// then allows it: further successes may be left until the next change.
    class UpToDate {
      public:
        explicit UpToDate(const SharedMachine& machine) noexcept
            : lock_{machine.mutex_}, shared_{machine} {
            shared_.machine_.record_successes(shared_.stripes_.collect());
        }
        UpToDate(const UpToDate&) = delete;
        UpToDate& operator=(const UpToDate&) = delete;
        ~UpToDate() { shared_.reopen_locked(); }

        [[nodiscard]] Machine& operator*() const noexcept { return shared_.machine_; }
        [[nodiscard]] Machine* operator->() const noexcept { return &shared_.machine_; }

      private:
        const std::lock_guard<threading::mutex> lock_;
        const SharedMachine& shared_;
    };

    void reopen_locked() const noexcept {
        const NextSuccess next = machine_.next_success();
        switch (next.kind()) {
        case NextSuccess::Kind::record:
        case NextSuccess::Kind::skip: return stripes_.stay_shut();
        case NextSuccess::Kind::count: break;
        }
        if constexpr (CountsUntil<typename P::Tally>) {
            const std::int64_t end = next.end().time_since_epoch().count();
            if (batch_ends_.load(std::memory_order_relaxed) != end) { // every caller reads this line
                batch_ends_.store(end, std::memory_order_relaxed);
            }
        }
        stripes_.open();
    }

    /// Differs between breakers, and between processes that start together.
    [[nodiscard]] std::uint64_t own_seed() const noexcept {
        return static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(this)) ^ process_chance();
    }

    [[nodiscard]] Snapshot snapshot_of(const Machine& machine, Instant at) const noexcept {
        Snapshot seen = machine.snapshot(at);
        seen.ignored = stripes_.ignored();
        seen.refused = stripes_.refused();
        return seen;
    }

    [[nodiscard]] std::shared_ptr<TransitionOutlets::Channel> channel() {
        const std::lock_guard lock{mutex_};
        return outlets_.own();
    }

    // Written by calls that record something: a line of its own, away from the word. Mutable, because
    // a thread that reads the machine first records the successes that were left.
    alignas(cache_line) mutable threading::mutex mutex_;
    mutable Machine machine_;   // guarded by mutex_
    TransitionOutlets outlets_; // guarded by mutex_

    // Read by every caller, written under mutex_ when something changes.
    alignas(cache_line) PublishedState published_;
    // Written while all stripes are shut: a thread that leaves a success reads the value that belongs
    // to the opening of its stripe.
    mutable threading::atomic<std::int64_t> batch_ends_{0};
    threading::atomic<std::int64_t> quick_up_to_; // nanoseconds
    const bool keeps_history_;

    // While a thread empties its full stripe, the others find theirs shut and wait for the lock. If
    // answers end with time, a stripe is hardly ever full.
    mutable CallStripes<CountsUntil<typename P::Tally> ? 24 : 8> stripes_;
};

} // namespace dashpot::inline DASHPOT_ABI::detail

#endif
