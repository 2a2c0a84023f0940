// SPDX-License-Identifier: MIT
#ifndef DASHPOT_GUARD_DETAIL_EVENT_CHANNEL_HPP
#define DASHPOT_GUARD_DETAIL_EVENT_CHANNEL_HPP

#include <dashpot/core/abi.hpp>
#include <dashpot/core/contract.hpp>
#include <dashpot/core/detail/waiting_threads.hpp>
#include <dashpot/core/threading.hpp>
#include <dashpot/guard/detail/listener_list.hpp>
#include <dashpot/guard/subscription.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <new>
#include <utility>

namespace dashpot::inline DASHPOT_ABI::detail {

/// First in, first out; room for 16 from the start, doubled when that is not enough. What was added is
/// given back once the queue is empty.
///
/// It has an array of its own: a std::vector that grows and shrinks takes a compiler five times as
/// long, for each type of event.
template <class Event>
class EventQueue {
  public:
    EventQueue() : slots_{new Event[room]} {}
    EventQueue(const EventQueue&) = delete;
    EventQueue& operator=(const EventQueue&) = delete;
    ~EventQueue() { delete[] slots_; }

    [[nodiscard]] bool is_empty() const noexcept { return size_ == 0; }

    /// Allocates only when every slot is taken; out of memory then ends the program, since an event
    /// must not be lost and its cause has already happened.
    void push(Event event) noexcept {
        if (size_ == capacity_) grow();
        slots_[(head_ + size_) % capacity_] = std::move(event);
        ++size_;
    }

    [[nodiscard]] Event pop() noexcept {
        Event event = std::move(slots_[head_]);
        slots_[head_] = Event{};
        head_ = (head_ + 1) % capacity_;
        --size_;
        if (size_ == 0 && capacity_ != room) shrink();
        return event;
    }

    /// How many events fit without another allocation.
    [[nodiscard]] std::size_t capacity() const noexcept { return capacity_; }

  private:
    static constexpr std::size_t room = 16;

    /// Without memory for fewer slots, the queue keeps those it has.
    void shrink() noexcept {
        if (Event* const fewer = new (std::nothrow) Event[room]) replace(fewer, room);
    }

    void grow() {
        auto* const wider = new Event[2 * capacity_];
        for (std::size_t i = 0; i != size_; ++i) {
            wider[i] = std::move(slots_[(head_ + i) % capacity_]);
        }
        replace(wider, 2 * capacity_);
    }

    void replace(Event* events, std::size_t capacity) noexcept {
        delete[] slots_;
        slots_ = events;
        capacity_ = capacity;
        head_ = 0;
    }

    Event* slots_;
    std::size_t capacity_ = room;
    std::size_t head_ = 0;
    std::size_t size_ = 0;
};

/// Takes events to listeners: each once, in order, one at a time, outside every lock.
///
/// A thread that causes an event push()es it under the lock that orders the causes, leaves that lock,
/// and then calls deliver(). If another thread is delivering, that one takes the new event too, and
/// deliver() returns at once: this is also what makes a listener that causes events safe.
///
/// **Contract.** A listener receives the events pushed after it subscribed. One that throws is
/// contained.
/// **Threads.** Any. Must be owned by a shared_ptr, which deliver()'s caller holds.
template <class Event>
class EventChannel final : public ListenerList {
  public:
    using Function = std::function<void(const Event&)>;

    [[nodiscard]] static Subscription subscribe(const std::shared_ptr<EventChannel>& channel,
                                                Function function) {
        if (!function) refuse_option("on_transition: the listener must not be empty");
        auto listener = std::make_shared<Typed>(std::move(function));
        const std::lock_guard lock{channel->mutex_};
        channel->add_locked(listener, channel->pushed_);
        return {channel, std::move(listener)};
    }

    /// True when there is something to deliver(): without listeners there is not.
    bool push(Event event) noexcept {
        const std::lock_guard lock{mutex_};
        if (listeners_.empty()) return false;
        waiting_.push(std::move(event));
        ++pushed_;
        return true;
    }

    void deliver() noexcept {
        std::unique_lock lock{mutex_};
        if (is_delivering_) return;
        is_delivering_ = true;
        while (!waiting_.is_empty()) deliver_one(lock);
        is_delivering_ = false;
    }

  private:
    struct Typed final : Listener {
        explicit Typed(Function f) noexcept : function{std::move(f)} {}
        Function function;
    };

    void deliver_one(std::unique_lock<threading::mutex>& lock) noexcept {
        const Event event = waiting_.pop();
        const std::uint64_t event_number = delivered_++;
        std::uint64_t last = 0;
        while (std::shared_ptr<Listener> listener = next_locked(last, event_number)) {
            last = listener->number;
            listener->runner = threading::this_thread_id();
            lock.unlock();
            call(static_cast<Typed&>(*listener).function, event);
            lock.lock();
            listener->runner = {};
            if (listener->is_awaited) WaitingThreads::end(listener.get());
            if (listener->is_on_its_own) { // we may be the last owner, and destroy what is the user's
                lock.unlock();
                listener.reset();
                lock.lock();
            }
            // Else drop ours before the Subscription that waits goes on: what the function holds then
            // dies with its Subscription, not a moment later on this thread.
            listener.reset();
            call_ended_.notify_all();
        }
    }

    static void call(const Function& function, const Event& event) noexcept {
#if DASHPOT_EXCEPTIONS
        try {
            function(event);
        } catch (...) { // the caller must get its own result, and the others their call
        }
#else
        function(event);
#endif
    }

    EventQueue<Event> waiting_;   // guarded by mutex_
    std::uint64_t pushed_ = 0;    // guarded by mutex_
    std::uint64_t delivered_ = 0; // guarded by mutex_
    bool is_delivering_ = false;  // guarded by mutex_
};

} // namespace dashpot::inline DASHPOT_ABI::detail

#endif
