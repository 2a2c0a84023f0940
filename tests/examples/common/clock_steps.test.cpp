// SPDX-License-Identifier: MIT
#include "../../../examples/common/clock_steps.hpp"

#include "catch.hpp"

#include <initializer_list>

namespace tests::examples_common_clock_steps {

using dashpot::Instant;
using example::ClockSteps;
using namespace std::chrono_literals;

namespace {

Instant at(std::chrono::nanoseconds since_start) { return Instant{since_start}; }

} // namespace

TEST_CASE("ClockSteps: before any step, all instants have one offset", "[common]") {
    ClockSteps steps;
    steps.note(at(10s), 1000h);
    steps.note(at(20s), 1000h + ClockSteps::tolerance);
    for (const auto instant : {Instant::min(), at(-5s), at(10s), at(20s), Instant::max()})
        CHECK(steps.at(instant) == 1000h);
}

TEST_CASE("ClockSteps: what happened before a step keeps its time, what comes after has the new one",
          "[common]") {
    for (const ClockSteps::Offset step :
         std::initializer_list<ClockSteps::Offset>{8h, -8h, 11ms, -11ms}) {
        INFO(step.count());
        ClockSteps steps;
        steps.note(at(10s), 1000h);
        steps.note(at(20s), 1000h);
        steps.note(at(30s), 1000h + step);
        CHECK(steps.at(at(5s)) == 1000h);
        CHECK(steps.at(at(20s)) == 1000h);
        // Between the comparisons: noticed because something happens after the step.
        CHECK(steps.at(at(20s + 1ns)) == 1000h + step);
        CHECK(steps.at(at(30s)) == 1000h + step);
        CHECK(steps.at(at(40s)) == 1000h + step);
    }
}

TEST_CASE("ClockSteps: each of several steps has its instants", "[common]") {
    ClockSteps steps;
    steps.note(at(10s), 1h);
    steps.note(at(20s), 2h);
    steps.note(at(30s), 1h);
    CHECK(steps.at(at(10s)) == 1h);
    CHECK(steps.at(at(20s)) == 2h);
    CHECK(steps.at(at(30s)) == 1h);
}

TEST_CASE("ClockSteps: small steps in one direction are noticed when they add up", "[common]") {
    ClockSteps steps;
    for (int i = 0; i <= 4; ++i) steps.note(at(i * 1s), 1h + i * 4ms);
    CHECK(steps.at(at(0s)) == 1h);
    CHECK(steps.at(at(4s)) == 1h + 12ms);
}

TEST_CASE("ClockSteps: a wall clock that steps all the time costs bounded memory", "[common]") {
    ClockSteps steps;
    constexpr int count = 1000;
    for (int i = 0; i < count; ++i) steps.note(at(i * 1s), i * 1h);
    CHECK(steps.at(at((count - 1) * 1s)) == (count - 1) * 1h);
    constexpr auto oldest = count - static_cast<int>(ClockSteps::kept);
    CHECK(steps.at(at(oldest * 1s)) == oldest * 1h);
    CHECK(steps.at(at(0s)) == oldest * 1h);
}

} // namespace tests::examples_common_clock_steps
