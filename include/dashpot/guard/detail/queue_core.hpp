// SPDX-License-Identifier: MIT
#ifndef DASHPOT_GUARD_DETAIL_QUEUE_CORE_HPP
#define DASHPOT_GUARD_DETAIL_QUEUE_CORE_HPP

#include <dashpot/core/abi.hpp>
#include <dashpot/core/clock.hpp>
#include <dashpot/core/contract.hpp>
#include <dashpot/core/deadline.hpp>
#include <dashpot/core/detail/cache_line.hpp>
#include <dashpot/core/duration.hpp>
#include <dashpot/core/error.hpp>
#include <dashpot/core/threading.hpp>
#include <dashpot/guard/detail/wait_queue.hpp>
#include <dashpot/guard/queue_options.hpp>
#include <dashpot/guard/waiter.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <stop_token>
#include <utility>

namespace dashpot::inline DASHPOT_ABI::detail {

/// Slots and a queue for them, whatever the clock: what QueuedBulkhead adds is the time.
///
/// One word holds the calls in flight and the limit that try_take() and free_slot() compare without
/// the lock. While a caller waits, that limit is 0, the gate: then both take the lock, and the word
/// does not change otherwise. So a slot is handed over without being free in between.
///
/// **Threads.** Any.
class QueueCore {
  public:
    QueueCore(const QueueCore&) = delete;
    QueueCore& operator=(const QueueCore&) = delete;
    [[nodiscard]] virtual Instant now() const noexcept = 0;
    [[nodiscard]] std::chrono::nanoseconds longest_sleep() const noexcept { return longest_sleep_; }

    [[nodiscard]] std::uint32_t in_flight() const noexcept {
        return in_flight_of(word_.load(std::memory_order_acquire));
    }
    [[nodiscard]] std::uint32_t available() const noexcept {
        const std::uint64_t word = word_.load(std::memory_order_acquire);
        return gate_of(word) > in_flight_of(word) ? gate_of(word) - in_flight_of(word) : 0;
    }
    [[nodiscard]] std::uint32_t max_concurrent() const noexcept {
        return limit_.load(std::memory_order_relaxed);
    }
    [[nodiscard]] std::uint64_t refused() const noexcept {
        return refused_.load(std::memory_order_relaxed);
    }
    [[nodiscard]] std::uint32_t queued() const noexcept {
        const std::lock_guard lock{mutex_};
        return queue_.size();
    }
    [[nodiscard]] QueueOptions options() const noexcept {
        const std::lock_guard lock{mutex_};
        return queue_.options();
    }

    /// Takes a slot, or refuses at once.
    [[nodiscard]] QueuePermit try_acquire() noexcept {
        return try_take() ? QueuePermit{*this} : refuse(Error::bulkhead_full);
    }

    /// Takes a slot, or waits for one on this thread.
    [[nodiscard]] QueuePermit acquire(Deadline deadline, const std::stop_token& stop) {
        if (stop.stop_requested()) return refuse(Error::cancelled);
        if (!deadline.is_never() && now() >= deadline.at()) return refuse(Error::deadline_exceeded);
        return try_take() ? QueuePermit{*this} : wait(deadline, stop);
    }

    void enqueue(Waiter& waiter, Deadline deadline) noexcept {
        NodeList due;
        std::unique_lock lock{mutex_};
        DASHPOT_ASSERT(waiter.fate != QueueNode::Fate::queued && waiter.fate != QueueNode::Fate::due);
        join_locked(waiter, deadline, now(), due);
        notify(lock, due);
    }

    [[nodiscard]] bool withdraw(Waiter& waiter) noexcept {
        const std::lock_guard lock{mutex_};
        if (waiter.fate == QueueNode::Fate::idle) return true;
        if (waiter.fate != QueueNode::Fate::queued) return false;
        queue_.remove(waiter);
        open_gate_if_empty_locked();
        return true;
    }

    void expire(Instant at) noexcept {
        NodeList due;
        std::unique_lock lock{mutex_};
        if (queue_.is_empty()) return;
        queue_.expire(at, due);
        open_gate_if_empty_locked();
        notify(lock, due);
    }

    [[nodiscard]] std::optional<Instant> next_expiry() const noexcept {
        const std::lock_guard lock{mutex_};
        return queue_.next_expiry();
    }

    [[nodiscard]] std::optional<Instant> next_expiry(const Waiter& waiter) const noexcept {
        const std::lock_guard lock{mutex_};
        return waiter.fate == QueueNode::Fate::queued ? queue_.expiry(waiter) : std::nullopt;
    }

    void resize(std::uint32_t max_concurrent) noexcept {
        NodeList due;
        std::unique_lock lock{mutex_};
        QueueOptions options = queue_.options();
        options.max_concurrent = max_concurrent;
        apply_locked(options, due);
        notify(lock, due);
    }

    void reconfigure(const QueueOptions& options) {
        options.validate();
        NodeList due;
        std::unique_lock lock{mutex_};
        apply_locked(options, due);
        for (QueueNode* node = queue_.first(); node != nullptr; node = node->after) {
            if (node->is_thread) static_cast<WaitingThread*>(node)->changed.notify_one();
        }
        notify(lock, due);
    }

    /// Frees a slot, or gives it to a waiter.
    void free_slot() noexcept {
        std::uint64_t word = word_.load(std::memory_order_relaxed);
        while (gate_of(word) != 0) {
            // Pairs with the exchanges that take the slot: what was done under it happens before.
            if (word_.compare_exchange_weak(word, word - 1, std::memory_order_release,
                                            std::memory_order_relaxed)) {
                return;
            }
        }
        hand_over();
    }

  protected:
    /// `longest_sleep`: after this time a waiting thread reads the clock again. `longest_stand`: if the
    /// clock stood still for this time, a waiting thread calls pass_time().
    QueueCore(const QueueOptions& options, std::chrono::nanoseconds longest_sleep,
              std::chrono::nanoseconds longest_stand)
        : queue_{options}, longest_sleep_{longest_sleep}, longest_stand_{longest_stand},
          limit_{options.max_concurrent}, word_{pack(options.max_concurrent, 0)} {
        options.validate();
    }
    ~QueueCore() = default;

    /// Called without the lock if the clock stands still while a thread waits. A clock with a
    /// sleep_until() of its own then moves its time, as for the waits of a pipeline.
    virtual void pass_time(Instant until, const std::stop_token& stop) const = 0;

    void close() noexcept {
        NodeList due;
        std::unique_lock lock{mutex_};
        while (QueueNode* const node = queue_.first()) {
            queue_.take_out_and_refuse(*node, Error::cancelled, due);
        }
        open_gate_if_empty_locked();
        notify(lock, due);
    }

  private:
    struct WaitingThread : QueueNode {
        WaitingThread() { is_thread = true; }
        threading::condition_variable changed;
    };

    /// A thread that calls Waiters now, and those that it has yet to call.
    struct Caller {
        threading::thread_id thread;
        NodeList due{};
        Caller* next = nullptr;
    };

    [[nodiscard]] static constexpr std::uint64_t pack(std::uint32_t gate,
                                                      std::uint32_t taken) noexcept {
        return std::uint64_t{gate} << 32U | taken;
    }
    [[nodiscard]] static constexpr std::uint32_t gate_of(std::uint64_t word) noexcept {
        return static_cast<std::uint32_t>(word >> 32U);
    }
    [[nodiscard]] static constexpr std::uint32_t in_flight_of(std::uint64_t word) noexcept {
        return static_cast<std::uint32_t>(word);
    }

    [[nodiscard]] bool try_take() noexcept {
        std::uint64_t word = word_.load(std::memory_order_relaxed);
        while (in_flight_of(word) < gate_of(word)) {
            if (word_.compare_exchange_weak(word, word + 1, std::memory_order_acq_rel,
                                            std::memory_order_relaxed)) {
                return true;
            }
        }
        return false;
    }

    [[nodiscard]] QueuePermit refuse(Error reason) noexcept {
        refused_.fetch_add(1, std::memory_order_relaxed);
        return QueuePermit{reason};
    }

    [[nodiscard]] QueuePermit wait(Deadline deadline, const std::stop_token& stop) {
        WaitingThread self;
        NodeList due;
        {
            std::unique_lock lock{mutex_};
            join_locked(self, deadline, now(), due);
            notify(lock, due);
            // What this thread has yet to call must not wait for it.
            if (Caller* const mine = this_caller_locked()) call_all(lock, *mine);
        }
        const std::stop_callback on_stop{stop, [&] {
                                             const std::lock_guard lock{mutex_};
                                             if (self.fate != QueueNode::Fate::queued) return;
                                             give_up_locked(self, Error::cancelled);
                                         }};
        std::unique_lock lock{mutex_};
        Instant last = now();
        auto moved_at = SteadyClock::now(); // when the clock was last seen to move
        while (self.fate == QueueNode::Fate::queued) {
            const Instant at = now();
            if (const auto reason = queue_.refusal(self, at)) {
                give_up_locked(self, *reason);
                break;
            }
            std::chrono::nanoseconds sleep = longest_sleep_;
            if (const auto until = queue_.expiry(self)) sleep = (std::min)(sleep, between(at, *until));
            self.changed.wait_for(lock, sleep);
            if (std::exchange(last, at) != at) moved_at = SteadyClock::now();
            if (SteadyClock::now() - moved_at < longest_stand_) continue;
            lock.unlock();
            pass_time(Instant{saturating_add(at.time_since_epoch(), sleep)}, stop);
            last = now();
            lock.lock();
        }
        return self.refusal ? refuse(*self.refusal) : QueuePermit{*this};
    }

    void give_up_locked(WaitingThread& thread, Error reason) noexcept {
        queue_.remove(thread);
        thread.refusal = reason;
        open_gate_if_empty_locked();
        thread.changed.notify_one();
    }

    void hand_over() noexcept {
        NodeList due;
        std::unique_lock lock{mutex_};
        if (queue_.is_empty()) {
            word_.fetch_sub(1, std::memory_order_acq_rel);
            return;
        }
        grant_locked(in_flight() - 1, due);
        notify(lock, due);
    }

    void apply_locked(const QueueOptions& options, NodeList& due) noexcept {
        queue_.reconfigure(options);
        limit_.store(options.max_concurrent, std::memory_order_relaxed);
        if (!queue_.is_empty()) return grant_locked(in_flight(), due);
        std::uint64_t word = word_.load(std::memory_order_relaxed);
        while (!word_.compare_exchange_weak(word, pack(options.max_concurrent, in_flight_of(word)),
                                            std::memory_order_acq_rel, std::memory_order_relaxed)) {}
    }

    /// While the gate is shut: gives every slot that is free beside `taken` to a waiter.
    void grant_locked(std::uint32_t taken, NodeList& due) noexcept {
        const Instant at = now();
        while (taken < queue_.options().max_concurrent) {
            QueueNode* const node = queue_.next(at, due);
            if (node == nullptr) break;
            due.push_back(*node);
            ++taken;
        }
        word_.store(pack(queue_.is_empty() ? queue_.options().max_concurrent : 0, taken),
                    std::memory_order_release);
    }

    void open_gate_if_empty_locked() noexcept {
        if (!queue_.is_empty()) return;
        std::uint64_t word = word_.load(std::memory_order_relaxed);
        while (!word_.compare_exchange_weak(word,
                                            pack(queue_.options().max_concurrent, in_flight_of(word)),
                                            std::memory_order_acq_rel, std::memory_order_relaxed)) {}
    }

    /// Grants at once, refuses at once, or lets the node wait and shuts the gate.
    void join_locked(QueueNode& node, Deadline deadline, Instant at, NodeList& due) noexcept {
        if (!deadline.is_never() && at >= deadline.at()) {
            return WaitQueue::refuse(node, Error::deadline_exceeded, due);
        }
        if (queue_.is_empty()) {
            do {
                if (try_take()) {
                    node.refusal.reset();
                    node.fate = QueueNode::Fate::due;
                    return due.push_back(node);
                }
                if (queue_.options().max_queued == 0) {
                    return WaitQueue::refuse(node, Error::queue_full, due);
                }
            } while (!shut_gate_locked());
        }
        queue_.join(node, deadline, at, due);
        open_gate_if_empty_locked(); // all that waited have expired, and this node may not wait
    }

    /// Returns false if a slot is free: then no caller may wait.
    [[nodiscard]] bool shut_gate_locked() noexcept {
        std::uint64_t word = word_.load(std::memory_order_relaxed);
        while (in_flight_of(word) >= gate_of(word)) {
            if (word_.compare_exchange_weak(word, pack(0, in_flight_of(word)),
                                            std::memory_order_acq_rel, std::memory_order_relaxed)) {
                return true;
            }
        }
        return false;
    }

    [[nodiscard]] Caller* this_caller_locked() noexcept {
        const threading::thread_id self = threading::this_thread_id();
        Caller* caller = callers_;
        while (caller != nullptr && caller->thread != self) caller = caller->next;
        return caller;
    }

    /// Wakes threads, and calls Waiters without the lock. If a Waiter's function that this thread runs
    /// led here, the calls are left to the loop around that function, so that nothing recurses.
    void notify(std::unique_lock<threading::mutex>& lock, NodeList& due) noexcept {
        wake_threads_locked(due);
        if (due.is_empty()) return;
        if (Caller* const mine = this_caller_locked()) return mine->due.append(due);
        Caller self{threading::this_thread_id()};
        self.due.append(due);
        self.next = callers_;
        callers_ = &self;
        call_all(lock, self);
        Caller** link = &callers_;
        while (*link != &self) link = &(*link)->next;
        *link = self.next;
    }

    void call_all(std::unique_lock<threading::mutex>& lock, Caller& caller) noexcept {
        while (QueueNode* const node = caller.due.first()) {
            caller.due.remove(*node);
            node->fate = QueueNode::Fate::over;
            Waiter& waiter = static_cast<Waiter&>(*node);
            const std::optional<Error> reason = node->refusal;
            lock.unlock();
            if (reason) {
                refused_.fetch_add(1, std::memory_order_relaxed);
                waiter.refused({*reason});
            } else {
                waiter.granted(QueuePermit{*this});
            }
            lock.lock(); // the waiter may be gone
        }
    }

    static void wake_threads_locked(NodeList& due) noexcept {
        for (QueueNode *node = due.first(), *next = nullptr; node != nullptr; node = next) {
            next = node->after;
            if (node->is_thread) {
                due.remove(*node);
                node->fate = QueueNode::Fate::over;
                static_cast<WaitingThread*>(node)->changed.notify_one();
            }
        }
    }

    mutable threading::mutex mutex_;
    WaitQueue queue_;           // guarded by mutex_
    Caller* callers_ = nullptr; // guarded by mutex_
    const std::chrono::nanoseconds longest_sleep_;
    const std::chrono::nanoseconds longest_stand_;
    threading::atomic<std::uint32_t> limit_; // written under mutex_
    alignas(cache_line) threading::atomic<std::uint64_t> word_;
    // Apart from the word: callers who are refused must not slow down those who free a slot.
    alignas(cache_line) threading::atomic<std::uint64_t> refused_{0};
};

} // namespace dashpot::inline DASHPOT_ABI::detail

namespace dashpot::inline DASHPOT_ABI {

inline void QueuePermit::release() noexcept {
    if (core_ != nullptr) std::exchange(core_, nullptr)->free_slot();
}

} // namespace dashpot::inline DASHPOT_ABI

#endif
