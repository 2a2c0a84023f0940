// SPDX-License-Identifier: MIT
#ifndef DASHPOT_TESTS_GUARD_BREAKER_SUPPORT_HPP
#define DASHPOT_TESTS_GUARD_BREAKER_SUPPORT_HPP

#include <dashpot/guard/circuit_breaker.hpp>
#include <dashpot/testing/manual_clock.hpp>

#include "catch.hpp"

#include <exception>
#include <string>
#include <utility>

/// What the tests of a breaker have in common. Every breaker here runs on a clock that stands still
/// until a test moves it.
namespace support {

using dashpot::testing::ManualClock;
using Breaker = dashpot::CircuitBreaker<ManualClock>;
using Permit = Breaker::Permit;

/// Calls that are let in and fail.
template <class AnyBreaker>
void fail(AnyBreaker& breaker, int times = 1) {
    for (int i = 0; i != times; ++i) {
        auto permit = breaker.try_acquire();
        REQUIRE(permit);
        REQUIRE(permit.failure());
    }
}

/// Calls that are let in and succeed.
template <class AnyBreaker>
void succeed(AnyBreaker& breaker, int times = 1) {
    for (int i = 0; i != times; ++i) {
        auto permit = breaker.try_acquire();
        REQUIRE(permit);
        REQUIRE(permit.success());
    }
}

/// Brings a breaker that is CLOSED to `state`. HALF_OPEN leaves its first probe free again.
template <class AnyBreaker>
void bring(AnyBreaker& breaker, ManualClock& clock, dashpot::State state) {
    using dashpot::State;
    REQUIRE(breaker.state() == State::closed);
    if (state == State::open || state == State::half_open) breaker.trip();
    if (state == State::half_open) {
        clock.advance(breaker.retry_after());
        auto probe = breaker.try_acquire();
        REQUIRE(probe);
        probe.release();
    }
    if (state == State::disabled) breaker.disable();
    if (state == State::forced_open) breaker.force_open();
    if (state == State::metrics_only) breaker.metrics_only();
    REQUIRE(breaker.state() == state);
}

/// The message of the exception that `f` throws; empty if it throws none.
template <class F>
std::string message_of(F&& f) {
    try {
        std::forward<F>(f)();
    } catch (const std::exception& thrown) {
        return thrown.what();
    }
    return {};
}

} // namespace support

#endif
