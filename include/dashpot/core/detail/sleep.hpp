// SPDX-License-Identifier: MIT
#ifndef DASHPOT_CORE_DETAIL_SLEEP_HPP
#define DASHPOT_CORE_DETAIL_SLEEP_HPP

#include <dashpot/core/abi.hpp>
#include <dashpot/core/clock.hpp>
#include <dashpot/core/duration.hpp>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stop_token>

namespace dashpot::inline DASHPOT_ABI::detail {

/// A clock that lets a thread wait for a time of its own, for example a test's clock.
template <class C>
concept SleepingClock =
    requires(const C& clock, Instant at, std::stop_token stop) { clock.sleep_until(at, stop); };

/// Has a sleep_until() that cannot be called, because guards hold their clock as const.
template <class C>
concept SleepsOnlyIfMutable =
    !SleepingClock<C> &&
    requires(C& clock, Instant at, std::stop_token stop) { clock.sleep_until(at, stop); };

/// Blocks the thread until the clock shows `at`, or a stop is requested.
///
/// **Contract.** Uses the clock's own sleep_until(), if it has one. Otherwise the thread sleeps, at
/// most an hour at a time, and reads the clock again. **Threads.** No lock of a guard may be held.
/// **Cost.** Allocates nothing.
template <Clock C>
void sleep_until(const C& clock, Instant at, const std::stop_token& stop) {
    static_assert(!SleepsOnlyIfMutable<C>, "sleep_until() of a clock must be const, as its now() is");
    if (stop.stop_requested()) return;
    if constexpr (SleepingClock<C>) {
        clock.sleep_until(at, stop);
    } else {
        std::mutex mutex;
        std::condition_variable stopped;
        const std::stop_callback wake{stop, [&] {
                                          const std::lock_guard lock{mutex};
                                          stopped.notify_all();
                                      }};
        std::unique_lock lock{mutex};
        for (Instant now = read(clock); now < at && !stop.stop_requested(); now = read(clock)) {
            const std::chrono::nanoseconds longest = std::chrono::hours{1};
            stopped.wait_for(lock, (std::min)(between(now, at), longest));
        }
    }
}

} // namespace dashpot::inline DASHPOT_ABI::detail

#endif
