// SPDX-License-Identifier: MIT
#ifndef DASHPOT_CORE_THREADING_HPP
#define DASHPOT_CORE_THREADING_HPP

#include <dashpot/core/abi.hpp>

// Checkers of schedules need their own types to observe every step. DASHPOT_THREADING_HEADER names a
// header, as "file.hpp" or <file.hpp>, that defines the names listed below in namespace
// dashpot_threading. Objects compiled with and without this header have guards of different types
// (core/abi.hpp).
#ifdef DASHPOT_THREADING_HEADER
#include DASHPOT_THREADING_HEADER
#else
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>
#endif

namespace dashpot::inline DASHPOT_ABI {

/// The types through which threads share state: the standard's types, or a checker's types if
/// DASHPOT_THREADING_HEADER is set.
///
/// Apart from these types, guards share state only through the counts of std::shared_ptr. Therefore
/// guards can be run under all schedules, and so can code on top of them that keeps the same rule.
/// docs/testing_schedules.md shows how.
///
/// **Contract.** Locks are taken with std::lock_guard and std::unique_lock; orders are
/// std::memory_order. A checker's header also defines `std::size_t thread_number() noexcept`, whose
/// result is not 0 and differs between threads that run together.
/// **Cost.** Without a checker's header there is no cost: these are the standard's types.
namespace threading {

#ifdef DASHPOT_THREADING_HEADER
using ::dashpot_threading::atomic;
using ::dashpot_threading::condition_variable;
using ::dashpot_threading::mutex;
using thread_id = decltype(::dashpot_threading::thread_number());
[[nodiscard]] inline thread_id this_thread_id() noexcept {
    return ::dashpot_threading::thread_number();
}
#else
using std::atomic;
using std::condition_variable;
using std::mutex;
/// Identifies a thread. A default-constructed thread_id identifies no thread.
using thread_id = std::thread::id;
[[nodiscard]] inline thread_id this_thread_id() noexcept { return std::this_thread::get_id(); }
#endif

} // namespace threading

} // namespace dashpot::inline DASHPOT_ABI

#endif
