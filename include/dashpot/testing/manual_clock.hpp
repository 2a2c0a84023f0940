// SPDX-License-Identifier: MIT
#ifndef DASHPOT_TESTING_MANUAL_CLOCK_HPP
#define DASHPOT_TESTING_MANUAL_CLOCK_HPP

#include <dashpot/core/abi.hpp>
#include <dashpot/core/clock.hpp>
#include <dashpot/core/duration.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <stop_token>

namespace dashpot::inline DASHPOT_ABI::testing {

/// A clock whose time only a test changes, in either direction.
///
///     dashpot::testing::ManualClock clock;
///     dashpot::CircuitBreaker<dashpot::testing::ManualClock> breaker{{}, {}, clock};
///     clock.advance(10s); // the breaker's copy moves too
///
/// **Contract.** Copies share one time. The time saturates at its limits instead of overflowing.
/// **Threads.** Any thread may use any copy. **Cost.** now() is one atomic load; the constructor
/// allocates.
class ManualClock {
  public:
    using time_point = Instant;
    using duration = std::chrono::nanoseconds;
    using rep = duration::rep;
    using period = duration::period;
    static constexpr bool is_steady = true;

    /// Starts at the epoch of the clock.
    ManualClock() : ManualClock{time_point{}} {}

    explicit ManualClock(time_point start)
        : now_{std::make_shared<std::atomic<rep>>(start.time_since_epoch().count())} {}

    [[nodiscard]] time_point now() const noexcept { return time_point{duration{now_->load()}}; }

    /// Moves the time by `step`, backwards if `step` is negative.
    void advance(Nanoseconds step) noexcept {
        rep before = now_->load();
        while (!now_->compare_exchange_weak(before,
                                            detail::saturating_add(duration{before}, step).count())) {}
    }

    /// Sets the time.
    void set(time_point now) noexcept { now_->store(now.time_since_epoch().count()); }

    /// What a guard or a pipeline calls instead of letting the thread sleep. Moves the time to `at`, or
    /// leaves it if it is later already or a stop was requested.
    void sleep_until(time_point at, const std::stop_token& stop = {}) const noexcept {
        const rep then = at.time_since_epoch().count();
        rep before = now_->load();
        while (!stop.stop_requested() && before < then && !now_->compare_exchange_weak(before, then)) {}
    }

  private:
    std::shared_ptr<std::atomic<rep>> now_;
};

static_assert(Clock<ManualClock>);

} // namespace dashpot::inline DASHPOT_ABI::testing

#endif
