// SPDX-License-Identifier: MIT
#ifndef DASHPOT_GUARD_QUEUED_BULKHEAD_HPP
#define DASHPOT_GUARD_QUEUED_BULKHEAD_HPP

#include <dashpot/core/abi.hpp>
#include <dashpot/core/clock.hpp>
#include <dashpot/core/deadline.hpp>
#include <dashpot/core/detail/sleep.hpp>
#include <dashpot/core/duration.hpp>
#include <dashpot/guard/detail/queue_core.hpp>
#include <dashpot/guard/queue_options.hpp>
#include <dashpot/guard/waiter.hpp>

#include <chrono>
#include <concepts>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <utility>

namespace dashpot::inline DASHPOT_ABI {

namespace detail {

/// Gives the core of a QueuedBulkhead, whatever its clock is, to code that waits without a thread.
struct QueueAccess {
    template <class Bulkhead>
    [[nodiscard]] static QueueCore& core_of(Bulkhead& bulkhead) noexcept {
        return bulkhead;
    }
};

} // namespace detail

/// Limits how many calls are in flight at once, and lets a bounded number of callers wait for a slot
/// for a bounded time.
///
///     dashpot::QueuedBulkhead<> hull{{.max_concurrent = 10, .max_queued = 20, .max_wait = 200ms}};
///     if (auto slot = hull.acquire(dashpot::Deadline::after(2s))) write_to(target);
///
/// **Contract.** There are never more calls in flight than the limit at the time they were admitted.
/// A freed slot goes to a waiter in the same step, and no caller overtakes those that wait. Refusals:
/// - `bulkhead_full`: try_acquire() found no free slot;
/// - `queue_full`: `max_queued` callers wait already. Under fifo the newcomer is refused, under lifo
///   the caller that has waited longest;
/// - `queue_timeout`: the caller waited for `max_wait`, or for longer than ControlledDelay::target
///   during an overload;
/// - `deadline_exceeded`: the deadline came first. If it has passed already, the caller is refused at
///   once, also if a slot is free;
/// - `cancelled`: a stop was requested, before or during the wait.
///
/// It must outlive its permits, the threads that wait, and the calls of its waiters. Its destructor
/// refuses Waiters that still wait, with `cancelled`.
/// **Threads.** Every member may be called from any thread at any time. Waiters are called outside
/// every lock. A waiter's function that leads to further calls does not recurse.
/// **Cost.** If a slot is free and no caller waits: two compare-exchanges per call, no lock, and a
/// clock reading only for a deadline. Otherwise a lock and a clock reading. expire(), next_expiry(),
/// and joining a full queue look at every waiter. Nothing allocates.
/// **Errors.** The constructor and reconfigure() refuse what QueueOptions::validate() refuses.
/// **Source.** M. Nygard, *Release It!*, 2nd ed., "Bulkheads"; ControlledDelay names its own.
///
/// @tparam C  a Clock. With a clock that is not SteadyClock or CoarseSteadyClock, a waiting thread
///            reads the clock every few milliseconds, because only the clock knows how its time passes.
///            If a clock with a sleep_until(), such as ManualClock, stands still for a quarter of a
///            second, the waiting thread moves it: the wait ends, and does not hang
template <Clock C = SteadyClock>
class QueuedBulkhead final : private detail::QueueCore {
  public:
    using clock_type = C;
    using Permit = QueuePermit;
    using Waiter = ::dashpot::Waiter;

    explicit QueuedBulkhead(QueueOptions options = {}, C clock = C{})
        : QueueCore{options, longest_sleep, longest_stand}, clock_{std::move(clock)} {}
    ~QueuedBulkhead() { close(); }

    QueuedBulkhead(const QueuedBulkhead&) = delete;
    QueuedBulkhead& operator=(const QueuedBulkhead&) = delete;

    /// Takes a slot if one is free and no caller waits. Never waits.
    [[nodiscard]] Permit try_acquire() noexcept { return QueueCore::try_acquire(); }

    /// Takes a slot, or waits for one on this thread: until `max_wait` or the deadline, or until a stop
    /// is requested.
    [[nodiscard]] Permit acquire(Deadline deadline = {}, std::stop_token stop = {}) {
        return QueueCore::acquire(deadline, stop);
    }

    /// Lets `waiter` wait for a slot, without blocking. It is called at once, inside enqueue(), if a
    /// slot is free or if it is refused at once; inside a Waiter's function it is called after that
    /// function. Time-outs are delivered by expire(), and by every call that hands a slot over.
    ///
    /// **Contract.** The waiter does not wait in any bulkhead already.
    void enqueue(Waiter& waiter, Deadline deadline = {}) noexcept {
        QueueCore::enqueue(waiter, deadline);
    }

    /// Takes `waiter` out of the queue.
    ///
    /// @return true if the waiter is not called, now or later. false if it was called, or will be,
    ///         perhaps on another thread: it must stay alive until then
    bool withdraw(Waiter& waiter) noexcept { return QueueCore::withdraw(waiter); }

    /// Refuses every caller that has waited too long at `now`. The owner of a timer calls it.
    void expire(Instant now) noexcept { QueueCore::expire(now); }

    /// Returns when expire() is to be called next, or nothing if no caller's wait ends by time.
    [[nodiscard]] std::optional<Instant> next_expiry() const noexcept {
        return QueueCore::next_expiry();
    }

    /// As above, for `waiter` alone, which waits. Code that arms a timer for each waiter needs it.
    [[nodiscard]] std::optional<Instant> next_expiry(const Waiter& waiter) const noexcept {
        return QueueCore::next_expiry(waiter);
    }

    /// Calls in flight. After a shrink they may be more than the limit until enough of them end.
    [[nodiscard]] std::uint32_t in_flight() const noexcept { return QueueCore::in_flight(); }

    /// Slots free now. 0 while a caller waits.
    [[nodiscard]] std::uint32_t available() const noexcept { return QueueCore::available(); }

    /// The limit of calls in flight.
    [[nodiscard]] std::uint32_t max_concurrent() const noexcept { return QueueCore::max_concurrent(); }

    /// Callers that wait now.
    [[nodiscard]] std::uint32_t queued() const noexcept { return QueueCore::queued(); }

    /// Callers refused, for any reason, over the bulkhead's life.
    [[nodiscard]] std::uint64_t refused() const noexcept { return QueueCore::refused(); }

    /// The options in force.
    [[nodiscard]] QueueOptions options() const noexcept { return QueueCore::options(); }

    /// Changes the limit of calls in flight. Never blocks. Growing gives each new slot to a waiter;
    /// shrinking interrupts no call.
    void resize(std::uint32_t max_concurrent) noexcept { QueueCore::resize(max_concurrent); }

    /// Changes all options in one step. The new ones apply to callers that wait already, counted from
    /// when they began to wait; none is refused because the queue has become shorter.
    void reconfigure(QueueOptions options) { QueueCore::reconfigure(options); }

  private:
    friend struct detail::QueueAccess;

    // A condition variable measures the time of these clocks. Other clocks must be read.
    static constexpr std::chrono::nanoseconds longest_sleep =
        std::same_as<C, SteadyClock> || std::same_as<C, CoarseSteadyClock>
            ? std::chrono::nanoseconds{std::chrono::hours{1}}
            : std::chrono::nanoseconds{std::chrono::milliseconds{2}};

    static constexpr std::chrono::nanoseconds longest_stand =
        detail::SleepingClock<C> ? std::chrono::nanoseconds{std::chrono::milliseconds{250}}
                                 : (std::chrono::nanoseconds::max)();

    [[nodiscard]] Instant now() const noexcept override { return detail::read(clock_); }
    void pass_time(Instant until, const std::stop_token& stop) const override {
        if constexpr (detail::SleepingClock<C>) detail::sleep_until(clock_, until, stop);
    }

    [[no_unique_address]] C clock_;
};

} // namespace dashpot::inline DASHPOT_ABI

#endif
