// SPDX-License-Identifier: MIT
#ifndef DASHPOT_CORE_CLOCK_HPP
#define DASHPOT_CORE_CLOCK_HPP

#include <dashpot/core/abi.hpp>
#include <dashpot/core/duration.hpp>

#include <chrono>
#include <concepts>

#if defined(__linux__)
#include <time.h>
#endif

namespace dashpot::inline DASHPOT_ABI {

/// A steady clock that is read through an object.
///
/// `std::chrono::steady_clock`, whose `now()` is static, and a stateful testing::ManualClock both
/// satisfy the concept. A wall clock does not compile: it can jump, and a wait measured with it could
/// end early or never.
///
/// **Contract.** `now()` is const, may be called from any thread, and does not throw, because guards
/// call it from noexcept functions. Its time_points count whole ticks of at least a nanosecond.
template <class C>
concept Clock = std::copyable<C> && requires(const C& clock) {
    typename C::time_point;
    { clock.now() } -> std::convertible_to<typename C::time_point>;
    { Nanoseconds{clock.now().time_since_epoch()} };
} && bool(C::is_steady);

/// The default clock of all guards.
using SteadyClock = std::chrono::steady_clock;

/// Has the time line of SteadyClock, but is read several times faster and has coarser ticks.
///
/// **Contract.** Reads `CLOCK_MONOTONIC_COARSE` on systems that have it: the time of the kernel's last
/// tick, which is 1 to 10 ms old. On other systems it is SteadyClock. It is suitable for waits of
/// seconds, but not for slow-call limits near the length of a tick.
/// **Threads.** Any thread may call now(). **Cost.** now() takes a few nanoseconds and makes no system
/// call.
struct CoarseSteadyClock {
    using duration = std::chrono::nanoseconds;
    using rep = duration::rep;
    using period = duration::period;
    using time_point = Instant;
    static constexpr bool is_steady = true;

    [[nodiscard]] static time_point now() noexcept {
#if defined(CLOCK_MONOTONIC_COARSE)
        timespec at{};
        clock_gettime(CLOCK_MONOTONIC_COARSE, &at);
        return time_point{std::chrono::seconds{at.tv_sec} + std::chrono::nanoseconds{at.tv_nsec}};
#else
        return time_point{Nanoseconds{SteadyClock::now().time_since_epoch()}};
#endif
    }
};

namespace detail {

template <Clock C>
[[nodiscard]] Instant read(const C& clock) noexcept {
    return Instant{Nanoseconds{clock.now().time_since_epoch()}};
}

} // namespace detail

} // namespace dashpot::inline DASHPOT_ABI

#endif
