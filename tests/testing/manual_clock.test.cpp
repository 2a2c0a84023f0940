// SPDX-License-Identifier: MIT
#include <dashpot/testing/manual_clock.hpp>

#include "catch.hpp"

#include <chrono>
#include <stop_token>
#include <thread>
#include <type_traits>
#include <vector>

namespace tests::testing_manual_clock {

using namespace std::chrono_literals;
using dashpot::Instant;
using dashpot::testing::ManualClock;

namespace {

constexpr auto longest = (std::chrono::nanoseconds::max)();

/// Takes a clock, or what makes one.
[[maybe_unused]] void take(ManualClock) {}

template <class... Nothing>
constexpr bool makes_one_of_nothing = requires { take({Nothing{}...}); };

} // namespace

TEST_CASE("ManualClock: starts at its epoch, or at the time given", "[testing]") {
    CHECK(ManualClock{}.now() == Instant{});
    CHECK(ManualClock{Instant{5s}}.now() == Instant{5s});
    CHECK(ManualClock{Instant{-5s}}.now() == Instant{-5s});
    CHECK(ManualClock{(Instant::min)()}.now() == (Instant::min)());
}

TEST_CASE("ManualClock: stands still until it is moved", "[testing]") {
    ManualClock clock;
    for (int i = 0; i != 3; ++i) CHECK(clock.now() == Instant{});
    clock.advance(3s);
    CHECK(clock.now() == Instant{3s});
    clock.advance(1ns);
    CHECK(clock.now() == Instant{3s + 1ns});
}

TEST_CASE("ManualClock: advances in any unit and in either direction", "[testing]") {
    ManualClock clock;
    clock.advance(1h);
    clock.advance(-30min);
    clock.advance(0s);
    CHECK(clock.now() == Instant{30min});
    clock.advance(-1h);
    CHECK(clock.now() == Instant{-30min});
}

TEST_CASE("ManualClock: is set to any time", "[testing]") {
    ManualClock clock;
    for (const Instant time : {Instant{7s}, Instant{-7s}, (Instant::max)(), (Instant::min)()}) {
        clock.set(time);
        CHECK(clock.now() == time);
    }
}

TEST_CASE("ManualClock: stops at the ends of time instead of overflowing", "[testing]") {
    ManualClock clock{Instant{1s}};
    clock.advance(longest);
    CHECK(clock.now() == (Instant::max)());
    clock.advance(1ns);
    CHECK(clock.now() == (Instant::max)());
    clock.advance((std::chrono::hours::max)());
    CHECK(clock.now() == (Instant::max)());
    clock.set(Instant{-1s});
    clock.advance((std::chrono::hours::min)());
    CHECK(clock.now() == (Instant::min)());
    clock.advance(-1ns);
    CHECK(clock.now() == (Instant::min)());
}

TEST_CASE("ManualClock: copies share one time", "[testing]") {
    ManualClock clock;
    ManualClock copy = clock;
    ManualClock assigned{Instant{99s}};
    assigned = clock;
    clock.advance(1s);
    copy.advance(2s);
    assigned.advance(4s);
    CHECK(clock.now() == Instant{7s});
    CHECK(copy.now() == Instant{7s});
    CHECK(assigned.now() == Instant{7s});
    CHECK(ManualClock{}.now() == Instant{}); // another clock, another time
}

TEST_CASE("ManualClock: threads that advance it lose no step", "[testing]") {
    ManualClock clock;
    {
        std::vector<std::jthread> threads;
        for (int i = 0; i != 4; ++i) {
            threads.emplace_back([clock]() mutable {
                for (int step = 0; step != 1000; ++step) clock.advance(1ns);
            });
        }
    }
    CHECK(clock.now() == Instant{4000ns});
}

TEST_CASE("ManualClock: is a steady clock that is read without throwing", "[testing]") {
    STATIC_REQUIRE(dashpot::Clock<ManualClock>);
    STATIC_REQUIRE(ManualClock::is_steady);
    STATIC_REQUIRE(noexcept(std::declval<const ManualClock&>().now()));
    STATIC_REQUIRE_FALSE(std::is_convertible_v<Instant, ManualClock>);
}

TEST_CASE("ManualClock: can be made of nothing wherever a clock is asked for", "[testing]") {
    CHECK(makes_one_of_nothing<>); // as the default argument of every guard's constructor does
}

TEST_CASE("ManualClock: a sleep moves the time there, for all copies, and never back", "[testing]") {
    const ManualClock clock{Instant{5s}};
    const ManualClock copy = clock;
    clock.sleep_until(Instant{7s});
    CHECK(copy.now() == Instant{7s});
    clock.sleep_until(Instant{6s});
    CHECK(copy.now() == Instant{7s});
}

TEST_CASE("ManualClock: a sleep that is stopped moves nothing", "[testing]") {
    std::stop_source source;
    source.request_stop();
    const ManualClock clock;
    clock.sleep_until(Instant{7s}, source.get_token());
    CHECK(clock.now() == Instant{});
}

} // namespace tests::testing_manual_clock
