// SPDX-License-Identifier: MIT
// Throttling that never ended, and throttling that a handful of failures began.
#include "catch.hpp"

#include <dashpot/guard/throttler.hpp>
#include <dashpot/testing/manual_clock.hpp>

#include <chrono>

namespace tests::field_cases_throttling {

using namespace std::chrono_literals;
using dashpot::testing::ManualClock;
using Throttler = dashpot::Throttler<ManualClock>;

namespace {

/// A thousand calls in a second. @return those that were let through
int one_second(ManualClock& clock, Throttler& throttler, bool is_well) {
    int admitted = 0;
    for (int i = 0; i != 1000; ++i) {
        if (auto permit = throttler.try_acquire()) {
            ++admitted;
            is_well ? permit.success() : permit.failure();
        }
        clock.advance(1ms);
    }
    return admitted;
}

} // namespace

// The target was well again, and the client refused for minutes: nearly nothing got through to show it.
TEST_CASE("Throttler: a tenth gets through an outage, and ends the throttling after it") {
    ManualClock clock;
    Throttler throttler{{.accepts_factor = 2.0, .length = 10s, .max_refused = 0.9}, clock};
    for (int second = 0; second != 10; ++second) (void)one_second(clock, throttler, true);
    for (int second = 0; second != 30; ++second) {
        const int admitted = one_second(clock, throttler, false);
        if (second >= 12) {
            CHECK(admitted >= 80);
            CHECK(admitted <= 120);
        }
    }
    int seconds = 0;
    while (one_second(clock, throttler, true) < 950 && seconds != 60) ++seconds;
    CHECK(seconds <= 20);
}

// With nothing let through for certain, recovery takes longer: by explicit choice only.
TEST_CASE("Throttler: without a limit of its refusals it recovers later") {
    ManualClock clock;
    Throttler throttler{{.length = 10s, .max_refused = 1.0}, clock};
    for (int second = 0; second != 30; ++second) (void)one_second(clock, throttler, false);
    CHECK(one_second(clock, throttler, false) <= 2);
    int seconds = 0;
    while (one_second(clock, throttler, true) < 950 && seconds != 300) ++seconds;
    CHECK(seconds > 20);
    CHECK(seconds < 300);
}

// Three failures right after the start, or two calls a minute, throttled everything.
TEST_CASE("Throttler: a handful of failures throttles nothing") {
    ManualClock clock;
    Throttler throttler{{.length = 60s, .buckets = 60, .minimum_calls = 60}, clock};
    for (int i = 0; i != 3; ++i) CHECK(throttler.try_acquire().failure());
    CHECK(throttler.try_acquire());
    for (int i = 0; i != 20; ++i) {
        clock.advance(30s);
        CHECK(throttler.try_acquire().failure());
    }
    CHECK(throttler.refused() == 0);
}

} // namespace tests::field_cases_throttling
