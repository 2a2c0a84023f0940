// SPDX-License-Identifier: MIT
#include <dashpot/core/clock.hpp>

#include "catch.hpp"

#include <chrono>
#include <cstdint>
#include <limits>
#include <ratio>

namespace tests::core_clock {

using namespace std::chrono_literals;
using dashpot::Instant;

namespace {

/// A clock of any tick, whose time is what it was made with.
template <class Duration, bool Steady = true>
struct FixedClock {
    using duration = Duration;
    using rep = typename Duration::rep;
    using period = typename Duration::period;
    using time_point = std::chrono::time_point<FixedClock>;
    static constexpr bool is_steady = Steady;

    time_point time{};
    time_point now() const noexcept { return time; }
};

template <class Duration>
Instant time_of(Duration since_epoch) {
    using Clock = FixedClock<Duration>;
    return dashpot::detail::read(Clock{typename Clock::time_point{since_epoch}});
}

struct NowIsNotConst {
    using time_point = Instant;
    static constexpr bool is_steady = true;
    time_point now() { return {}; }
};

struct NotCopyable : FixedClock<std::chrono::nanoseconds> {
    NotCopyable(const NotCopyable&) = delete;
    NotCopyable& operator=(const NotCopyable&) = delete;
};

using Milliseconds32 = std::chrono::duration<std::uint32_t, std::milli>;
using Picoseconds = std::chrono::duration<std::int64_t, std::pico>;

} // namespace

TEST_CASE("Clock: is any steady clock that is asked through an object", "[core]") {
    STATIC_REQUIRE(dashpot::Clock<std::chrono::steady_clock>);
    STATIC_REQUIRE(dashpot::Clock<dashpot::CoarseSteadyClock>);
    STATIC_REQUIRE(dashpot::Clock<FixedClock<std::chrono::nanoseconds>>);
    STATIC_REQUIRE(dashpot::Clock<FixedClock<Milliseconds32>>);
}

TEST_CASE("Clock: is no wall clock", "[core]") {
    STATIC_REQUIRE_FALSE(dashpot::Clock<std::chrono::system_clock>);
    STATIC_REQUIRE_FALSE(dashpot::Clock<FixedClock<std::chrono::nanoseconds, false>>);
}

TEST_CASE(
    "Clock: is nothing that cannot be read through a const object, copied, or told in nanoseconds",
    "[core]") {
    STATIC_REQUIRE(NowIsNotConst::is_steady);
    STATIC_REQUIRE_FALSE(dashpot::Clock<NowIsNotConst>);
    STATIC_REQUIRE_FALSE(dashpot::Clock<NotCopyable>);
    STATIC_REQUIRE_FALSE(dashpot::Clock<FixedClock<Picoseconds>>);
    STATIC_REQUIRE_FALSE(dashpot::Clock<FixedClock<std::chrono::duration<double>>>);
    STATIC_REQUIRE_FALSE(dashpot::Clock<int>);
}

TEST_CASE("Clock: is read in nanoseconds whatever its tick", "[core]") {
    CHECK(time_of(std::chrono::hours{2}).time_since_epoch() == 2h);
    CHECK(time_of(Milliseconds32{1500}).time_since_epoch() == 1500ms);
    CHECK(time_of(std::chrono::seconds{-3}).time_since_epoch() == -3s);
}

TEST_CASE("Clock: a time beyond the ends of time is read as the end", "[core]") {
    CHECK(time_of((std::chrono::hours::max)()) == (Instant::max)());
    CHECK(time_of((std::chrono::hours::min)()) == (Instant::min)());
    CHECK(time_of(Milliseconds32{(std::numeric_limits<std::uint32_t>::max)()}).time_since_epoch() ==
          4294967295ms);
}

TEST_CASE("CoarseSteadyClock: never runs backwards and keeps to the time line of the fine one",
          "[core]") {
    using dashpot::CoarseSteadyClock;
    const Instant before = CoarseSteadyClock::now();
    const Instant fine = dashpot::detail::read(dashpot::SteadyClock{});
    const Instant after = CoarseSteadyClock::now();
    CHECK(before <= after);
    CHECK(before <= fine); // a coarse reading is the past
    CHECK(CoarseSteadyClock::is_steady);
}

} // namespace tests::core_clock
