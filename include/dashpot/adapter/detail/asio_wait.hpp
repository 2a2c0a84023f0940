// SPDX-License-Identifier: MIT
#ifndef DASHPOT_ADAPTER_DETAIL_ASIO_WAIT_HPP
#define DASHPOT_ADAPTER_DETAIL_ASIO_WAIT_HPP

#include <dashpot/core/abi.hpp>
#include <dashpot/core/clock.hpp>
#include <dashpot/core/deadline.hpp>
#include <dashpot/core/duration.hpp>
#include <dashpot/guard/detail/queue_core.hpp>
#include <dashpot/guard/waiter.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

// The template parameter L of the headers asio_*.hpp is the library: StandaloneAsio or BoostAsio. So
// they include neither, and one program may use both. Ex is the executor of an awaitable.

namespace dashpot::inline DASHPOT_ABI::detail {

/// Makes an object whose memory the library's threads recycle.
template <class L, class Object, class... Args>
[[nodiscard]] std::shared_ptr<Object> recycled(Args&&... args) {
    return std::allocate_shared<Object>(typename L::template Allocator<Object>{},
                                        std::forward<Args>(args)...);
}

/// Lets a timer go off when `clock` shows `at`, or some time before: the clock is to be read again.
///
/// A timer measures the time of SteadyClock. A clock with another time is read every millisecond,
/// because only the clock knows how its time passes.
template <Clock C, class Timer>
void set_timer(Timer& timer, const C& clock, Instant at) {
    const std::chrono::nanoseconds longest =
        std::same_as<C, SteadyClock> || std::same_as<C, CoarseSteadyClock>
            ? std::chrono::nanoseconds{std::chrono::hours{1}}
            : std::chrono::nanoseconds{std::chrono::milliseconds{1}};
    timer.expires_after(std::chrono::ceil<std::chrono::steady_clock::duration>(
        (std::min)(between(read(clock), at), longest)));
}

/// Waits in a QueuedBulkhead for one call, without a thread.
///
/// **Contract.** The call waits for timer(). The waiter's answer cancels the timer, through the
/// executor. abandon() gives the slot back, whether it has come already or comes later.
/// **Threads.** The executor runs one function at a time. The bulkhead may call from any thread.
template <class L, class Ex>
class AsioQueuePlace final : public Waiter, public std::enable_shared_from_this<AsioQueuePlace<L, Ex>> {
  public:
    AsioQueuePlace(const Ex& executor, QueueCore& queue)
        : executor_{executor}, queue_{queue}, timer_{executor} {}

    /// Joins the queue. The answer may come inside.
    void join(Deadline latest) {
        kept_ = this->shared_from_this();
        queue_.enqueue(*this, latest);
        int seen = joining;
        progress_.compare_exchange_strong(seen, waiting, std::memory_order_acq_rel);
    }

    [[nodiscard]] auto& timer() noexcept { return timer_; }
    [[nodiscard]] bool is_answered() const noexcept {
        const int progress = progress_.load(std::memory_order_acquire);
        return progress == answering || progress == answered;
    }
    [[nodiscard]] QueuePermit take_slot() noexcept { return std::move(slot_); }
    [[nodiscard]] const std::optional<Refusal>& refusal() const noexcept { return refusal_; }

    /// Sets the timer to the end of the wait; without one, to some later time.
    void set_timer() {
        const Instant now = queue_.now();
        std::chrono::nanoseconds length = queue_.longest_sleep();
        if (const auto end = queue_.next_expiry(*this)) length = (std::min)(length, between(now, *end));
        timer_.expires_after(std::chrono::ceil<std::chrono::steady_clock::duration>(length));
    }
    void expire() noexcept { queue_.expire(queue_.now()); }

    /// The call no longer waits.
    void abandon() noexcept {
        if (!is_answered() && queue_.withdraw(*this)) {
            kept_.reset();
            return;
        }
        // The bulkhead calls, on this thread later or on another one now. That thread may be about to
        // use the executor, which must not be gone before.
        int seen = waiting;
        if (progress_.compare_exchange_strong(seen, abandoned, std::memory_order_acq_rel)) return;
        while (seen == answering) {
            progress_.wait(answering, std::memory_order_acquire);
            seen = progress_.load(std::memory_order_acquire);
        }
        slot_.release();
    }

    void granted(QueuePermit slot) noexcept override {
        answer([&] { slot_ = std::move(slot); });
    }
    void refused(Refusal refusal) noexcept override {
        answer([&] { refusal_ = refusal; });
    }

  private:
    enum Progress : int { joining, waiting, answering, answered, abandoned };

    template <class Keep>
    void answer(Keep keep) noexcept {
        const auto self = std::move(kept_);
        keep();
        int seen = joining; // if join() has not returned, it sees the answer, and nothing needs waking
        if (progress_.compare_exchange_strong(seen, answered, std::memory_order_acq_rel)) return;
        if (seen == waiting &&
            progress_.compare_exchange_strong(seen, answering, std::memory_order_acq_rel)) {
            L::post(executor_, [self] { self->timer_.cancel(); });
            // Pairs with the acquire loads in is_answered() and abandon().
            progress_.store(answered, std::memory_order_release);
            progress_.notify_all();
        } else {
            slot_.release(); // abandoned
        }
    }

    Ex executor_;
    QueueCore& queue_;
    typename L::template Timer<Ex> timer_;
    std::shared_ptr<AsioQueuePlace> kept_{}; // until the bulkhead has answered
    QueuePermit slot_{};
    std::optional<Refusal> refusal_{};
    std::atomic<int> progress_{joining};
};

/// Abandons a place in a queue when the call ends or is destroyed.
template <class Place>
class PlaceKeeper {
  public:
    explicit PlaceKeeper(std::shared_ptr<Place> place) noexcept : place_{std::move(place)} {}
    PlaceKeeper(const PlaceKeeper&) = delete;
    PlaceKeeper& operator=(const PlaceKeeper&) = delete;
    ~PlaceKeeper() { place_->abandon(); }
    [[nodiscard]] Place* operator->() const noexcept { return place_.get(); }

  private:
    std::shared_ptr<Place> place_;
};

} // namespace dashpot::inline DASHPOT_ABI::detail

#endif
