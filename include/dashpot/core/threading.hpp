// SPDX-License-Identifier: MIT
#ifndef DASHPOT_CORE_THREADING_HPP
#define DASHPOT_CORE_THREADING_HPP

#include <dashpot/core/abi.hpp>

// For a checker of schedules, which needs types of its own to see every step: names a header, as
// "file.hpp" or <file.hpp>, that defines in namespace dashpot_threading what is listed below. Objects
// compiled with it and without it have guards of different types (core/abi.hpp).
#ifdef DASHPOT_THREADING_HEADER
#include DASHPOT_THREADING_HEADER
#else
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>
#endif

namespace dashpot::inline DASHPOT_ABI {

/// What threads meet through: the standard's types, or a checker's where DASHPOT_THREADING_HEADER is
/// set.
///
/// The guards meet through nothing else but the counts of std::shared_ptr, so they, and code on top of
/// them that does likewise, can be run under all schedules. docs/testing_schedules.md shows how.
///
/// **Contract.** Locks are taken with std::lock_guard and std::unique_lock; orders are
/// std::memory_order. A checker's header also defines `std::size_t thread_number() noexcept`, which is
/// not 0 and differs between threads that run together.
/// **Cost.** None: they are the standard's types.
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
/// Of a thread; of none, if it was made without a value.
using thread_id = std::thread::id;
[[nodiscard]] inline thread_id this_thread_id() noexcept { return std::this_thread::get_id(); }
#endif

} // namespace threading

} // namespace dashpot::inline DASHPOT_ABI

#endif
