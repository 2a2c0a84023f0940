// SPDX-License-Identifier: MIT
#ifndef DASHPOT_GUARD_THROTTLER_HPP
#define DASHPOT_GUARD_THROTTLER_HPP

#include <dashpot/core/abi.hpp>
#include <dashpot/core/by_exception.hpp>
#include <dashpot/core/clock.hpp>
#include <dashpot/core/detail/cache_line.hpp>
#include <dashpot/core/detail/exception_watch.hpp>
#include <dashpot/core/duration.hpp>
#include <dashpot/core/error.hpp>
#include <dashpot/core/outcome.hpp>
#include <dashpot/core/result.hpp>
#include <dashpot/core/threading.hpp>
#include <dashpot/guard/detail/admitted_call.hpp>
#include <dashpot/guard/detail/call_stripes.hpp>
#include <dashpot/policy/throttle.hpp>

#include <atomic>
#include <chrono>
#include <concepts>
#include <cstdint>
#include <mutex>
#include <type_traits>
#include <utility>

namespace dashpot::inline DASHPOT_ABI {

/// All numbers of a Throttler, of one instant.
struct ThrottlerSnapshot {
    Throttle options{};
    std::uint64_t requests = 0;    ///< In the window, with those that were refused here.
    std::uint64_t accepts = 0;     ///< In the window: the successes.
    double refuse_probability = 0; ///< The share of the next calls that is refused.
    std::uint64_t refused = 0;     ///< Calls that were refused so far.
};

/// Refuses a share of the calls while the target refuses or fails many, so that it can recover.
///
///     dashpot::Throttler<> throttler{{.accepts_factor = 2.0}};
///     auto permit = throttler.try_acquire();
///     if (!permit) return cached_reply();
///     permit.record(send(request).status == 503 ? Outcome::failure : Outcome::success);
///
/// **Contract.** Each call is refused with the probability that Throttle states. Which calls are
/// refused is not drawn: the fraction is carried from call to call. Of n calls at a steady probability
/// p, n * p are refused, rounded down or up. Calls that are refused here count as requests, other calls
/// when they are answered; ignored calls count as nothing.
/// **Threads.** Every member may be called from any thread at any time. No code of the user runs under
/// a lock, except the clock's now().
/// **Cost.** While no call can be refused until another call fails, try_acquire() is one load, and a
/// success is one clock reading and one atomic write of the thread's own. Otherwise each is one clock
/// reading, one mutex, and O(`buckets`). Nothing is allocated after construction.
/// **Errors.** The constructor and reconfigure() throw std::invalid_argument that names the field out
/// of range.
/// **Source.** *Site Reliability Engineering*, "Handling Overload".
///
/// @tparam C  a Clock; give a testing::ManualClock to drive it from a test
template <Clock C = SteadyClock>
class Throttler {
  public:
    using clock_type = C;

    class Permit;

    using Snapshot = ThrottlerSnapshot;

    explicit Throttler(Throttle options = {}, C clock = C{})
        : tally_{checked(options)}, options_{options}, clock_{std::move(clock)} {}

    Throttler(const Throttler&) = delete;
    Throttler& operator=(const Throttler&) = delete;

    /// Asks to make one call now.
    [[nodiscard]] Permit try_acquire() noexcept {
        // Acquire: pairs with the release in InHand.
        if (is_calm_.load(std::memory_order_acquire)) return Permit{*this};
        const InHand in_hand{*this};
        if (!tally_.refuses(in_hand.now())) return Permit{*this};
        stripes_.count_refused();
        return Permit{};
    }

    /// Calls `f` if it is not refused, and records how the call ended, as CircuitBreaker::call() does.
    template <class F, class Classify = ByException>
        requires std::invocable<F>
    [[nodiscard]] auto call(F&& f, Classify&& classify = {}) -> Result<std::invoke_result_t<F>> {
        return detail::admitted_call(try_acquire(), std::forward<F>(f), classify);
    }

    /// Returns the probability with which the next call is refused.
    [[nodiscard]] double refuse_probability() const noexcept { return snapshot().refuse_probability; }

    /// Returns the number of calls that were refused so far.
    [[nodiscard]] std::uint64_t refused() const noexcept { return stripes_.refused(); }

    /// Returns the options in force.
    [[nodiscard]] Throttle options() const noexcept { return snapshot().options; }

    /// Returns all numbers.
    [[nodiscard]] Snapshot snapshot() const noexcept {
        const InHand in_hand{*this};
        const Throttle::Tally::Counts counts = tally_.counts(in_hand.now());
        return {options_, counts.requests, counts.accepts, tally_.refuse_probability(in_hand.now()),
                refused()};
    }

    /// Continues with other options. If the buckets have the same length, the part of the window that
    /// fits is kept; otherwise the window starts empty.
    void reconfigure(Throttle options) {
        Throttle::Tally next{checked(options)};
        const InHand in_hand{*this};
        next.take_over(tally_);
        std::swap(tally_, next);
        options_ = options;
    }

  private:
    [[nodiscard]] static const Throttle& checked(const Throttle& options) {
        options.validate();
        return options;
    }

    /// Holds the lock, and the tally with all successes so far.
    class InHand {
      public:
        explicit InHand(const Throttler& of) noexcept : of_{of}, lock_{of.mutex_} {
            now_ = detail::read(of.clock_);
            if (const std::uint64_t left = of.stripes_.collect(); left != 0)
                of.tally_.record_batch(left);
        }
        InHand(const InHand&) = delete;
        InHand& operator=(const InHand&) = delete;
        ~InHand() {
            // Both release: what a thread does after it read them comes after what is in the tally.
            of_.bucket_ends_.store(of_.tally_.bucket_ends().time_since_epoch().count(),
                                   std::memory_order_release);
            const bool is_calm = of_.tally_.is_calm();
            if (is_calm != of_.is_calm_.load(std::memory_order_relaxed))
                of_.is_calm_.store(is_calm, std::memory_order_release);
            of_.stripes_.open();
        }

        [[nodiscard]] Instant now() const noexcept { return now_; }

      private:
        const Throttler& of_;
        std::lock_guard<threading::mutex> lock_;
        Instant now_{};
    };

    void record(Outcome outcome) noexcept {
        if (outcome == Outcome::ignored) return;
        if (outcome == Outcome::success) {
            const std::int64_t now = detail::read(clock_).time_since_epoch().count();
            if (stripes_.leave_success(
                    [&] { return now < bucket_ends_.load(std::memory_order_acquire); }))
                return;
        }
        const InHand in_hand{*this};
        if (outcome == Outcome::success) {
            tally_.record_success(in_hand.now());
        } else {
            tally_.record_failure(in_hand.now());
        }
    }

    alignas(detail::cache_line) mutable threading::atomic<bool> is_calm_{true};
    mutable threading::atomic<std::int64_t> bucket_ends_{0}; // for the successes in the stripes
    mutable detail::CallStripes<32> stripes_;
    mutable threading::mutex mutex_;
    mutable Throttle::Tally tally_; // guarded by mutex_
    Throttle options_;              // guarded by mutex_
    [[no_unique_address]] C clock_;
};

/// The right to make one call, and the duty to record how it ended. It is safe to drop it.
///
/// **Contract.** It is true in a condition while it is granted and unanswered. success(), failure(),
/// ignore() and record() answer it, once: they return true if this was the first answer. If it is
/// destroyed unanswered, the call counts as a failure if an exception unwinds the stack that was thrown
/// after the permit was taken or moved to this thread, and otherwise as ignored.
/// **Threads.** It may move between threads; one thread at a time may use it. It must not outlive its
/// throttler.
template <Clock C>
class [[nodiscard]] Throttler<C>::Permit {
  public:
    Permit(Permit&& other) noexcept
        : throttler_{std::exchange(other.throttler_, nullptr)}, watch_{other.watch_} {
        if (throttler_ != nullptr) watch_.follow();
    }
    Permit& operator=(Permit&& other) noexcept {
        if (this != &other) {
            drop();
            throttler_ = std::exchange(other.throttler_, nullptr);
            watch_ = other.watch_;
            if (throttler_ != nullptr) watch_.follow();
        }
        return *this;
    }
    ~Permit() { drop(); }

    /// Returns true while the permit is granted and unanswered.
    [[nodiscard]] explicit operator bool() const noexcept { return throttler_ != nullptr; }

    /// Returns the reason. It may only be called for a permit that was refused. When the throttler
    /// would admit a call cannot be known.
    [[nodiscard]] Refusal refusal() const noexcept { return {Error::throttled}; }

    /// Records that the target did the work. @return true if this is the first answer
    bool success() noexcept { return record(Outcome::success); }
    /// Records that the call failed. @return true if this is the first answer
    bool failure() noexcept { return record(Outcome::failure); }
    /// Records that the call says nothing about the target. @return true if this is the first answer
    bool ignore() noexcept { return record(Outcome::ignored); }
    /// Records an outcome, for example what a classifier returned. @return true if this is the first
    /// answer
    bool record(Outcome outcome) noexcept {
        Throttler* const throttler = std::exchange(throttler_, nullptr);
        if (throttler == nullptr) return false;
        throttler->record(outcome);
        return true;
    }
    // A throttler does not judge how long a call took.
    bool success(Nanoseconds /*elapsed*/) noexcept { return success(); }
    bool failure(Nanoseconds /*elapsed*/) noexcept { return failure(); }
    bool record(Outcome outcome, Nanoseconds /*elapsed*/) noexcept { return record(outcome); }

    /// Gives the permit back unused, because the call was not made after all.
    void release() noexcept { (void)ignore(); }

  private:
    friend class Throttler;
    Permit() noexcept = default;
    explicit Permit(Throttler& throttler) noexcept : throttler_{&throttler} { watch_.start(); }

    void drop() noexcept {
        if (throttler_ == nullptr) return;
        (void)record(watch_.sees_unwinding() ? Outcome::failure : Outcome::ignored);
    }

    Throttler* throttler_ = nullptr; // null: refused, answered or moved from
    [[no_unique_address]] detail::ExceptionWatch watch_{};
};

} // namespace dashpot::inline DASHPOT_ABI

#endif
