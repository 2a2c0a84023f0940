// SPDX-License-Identifier: MIT
#ifndef DASHPOT_CORE_DETAIL_WAITING_THREADS_HPP
#define DASHPOT_CORE_DETAIL_WAITING_THREADS_HPP

#include <dashpot/core/abi.hpp>
#include <dashpot/core/threading.hpp>

#include <mutex>

namespace dashpot::inline DASHPOT_ABI::detail {

/// Which threads of the process wait for a task that another thread runs: so that no threads wait for
/// each other in a circle, whatever guards their tasks belong to.
///
/// **Contract.** A thread waits for one task at a time. end() is called before the wait is over, with
/// the same lock held as add(): the one that orders the beginning and the end of the task.
/// **Threads.** Any. The mutex is not one of core/threading.hpp: it is held for no step that a checker
/// of schedules could put another thread into.
class WaitingThreads {
  public:
    /// A wait, on the stack of the thread that waits.
    struct Wait {
        threading::thread_id waiter;
        threading::thread_id runner; // of the task
        const void* task;
        Wait* next = nullptr;
    };

    /// Adds a wait, unless it would last forever.
    /// @return false if the runner is the waiter itself or waits for it, directly or over others
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

    /// The task has ended: nothing waits for it any longer.
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
