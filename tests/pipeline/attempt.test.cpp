// SPDX-License-Identifier: MIT
#include <dashpot/pipeline/attempt.hpp>
#include <dashpot/testing/manual_clock.hpp>

#include "catch.hpp"

#include <chrono>
#include <cstdint>
#include <type_traits>

namespace tests::pipeline_attempt {

using namespace std::chrono_literals;
using dashpot::Attempt;
using dashpot::Deadline;
using dashpot::Instant;
using dashpot::detail::TimeSource;
using dashpot::testing::ManualClock;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using std::chrono::seconds;

namespace {

Attempt due(const ManualClock& clock, nanoseconds left) {
    return {1, Deadline{clock.now() + left}, {}, TimeSource::of(clock)};
}

} // namespace

TEST_CASE("Attempt: by default it is the first, without a deadline, and cannot be stopped",
          "[pipeline]") {
    const Attempt attempt;
    CHECK(attempt.number == 1);
    CHECK(attempt.deadline.is_never());
    CHECK_FALSE(attempt.stop.stop_possible());
    CHECK(attempt.remaining() == (nanoseconds::max)());
    CHECK(attempt.remaining<milliseconds>() == (milliseconds::max)());
}

TEST_CASE("Attempt: the remaining time is exact in nanoseconds", "[pipeline]") {
    ManualClock clock;
    const Attempt attempt = due(clock, 5ms);
    CHECK(attempt.remaining() == 5ms);
    clock.advance(4'999'999ns);
    CHECK(attempt.remaining() == 1ns);
    clock.advance(1ns);
    CHECK(attempt.remaining() == 0ns);
    clock.advance(1h);
    CHECK(attempt.remaining() == 0ns);
}

TEST_CASE("Attempt: a longer unit rounds up, so that it is 0 only at the deadline", "[pipeline]") {
    ManualClock clock;
    CHECK(due(clock, 1ns).remaining<milliseconds>() == 1ms);
    CHECK(due(clock, 1ns).remaining<std::chrono::hours>() == 1h);
    CHECK(due(clock, 5ms).remaining<milliseconds>() == 5ms);
    CHECK(due(clock, 5ms + 1ns).remaining<milliseconds>() == 6ms);
    CHECK(due(clock, 0ns).remaining<milliseconds>() == 0ms);
}

TEST_CASE("Attempt: a time that a short type cannot hold becomes the longest that it can",
          "[pipeline]") {
    using Short = std::chrono::duration<std::int16_t, std::milli>;
    ManualClock clock;
    CHECK(due(clock, 32'767ms).remaining<Short>() == Short{32'767});
    CHECK(due(clock, 32'767ms + 1ns).remaining<Short>() == (Short::max)());
    CHECK(due(clock, 9'000'000h / 1000).remaining<Short>() == (Short::max)());
    using Fraction = std::chrono::duration<double>;
    CHECK(due(clock, 1500ms).remaining<Fraction>().count() == 1.5);
}

TEST_CASE("Attempt: without a clock it reads the steady clock", "[pipeline]") {
    const Attempt attempt{1, Deadline::after(1h)};
    CHECK(attempt.remaining() > 30min);
    CHECK(attempt.remaining() <= 1h);
}

TEST_CASE("Attempt: has one type, whatever the clock is", "[pipeline]") {
    STATIC_REQUIRE_FALSE(std::is_invocable_v<Attempt>);
    STATIC_REQUIRE(std::is_aggregate_v<Attempt>);
    STATIC_REQUIRE(std::is_nothrow_move_constructible_v<Attempt>);
}

} // namespace tests::pipeline_attempt
