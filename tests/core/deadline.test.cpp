// SPDX-License-Identifier: MIT
#include <dashpot/core/deadline.hpp>
#include <dashpot/testing/manual_clock.hpp>

#include "catch.hpp"

#include <chrono>

namespace tests::core_deadline {

using namespace std::chrono_literals;
using dashpot::Deadline;
using dashpot::earlier;
using dashpot::Instant;
using dashpot::testing::ManualClock;

namespace {

constexpr auto longest = (std::chrono::nanoseconds::max)();
constexpr Instant first = (Instant::min)();
constexpr Instant last = (Instant::max)();

} // namespace

TEST_CASE("Deadline: is never by default", "[core]") {
    STATIC_REQUIRE(Deadline{}.is_never());
    STATIC_REQUIRE(Deadline{}.at() == last);
    const ManualClock clock{last};
    CHECK_FALSE(Deadline{}.has_passed(clock));
    CHECK(Deadline{}.remaining(clock) == longest);
}

TEST_CASE("Deadline: has passed from its own instant on", "[core]") {
    ManualClock clock{Instant{5s}};
    const Deadline deadline{Instant{7s}};
    clock.advance(2s - 1ns);
    CHECK_FALSE(deadline.has_passed(clock));
    CHECK(deadline.remaining(clock) == 1ns);
    clock.advance(1ns);
    CHECK(deadline.has_passed(clock));
    CHECK(deadline.remaining(clock) == 0ns);
    clock.advance(1h);
    CHECK(deadline.has_passed(clock));
    CHECK(deadline.remaining(clock) == 0ns);
}

TEST_CASE("Deadline: after() counts from now", "[core]") {
    const ManualClock clock{Instant{5s}};
    CHECK(Deadline::after(2s, clock).at() == Instant{7s});
    CHECK(Deadline::after(0s, clock).has_passed(clock));
    CHECK(Deadline::after(-1s, clock).at() == Instant{4s});
    CHECK(Deadline::after(1h).remaining() > 59min);
    CHECK_FALSE(Deadline::after(1h).has_passed());
}

TEST_CASE("Deadline: after() saturates to never at the end of time", "[core]") {
    CHECK(Deadline::after(longest, ManualClock{}).is_never());
    CHECK(Deadline::after(std::chrono::hours::max(), ManualClock{Instant{1ns}}).is_never());
    CHECK_FALSE(Deadline::after(longest, ManualClock{Instant{-1ns}}).is_never());
    CHECK(Deadline::after((std::chrono::nanoseconds::min)(), ManualClock{Instant{-1ns}}).at() == first);
}

TEST_CASE("Deadline: the remaining time saturates where it does not fit", "[core]") {
    CHECK(Deadline{last}.remaining(ManualClock{first}) == longest);
    CHECK(Deadline{Instant{longest}}.remaining(ManualClock{Instant{-1ns}}) == longest);
    CHECK(Deadline{first}.remaining(ManualClock{last}) == 0ns);
}

TEST_CASE("Deadline: the last instant is a point in time, and not never", "[core]") {
    STATIC_REQUIRE_FALSE(Deadline{last}.is_never());
    CHECK(Deadline{last}.has_passed(ManualClock{last}));
    CHECK_FALSE(Deadline{last}.has_passed(ManualClock{last - 1ns}));
}

TEST_CASE("Deadline: an earlier one is less than a later one, and all are less than never", "[core]") {
    STATIC_REQUIRE(Deadline{Instant{1ns}} < Deadline{Instant{2ns}});
    STATIC_REQUIRE(Deadline{Instant{-1ns}} < Deadline{Instant{1ns}});
    STATIC_REQUIRE(Deadline{last} < Deadline{});
    STATIC_REQUIRE(Deadline{first} < Deadline{});
    STATIC_REQUIRE(Deadline{} == Deadline{});
    STATIC_REQUIRE(Deadline{Instant{1ns}} == Deadline{Instant{1ns}});
    STATIC_REQUIRE(Deadline{last} != Deadline{});
    STATIC_REQUIRE(Deadline{} <= Deadline{});
}

TEST_CASE("Deadline: earlier() chooses", "[core]") {
    constexpr Deadline one{Instant{1s}}, two{Instant{2s}};
    STATIC_REQUIRE(earlier(one, two) == one);
    STATIC_REQUIRE(earlier(two, one) == one);
    STATIC_REQUIRE(earlier(Deadline{}, two) == two);
    STATIC_REQUIRE(earlier(two, Deadline{}) == two);
    STATIC_REQUIRE(earlier(Deadline{}, Deadline{}).is_never());
}

TEST_CASE("Deadline: with the time given, it is usable in constant expressions", "[core]") {
    STATIC_REQUIRE(Deadline{Instant{5s}}.remaining_at(Instant{3s}) == 2s);
    STATIC_REQUIRE(Deadline{Instant{5s}}.has_passed_at(Instant{5s}));
    STATIC_REQUIRE_FALSE(Deadline{}.has_passed_at(last));
    STATIC_REQUIRE(Deadline{}.remaining_at(last) == longest);
}

} // namespace tests::core_deadline
