// SPDX-License-Identifier: MIT
// Successes that are not told to the policy at once: nobody may be able to tell.
#include "catch.hpp"

#include <dashpot/guard/circuit_breaker.hpp>
#include <dashpot/policy/count_window.hpp>
#include <dashpot/policy/time_window.hpp>
#include <dashpot/testing/manual_clock.hpp>
#include <dashpot/testing/transition_recorder.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>

namespace tests::guard_circuit_breaker_batches {

using namespace std::chrono_literals;
using dashpot::BreakerOptions;
using dashpot::CallTotals;
using dashpot::CircuitBreaker;
using dashpot::ConsecutiveFailures;
using dashpot::CountWindow;
using dashpot::Instant;
using dashpot::Outcome;
using dashpot::Snapshot;
using dashpot::State;
using dashpot::TimeWindow;
using dashpot::testing::ManualClock;

namespace {

template <class Breaker>
void succeed(Breaker& breaker, int times) {
    for (int i = 0; i != times; ++i) REQUIRE(breaker.try_acquire().success());
}

/// Counts how often it is read.
struct CountingClock {
    using duration = std::chrono::nanoseconds;
    using rep = duration::rep;
    using period = duration::period;
    using time_point = Instant;
    static constexpr bool is_steady = true;
    time_point now() const {
        ++*reads;
        return {};
    }
    int* reads;
};

} // namespace

TEST_CASE("A breaker: shows each success at once, however it was recorded", "[guard]") {
    CircuitBreaker<ManualClock, CountWindow> breaker{{.size = 1000}};
    for (std::uint64_t calls = 1; calls <= 600; ++calls) {
        if (calls % 2 == 0) {
            breaker.record_success();
        } else {
            REQUIRE(breaker.try_acquire().success());
        }
        if (calls % 7 == 0 || calls > 595) CHECK(breaker.snapshot().calls == calls);
    }
}

TEST_CASE("A breaker: counts all successes before the failure that follows them", "[guard]") {
    CircuitBreaker<ManualClock, CountWindow> breaker{
        {.size = 100, .minimum_calls = 4, .failure_rate = 0.5}};
    succeed(breaker, 3);
    for (int i = 0; i != 2; ++i) REQUIRE(breaker.try_acquire().failure());
    CHECK(breaker.state() == State::closed); // 2 of 5
    REQUIRE(breaker.try_acquire().failure());
    CHECK(breaker.state() == State::open); // 3 of 6
    CHECK(breaker.snapshot().calls == 6);
}

TEST_CASE(
    "A breaker: pushes failures out of a window by successes that the policy had not received yet",
    "[guard]") {
    CircuitBreaker<ManualClock, CountWindow> breaker{
        {.size = 10, .minimum_calls = 10, .failure_rate = 0.5}};
    for (int i = 0; i != 4; ++i) REQUIRE(breaker.try_acquire().failure());
    succeed(breaker, 9); // three of the four are out
    for (int i = 0; i != 3; ++i) REQUIRE(breaker.try_acquire().failure());
    CHECK(breaker.snapshot().failures == 3);
    CHECK(breaker.state() == State::closed);
    succeed(breaker, 10);
    CHECK(breaker.snapshot().failures == 0);
}

TEST_CASE("A breaker: a success put off in one bucket stays in that bucket", "[guard]") {
    ManualClock clock{Instant{100s}};
    CircuitBreaker<ManualClock, TimeWindow> breaker{{.length = 10s, .buckets = 10}, {}, clock};
    succeed(breaker, 5);
    clock.advance(1s);
    succeed(breaker, 3);
    CHECK(breaker.snapshot().calls == 8);
    clock.advance(9s); // the first bucket has faded
    CHECK(breaker.snapshot().calls == 3);
    clock.advance(1s);
    CHECK(breaker.snapshot().calls == 0);
}

TEST_CASE("A breaker: judges the first success of a bucket in which others have faded", "[guard]") {
    ManualClock clock{Instant{100s}};
    CircuitBreaker<ManualClock, TimeWindow> breaker{
        {.length = 10s, .buckets = 10, .minimum_calls = 4, .failure_rate = 0.5}, {}, clock};
    succeed(breaker, 5);
    clock.advance(5s);
    succeed(breaker, 1);
    for (int i = 0; i != 3; ++i) REQUIRE(breaker.try_acquire().failure());
    CHECK(breaker.state() == State::closed); // 3 of 9
    clock.advance(5s);
    REQUIRE(breaker.try_acquire().success());
    CHECK(breaker.state() == State::open); // 3 of 5
}

TEST_CASE("A breaker: what was put off is gone with its window, and its late permits with it",
          "[guard]") {
    CircuitBreaker<ManualClock, CountWindow> breaker;
    auto early = breaker.try_acquire();
    succeed(breaker, 50);
    breaker.reset();
    CHECK(breaker.snapshot().calls == 0);
    CHECK_FALSE(early.success());
    succeed(breaker, 1);
    CHECK(breaker.snapshot().calls == 1);
    breaker.trip();
    CHECK(breaker.snapshot().calls == 1);
    breaker.record_success();
    CHECK(breaker.snapshot().calls == 1);
}

TEST_CASE("A breaker: an event has the numbers of all that was put off", "[guard]") {
    CircuitBreaker<ManualClock, CountWindow> breaker;
    dashpot::testing::TransitionRecorder heard;
    const auto subscription = breaker.on_transition(std::ref(heard));
    succeed(breaker, 42);
    breaker.trip();
    REQUIRE(heard.entries().size() == 1);
    CHECK(heard.entries()[0].transition.snapshot.calls == 42);
    CHECK(heard.entries()[0].transition.snapshot.failure_rate == 0.0);
}

TEST_CASE("A breaker: puts successes off while METRICS_ONLY too", "[guard]") {
    CircuitBreaker<ManualClock, CountWindow> breaker{
        {.size = 100, .minimum_calls = 4, .failure_rate = 0.5}, {.initial_state = State::metrics_only}};
    succeed(breaker, 3);
    for (int i = 0; i != 3; ++i) REQUIRE(breaker.try_acquire().failure());
    CHECK(breaker.snapshot().would_have_opened == 1);
    CHECK(breaker.snapshot().calls == 0);
}

TEST_CASE("A breaker: counts all calls over its life if it is asked to", "[guard]") {
    ManualClock clock;
    CircuitBreaker<ManualClock, ConsecutiveFailures> breaker{
        {.threshold = 2}, {.reset_timeout = 1s, .count_totals = true}, clock};
    succeed(breaker, 700);
    REQUIRE(breaker.try_acquire().failure());
    CHECK(breaker.snapshot().totals == CallTotals{.successes = 700, .failures = 1});
    REQUIRE(breaker.try_acquire().failure());
    CHECK(breaker.state() == State::open);
    breaker.record_success(); // late: it does not count
    clock.advance(1s);
    succeed(breaker, 1); // the probe does
    CHECK(breaker.state() == State::closed);
    succeed(breaker, 1);
    REQUIRE(breaker.try_acquire().ignore());
    CHECK(breaker.snapshot().totals == CallTotals{.successes = 702, .failures = 2});
    breaker.reset(); // ends no life
    breaker.disable();
    breaker.record_success();
    CHECK(breaker.snapshot().totals == CallTotals{.successes = 702, .failures = 2});
}

TEST_CASE("A breaker: counts slow calls over its life, failed or not", "[guard]") {
    CircuitBreaker<ManualClock, CountWindow> breaker{
        {.slow_calls = dashpot::SlowCalls{.longer_than = 1s}}, {.count_totals = true}};
    breaker.record_success(2s);
    breaker.record_failure(2s);
    breaker.record_success(1s);
    breaker.record_success();
    CHECK(breaker.snapshot().totals == CallTotals{.successes = 3, .failures = 1, .slow = 2});
}

TEST_CASE("A breaker: counts no totals unless it is asked to", "[guard]") {
    CircuitBreaker<> breaker;
    succeed(breaker, 3);
    CHECK_FALSE(breaker.snapshot().totals.has_value());
}

TEST_CASE(
    "A breaker: reads the clock only for a call that opens it, where the policy places none in time",
    "[guard]") {
    int reads = 0;
    CircuitBreaker<CountingClock, CountWindow> breaker{
        {.size = 10, .minimum_calls = 4, .failure_rate = 0.5}, {}, CountingClock{&reads}};
    reads = 0;
    REQUIRE(breaker.try_acquire().success());
    REQUIRE(breaker.try_acquire().success());
    REQUIRE(breaker.try_acquire().failure());
    CHECK(reads == 0);
    REQUIRE(breaker.try_acquire().failure());
    CHECK(breaker.state() == State::open);
    CHECK(reads == 1);
}

TEST_CASE("A breaker: reads the clock once for each call that a time window places", "[guard]") {
    int reads = 0;
    CircuitBreaker<CountingClock, TimeWindow> breaker{{}, {}, CountingClock{&reads}};
    reads = 0;
    REQUIRE(breaker.try_acquire().success());
    REQUIRE(breaker.try_acquire().failure());
    REQUIRE(breaker.try_acquire().success());
    CHECK(reads == 3);
}

TEST_CASE(
    "A breaker: reads the clock twice for a call that it times, and not for one whose time it is told",
    "[guard]") {
    int reads = 0;
    CircuitBreaker<CountingClock, CountWindow> breaker{
        {.slow_calls = dashpot::SlowCalls{.longer_than = 1s}}, {}, CountingClock{&reads}};
    reads = 0;
    REQUIRE(breaker.try_acquire().success());
    REQUIRE(breaker.try_acquire().failure());
    CHECK(reads == 4);
    reads = 0;
    breaker.record_success(5s);
    breaker.record_failure(0s);
    CHECK(reads == 0);
}

} // namespace tests::guard_circuit_breaker_batches
