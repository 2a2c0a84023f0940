// SPDX-License-Identifier: MIT
#ifndef DASHPOT_GUARD_RATE_LIMITER_HPP
#define DASHPOT_GUARD_RATE_LIMITER_HPP

#include <dashpot/core/abi.hpp>
#include <dashpot/core/clock.hpp>
#include <dashpot/core/deadline.hpp>
#include <dashpot/core/detail/sleep.hpp>
#include <dashpot/core/duration.hpp>
#include <dashpot/core/error.hpp>
#include <dashpot/guard/detail/rate_core.hpp>
#include <dashpot/guard/detail/rate_permit.hpp>
#include <dashpot/guard/detail/waiting_line.hpp>
#include <dashpot/policy/rate_limit.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <stop_token>
#include <utility>

namespace dashpot::inline DASHPOT_ABI {

/// Limits how many calls are started: `permits` per `per`, and up to `burst` at once.
///
///     dashpot::RateLimiter<> limiter{{.permits = 100, .per = 1s, .burst = 20}};
///     if (auto permit = limiter.try_acquire()) send(request);
///     else reply_busy(permit.refusal().retry_after);
///
/// **Contract.** A token bucket that is full at the start and is refilled continuously, as RateLimit
/// says: exactly, without drift.
/// - A request for more than the burst is never granted. A request for 0 permits is granted and takes
///   nothing.
/// - A refusal takes nothing and delays no other request. Its `retry_after` is exact: if no other
///   request comes, the same request is granted then, and refused one nanosecond earlier.
/// - Reservations and waiting threads have their permits in the order in which they came. A later
///   try_acquire() does not overtake them.
/// - If the clock steps back, time stands still for the limiter until the clock has caught up.
///
/// **Threads.** Every member may be called from any thread at any time. No code of the user runs under
/// a lock, except the clock's now().
/// **Cost.** try_acquire() reads the clock once; granted, it needs one compare-exchange; refused, it
/// writes only the counter. Everything else takes a mutex, and so does try_acquire() if one word cannot
/// hold the state: if permits / gcd(permits, per in ns) is above 64, or for a bucket that takes longer
/// than 2 years to fill.
/// **Errors.** The constructor and reconfigure() throw std::invalid_argument that names the field out
/// of range.
///
/// @tparam C  a Clock; give a testing::ManualClock to drive it from a test
template <Clock C = SteadyClock>
class RateLimiter {
  public:
    using clock_type = C;

    /// The answer to a request: true if it was granted. There is nothing to give back.
    using Permit = detail::RatePermit;

    class Reservation;

    /// All numbers of one instant: `limit`, `available`, `waiting` and `refused`, as the functions of
    /// these names return them.
    using Snapshot = detail::RateCore::Snapshot;

    explicit RateLimiter(RateLimit limit = {}, C clock = C{})
        : core_{limit, detail::read(clock)}, clock_{std::move(clock)} {}

    RateLimiter(const RateLimiter&) = delete;
    RateLimiter& operator=(const RateLimiter&) = delete;

    /// Takes permits if they can be had now.
    [[nodiscard]] Permit try_acquire(std::uint32_t permits = 1) noexcept {
        const std::uint64_t word = core_.load();
        return core_.try_acquire(word, now(), permits);
    }

    /// Takes permits that can be had within `max_wait`, and returns how long the caller must wait
    /// before it uses them. Otherwise it takes nothing. It does not wait itself.
    ///
    /// **Errors.** The `retry_after` of a refusal is the time after which the same call would succeed.
    [[nodiscard]] Reservation reserve(Nanoseconds max_wait, std::uint32_t permits = 1) noexcept {
        const auto [promise, answer] = core_.reserve(now(), max_wait, permits);
        return Reservation{*this, promise, answer};
    }

    /// Waits on this thread until the permits can be had, at most until `deadline`.
    ///
    /// **Contract.** The thread holds a place, not a time: after a reconfigure() it goes by the new
    /// rate. If a thread before it stops waiting, it moves up. A grant exactly at the deadline is in
    /// time. If the permits cannot be had in time, the thread is refused at once.
    /// **Cost.** A clock with a sleep_until() of its own costs an allocation for each wait.
    /// **Errors.** `deadline_exceeded`, with the time after which try_acquire() would be granted;
    /// `cancelled` if `stop` is requested before the permits can be had; `rate_limited` for more
    /// permits than the burst.
    [[nodiscard]] Permit acquire(Deadline deadline, std::stop_token stop = {},
                                 std::uint32_t permits = 1);

    /// Returns the number of whole permits that can be taken now.
    [[nodiscard]] std::uint32_t available() const noexcept { return snapshot().available; }

    /// Returns the number of requests that were refused so far, whatever the reason.
    [[nodiscard]] std::uint64_t refused() const noexcept { return core_.refused(); }

    /// Returns the number of threads that wait in acquire().
    [[nodiscard]] std::uint32_t waiting() const noexcept { return snapshot().waiting; }

    /// Returns the limit, as it was given.
    [[nodiscard]] RateLimit limit() const noexcept { return snapshot().limit; }

    /// Returns all numbers.
    [[nodiscard]] Snapshot snapshot() const noexcept { return core_.snapshot(now()); }

    /// Continues with another limit.
    ///
    /// **Contract.** The old limit holds up to now. Permits that are saved up are kept, at most the new
    /// burst; a bigger burst adds none. Permits that are promised stay promised, as a number; what a
    /// Reservation was promised stays as it is. Equal values change nothing. A thread that waits for
    /// more permits than the new burst is refused.
    void reconfigure(RateLimit limit) { core_.reconfigure(limit, now()); }

  private:
    [[nodiscard]] Instant now() const noexcept { return detail::read(clock_); }

    /// Only a clock with a sleep_until() of its own needs one.
    [[nodiscard]] static std::stop_source source_of_changes() {
        if constexpr (detail::SleepingClock<C>) {
            // On the heap: g++ 12 takes one on the stack for uninitialized.
            const auto source = std::make_unique<std::stop_source>();
            return *source;
        } else {
            return std::stop_source{std::nostopstate};
        }
    }

    /// Gives the place up if an exception of the clock ends the wait.
    class PlaceInLine {
      public:
        PlaceInLine(RateLimiter& limiter, std::uint32_t permits) noexcept : limiter_{limiter} {
            place.permits = permits;
        }
        PlaceInLine(const PlaceInLine&) = delete;
        PlaceInLine& operator=(const PlaceInLine&) = delete;
        ~PlaceInLine() {
            if (is_waiting) limiter_.core_.leave(place, limiter_.now());
        }
        detail::WaitingPlace place;
        bool is_waiting = false;

      private:
        RateLimiter& limiter_;
    };

    detail::RateCore core_;
    [[no_unique_address]] C clock_;
};

/// Permits that were taken for later.
///
/// **Contract.** It is true in a condition if the permits were taken: the caller may use them once
/// wait() has passed since reserve() returned. Destroying it gives nothing back.
/// **Threads.** It may move between threads; one thread at a time may use it. It must not outlive its
/// limiter.
template <Clock C>
class [[nodiscard]] RateLimiter<C>::Reservation {
  public:
    Reservation(Reservation&& other) noexcept
        : limiter_{other.limiter_}, promise_{std::exchange(other.promise_, {})},
          answer_{other.answer_} {}
    Reservation& operator=(Reservation&& other) noexcept {
        limiter_ = other.limiter_;
        const Promise moved = std::exchange(other.promise_, {});
        promise_ = moved;
        answer_ = other.answer_;
        return *this;
    }
    ~Reservation() = default;

    /// Returns true if the permits were taken.
    [[nodiscard]] explicit operator bool() const noexcept { return static_cast<bool>(answer_); }

    /// Returns why they were not. It may only be called for a reservation that was refused.
    [[nodiscard]] Refusal refusal() const noexcept { return answer_.refusal(); }

    /// Returns how long to wait, from the reservation on. It is 0 if the permits can be used at once.
    [[nodiscard]] std::chrono::nanoseconds wait() const noexcept { return promise_.wait.length; }

    /// Gives the permits back, if that is possible.
    ///
    /// **Contract.** It is possible once, before the wait is over, and only for the newest reservation
    /// that was not given back. An older one is forfeited: later reservations already count on its
    /// permits being used, and giving them to others would exceed the limit.
    /// @return true if the permits were given back
    bool cancel() noexcept {
        const std::uint64_t ticket = std::exchange(promise_.ticket, 0);
        if (ticket == 0) return false;
        Promise promise = promise_;
        promise.ticket = ticket;
        return limiter_->core_.cancel(promise, limiter_->now());
    }

  private:
    friend class RateLimiter;
    using Promise = detail::RateCore::Promise;
    Reservation(RateLimiter& limiter, const Promise& promise, const Permit& answer) noexcept
        : limiter_{&limiter}, promise_{promise}, answer_{answer} {}

    RateLimiter* limiter_;
    Promise promise_;
    Permit answer_;
};

template <Clock C>
auto RateLimiter<C>::acquire(Deadline deadline, std::stop_token stop, std::uint32_t permits) -> Permit {
    if (stop.stop_requested()) return core_.refused(Error::cancelled);
    if (permits == 0) return Permit{};
    std::stop_source changed = source_of_changes();
    PlaceInLine mine{*this, permits};
    detail::RateCore::Look look = core_.enter(mine.place, now(), deadline, changed);
    if (look.answer) return *look.answer;
    mine.is_waiting = true;
    const auto wait_until_answered = [&](auto sleep) {
        while (!look.answer) {
            sleep();
            look = core_.look(mine.place, now(), deadline, stop.stop_requested(), changed);
        }
        mine.is_waiting = false;
        return *look.answer;
    };
    if constexpr (detail::SleepingClock<C>) {
        return wait_until_answered([&] {
            std::stop_source over;
            const std::stop_callback on_stop{stop, [&over] { over.request_stop(); }};
            const std::stop_callback on_change{look.changed, [&over] { over.request_stop(); }};
            detail::sleep_until(clock_, look.due, over.get_token());
            if (!changed.stop_possible()) changed = source_of_changes();
        });
    } else {
        static_assert(!detail::SleepsOnlyIfMutable<C>,
                      "sleep_until() of a clock must be const, as its now() is");
        const std::stop_callback on_stop{stop, [this] { core_.wake_all(); }};
        return wait_until_answered(
            [&] { core_.sleep(detail::between(now(), look.due), look.change, stop); });
    }
}

} // namespace dashpot::inline DASHPOT_ABI

#endif
