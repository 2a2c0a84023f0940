// SPDX-License-Identifier: MIT
#ifndef DASHPOT_CORE_DETAIL_WAITING_THREADS_HPP
#define DASHPOT_CORE_DETAIL_WAITING_THREADS_HPP

#include <dashpot/core/abi.hpp>
#include <dashpot/core/threading.hpp>

#include <mutex>

namespace dashpot::inline DASHPOT_ABI::detail {

/// Records which threads of the process wait for a task that another thread runs. This prevents a
/// circle of threads that wait for each other, also across the tasks of different guards.
///
/// **Contract.** A thread waits for one task at a time. end() is called before the wait is over, under
/// the same lock as add(): the lock that orders the beginning and the end of the task.
/// **Threads.** Any thread may call it. The mutex does not come from core/threading.hpp: no step under
/// this mutex is one at which a checker of schedules could switch threads.
class WaitingThreads {
  public:
    /// A wait, stored on the stack of the waiting thread.
    struct Wait {
        threading::thread_id waiter;
        threading::thread_id runner; // of the task
        const void* task;
        Wait* next = nullptr;
    };

    /// Adds a wait if it would not last forever.
    /// @return false if the runner is the waiter itself or waits for the waiter, directly or through
    /// others
    [[nodiscard]] static bool add(Wait& wait) noexcept {
        const std::lock_guard lock{mutex_};
        for (threading::thread_id reached = wait.runner;;) {
            if (reached == wait.waiter) return false;
            const Wait* onward = first_;
            while (onward != nullptr && onward->waiter != reached) onward = onward->next;
            if (onward == nullptr) break;
            reached = onward->runner;
        }
        wait.next = first_;
        first_ = &wait;
        return true;
    }

    /// Removes all waits for a task that has ended.
    static void end(const void* task) noexcept {
        const std::lock_guard lock{mutex_};
        for (Wait** place = &first_; *place != nullptr;) {
            if ((*place)->task == task) {
                *place = (*place)->next;
            } else {
                place = &(*place)->next;
            }
        }
    }

  private:
    static inline std::mutex mutex_;
    static inline Wait* first_ = nullptr; // guarded by mutex_
};

} // namespace dashpot::inline DASHPOT_ABI::detail

#endif
