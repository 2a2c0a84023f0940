// SPDX-License-Identifier: MIT
#include <dashpot/core/detail/sleep.hpp>
#include <dashpot/testing/manual_clock.hpp>

#include "catch.hpp"

#include <chrono>
#include <stop_token>
#include <thread>

namespace tests::core_detail_sleep {

using namespace std::chrono_literals;
using dashpot::Instant;
using dashpot::detail::sleep_until;
using dashpot::testing::ManualClock;

TEST_CASE("sleep_until: uses the clock's own", "[core]") {
    const ManualClock clock{Instant{5s}};
    sleep_until(clock, Instant{1000h}, {});
    CHECK(clock.now() == Instant{1000h});
}

TEST_CASE("sleep_until: a clock without its own lets the thread sleep", "[core]") {
    const std::chrono::steady_clock clock;
    const auto then = dashpot::detail::read(clock) + 2ms;
    sleep_until(clock, then, {});
    CHECK(dashpot::detail::read(clock) >= then);
}

TEST_CASE("sleep_until: a time that has come is no wait", "[core]") {
    sleep_until(std::chrono::steady_clock{}, (Instant::min)(), {});
    const ManualClock clock{Instant{5s}};
    sleep_until(clock, Instant{4s}, {});
    CHECK(clock.now() == Instant{5s});
}

TEST_CASE("sleep_until: a stop that was requested before ends it at once", "[core]") {
    std::stop_source source;
    source.request_stop();
    sleep_until(std::chrono::steady_clock{}, (Instant::max)(), source.get_token());
    const ManualClock clock;
    sleep_until(clock, Instant{1s}, source.get_token());
    CHECK(clock.now() == Instant{});
}

TEST_CASE("sleep_until: a stop while it sleeps ends it", "[core]") {
    std::stop_source source;
    const std::jthread stopper{[&source] { source.request_stop(); }};
    sleep_until(std::chrono::steady_clock{}, (Instant::max)(), source.get_token());
    CHECK(source.stop_requested());
}

} // namespace tests::core_detail_sleep
