// SPDX-License-Identifier: MIT
#include <dashpot/guard/rate_limiter.hpp>
#include <dashpot/testing/manual_clock.hpp>

#include "catch.hpp"

#include <chrono>
#include <concepts>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <type_traits>
#include <utility>

namespace tests::guard_rate_limiter {

using namespace std::chrono_literals;
using dashpot::Deadline;
using dashpot::Error;
using dashpot::Instant;
using dashpot::RateLimit;
using dashpot::Refusal;
using dashpot::testing::ManualClock;
using Limiter = dashpot::RateLimiter<ManualClock>;

namespace {

constexpr std::uint32_t most = std::numeric_limits<std::uint32_t>::max();
constexpr std::chrono::nanoseconds never = std::chrono::nanoseconds::max();

/// The second has a rate that one word cannot hold: it is kept under the lock.
const RateLimit in_a_word{.permits = 10, .per = 1s, .burst = 10};
const RateLimit under_the_lock{.permits = 1000, .per = 100'003'000'000ns, .burst = 10};

int take_all(Limiter& limiter) {
    int taken = 0;
    while (limiter.try_acquire()) ++taken;
    return taken;
}

Refusal refused(Limiter& limiter, std::uint32_t permits = 1) {
    const auto permit = limiter.try_acquire(permits);
    REQUIRE_FALSE(permit);
    return permit.refusal();
}

} // namespace

TEST_CASE("RateLimiter: grants the burst, then refuses with the exact wait", "[guard]") {
    ManualClock clock;
    for (const std::uint32_t permits : {1U, 3U, 7U, 11U, 64U, 67U, 750U, 1'000'003U}) {
        Limiter limiter{{.permits = permits, .per = 1s, .burst = 4}, clock};
        CHECK(limiter.available() == 4);
        CHECK(take_all(limiter) == 4);
        clock.advance(std::chrono::nanoseconds{1'000'000'000 / permits / 10});
        const Refusal refusal = refused(limiter);
        CHECK(refusal.reason == Error::rate_limited);
        CHECK(refusal.retry_after > 0ns);
        clock.advance(*refusal.retry_after - 1ns);
        CHECK(refused(limiter).retry_after == 1ns);
        clock.advance(1ns);
        CHECK(limiter.try_acquire());
        CHECK_FALSE(limiter.try_acquire());
    }
}

TEST_CASE("RateLimiter: a request of several permits is granted whole or not at all", "[guard]") {
    ManualClock clock;
    for (const RateLimit& limit : {in_a_word, under_the_lock}) {
        Limiter limiter{limit, clock};
        CHECK(limiter.try_acquire(7));
        CHECK(refused(limiter, 4).retry_after == limit.per / limit.permits);
        CHECK(limiter.available() == 3);
        CHECK(limiter.try_acquire(3));
        CHECK(limiter.available() == 0);
    }
}

TEST_CASE("RateLimiter: more than the burst is never granted, and none always", "[guard]") {
    ManualClock clock;
    for (const RateLimit& limit : {in_a_word, under_the_lock}) {
        Limiter limiter{limit, clock};
        CHECK(refused(limiter, 11) == Refusal{Error::rate_limited, never});
        CHECK(refused(limiter, most) == Refusal{Error::rate_limited, never});
        CHECK(limiter.reserve(std::chrono::hours::max(), 11).refusal() ==
              Refusal{Error::rate_limited, never});
        CHECK(limiter.acquire(Deadline{}, {}, 11).refusal() == Refusal{Error::rate_limited, never});
        CHECK(limiter.available() == 10);
        CHECK(limiter.try_acquire(10));
        CHECK(limiter.try_acquire(0));
        CHECK(limiter.reserve(0ns, 0));
        CHECK(limiter.reserve(-1ns, 0).wait() == 0ns);
        CHECK(limiter.acquire(Deadline{Instant::min()}, {}, 0));
        CHECK(clock.now() == Instant{});
        CHECK(limiter.refused() == 4);
    }
}

TEST_CASE("RateLimiter: a refusal takes nothing and delays no other request", "[guard]") {
    ManualClock clock;
    for (const RateLimit& limit : {in_a_word, under_the_lock}) {
        Limiter limiter{limit, clock};
        CHECK(take_all(limiter) == 10);
        for (int i = 0; i != 1000; ++i) CHECK_FALSE(limiter.try_acquire(5));
        CHECK(limiter.refused() == 1001);
        clock.advance(limit.per / limit.permits);
        CHECK(limiter.try_acquire());
        CHECK_FALSE(limiter.try_acquire());
    }
}

TEST_CASE("RateLimiter: is full after any idle time, and works at both ends of time", "[guard]") {
    for (const RateLimit& limit : {in_a_word, under_the_lock}) {
        ManualClock clock{Instant::min()};
        Limiter limiter{limit, clock};
        CHECK(take_all(limiter) == 10);
        for (const Instant time : {Instant{-1h}, Instant{}, Instant{1s} + 24h * 365 * 20,
                                   Instant::max() - 1h, Instant::max()}) {
            clock.set(time);
            CHECK(limiter.available() == 10);
            CHECK(take_all(limiter) == 10);
        }
        CHECK(refused(limiter).retry_after == limit.per / limit.permits);
    }
}

TEST_CASE("RateLimiter: a clock that steps back earns nothing twice and takes nothing away",
          "[guard]") {
    const RateLimit& limit = GENERATE(true, false) ? in_a_word : under_the_lock;
    ManualClock clock{Instant{1000s}};
    Limiter limiter{limit, clock};
    const auto one = limit.per / limit.permits;
    CHECK(take_all(limiter) == 10);
    clock.advance(3 * one);
    SECTION("after a grant") {
        CHECK(limiter.try_acquire());
        clock.advance(-100 * one);
        CHECK(limiter.available() == 2);
        CHECK(take_all(limiter) == 2);
    }
    SECTION("after a refusal") {
        CHECK_FALSE(limiter.try_acquire(4));
        clock.advance(-100 * one);
        CHECK(limiter.try_acquire(2));
        CHECK(limiter.try_acquire(1));
    }
    SECTION("after a look") {
        CHECK(limiter.available() == 3);
        clock.advance(-100 * one);
        CHECK(limiter.available() == 3);
        CHECK(take_all(limiter) == 3);
    }
    CHECK(refused(limiter).retry_after == 101 * one);
    clock.advance(100 * one);
    CHECK(refused(limiter).retry_after == one);
    clock.advance(one);
    CHECK(take_all(limiter) == 1);
}

TEST_CASE("RateLimiter: rates from one a day to four billion a second", "[guard]") {
    ManualClock clock;
    Limiter daily{{.permits = 1, .per = 24h}, clock};
    CHECK(daily.try_acquire());
    CHECK(refused(daily).retry_after == 24h);
    Limiter fast{{.permits = 4'000'000'000, .per = 1s, .burst = most}, clock};
    CHECK(fast.try_acquire(most));
    CHECK(refused(fast).retry_after == 1ns);
    CHECK(refused(fast, 5).retry_after == 2ns);
    clock.advance(1ns);
    CHECK(fast.available() == 4);
    CHECK(fast.try_acquire(4));
    CHECK_FALSE(fast.try_acquire());
    Limiter fastest{{.permits = most, .per = 1ns}, clock};
    CHECK(fastest.try_acquire(most));
    CHECK(refused(fastest, most).retry_after == 1ns);
    clock.advance(1ns);
    CHECK(fastest.try_acquire(most));
}

TEST_CASE("RateLimiter: reservations are in order, and nothing overtakes them", "[guard]") {
    ManualClock clock;
    for (const RateLimit& limit : {in_a_word, under_the_lock}) {
        Limiter limiter{limit, clock};
        const auto one = limit.per / limit.permits;
        CHECK(limiter.reserve(0ns, 10).wait() == 0ns);
        CHECK(limiter.reserve(one).wait() == one);
        CHECK(limiter.reserve(3 * one, 2).wait() == 3 * one);
        const auto refused_one = limiter.reserve(4 * one - 1ns);
        CHECK_FALSE(refused_one);
        CHECK(refused_one.refusal() == Refusal{Error::rate_limited, 1ns});
        CHECK(refused(limiter).retry_after == 4 * one);
        clock.advance(3 * one);
        CHECK(refused(limiter).retry_after == one);
        CHECK(limiter.reserve(-1ns).refusal().retry_after == never);
        clock.advance(one);
        CHECK(limiter.try_acquire());
    }
}

TEST_CASE("RateLimiter: only the newest reservation can be cancelled, once, before its time",
          "[guard]") {
    const RateLimit& limit = GENERATE(true, false) ? in_a_word : under_the_lock;
    ManualClock clock;
    Limiter limiter{limit, clock};
    const auto one = limit.per / limit.permits;
    auto at_once = limiter.reserve(0ns, 10);
    CHECK_FALSE(at_once.cancel());
    auto first = limiter.reserve(10s + 10 * one);
    auto second = limiter.reserve(10s + 10 * one);
    auto third = limiter.reserve(10s + 10 * one);
    CHECK(third.wait() == 3 * one);
    SECTION("the newest") {
        CHECK(third.cancel());
        CHECK_FALSE(third.cancel());
        CHECK(limiter.reserve(10s + 10 * one).wait() == 3 * one);
        CHECK_FALSE(third.cancel());
        CHECK(limiter.reserve(10s + 10 * one).wait() == 4 * one);
    }
    SECTION("all, newest first") {
        CHECK(third.cancel());
        CHECK(second.cancel());
        CHECK(first.cancel());
        CHECK(limiter.reserve(10s + 10 * one).wait() == one);
    }
    SECTION("an older one is forfeited for good") {
        CHECK_FALSE(first.cancel());
        CHECK(refused(limiter).retry_after == 4 * one);
        CHECK(third.cancel());
        CHECK(second.cancel());
        CHECK_FALSE(first.cancel());
        CHECK(refused(limiter).retry_after == 2 * one);
    }
    SECTION("one nanosecond before its time, and at its time") {
        clock.advance(3 * one - 1ns);
        auto moved = std::move(third);
        CHECK_FALSE(third.cancel()); // NOLINT(bugprone-use-after-move): that is the question
        CHECK(moved.cancel());
        CHECK(refused(limiter).retry_after == 1ns);
        auto again = limiter.reserve(one);
        CHECK(again.wait() == 1ns);
        clock.advance(1ns);
        CHECK_FALSE(again.cancel());
    }
}

TEST_CASE("RateLimiter: acquire waits for its permits", "[guard]") {
    ManualClock clock;
    for (const RateLimit& limit : {in_a_word, under_the_lock}) {
        Limiter limiter{limit, clock};
        const auto one = limit.per / limit.permits;
        const Instant start = clock.now();
        for (int i = 0; i != 10; ++i) CHECK(limiter.acquire(Deadline{}));
        CHECK(clock.now() == start);
        CHECK(limiter.acquire(Deadline{}));
        CHECK(clock.now() == start + one);
        CHECK(limiter.acquire(Deadline{}, {}, 3));
        CHECK(clock.now() == start + 4 * one);
        CHECK(limiter.waiting() == 0);
        CHECK(limiter.refused() == 0);
    }
}

TEST_CASE("RateLimiter: acquire refuses at once what cannot be in time, exactly", "[guard]") {
    for (const RateLimit& limit : {in_a_word, under_the_lock}) {
        ManualClock clock;
        Limiter limiter{limit, clock};
        const auto one = limit.per / limit.permits;
        CHECK(limiter.acquire(Deadline{clock.now()}, {}, 10)); // at the deadline is in time
        CHECK(limiter.acquire(Deadline{clock.now() + one - 1ns}).refusal() ==
              Refusal{Error::deadline_exceeded, one});
        CHECK(limiter.acquire(Deadline{Instant::min()}).refusal() ==
              Refusal{Error::deadline_exceeded, one});
        CHECK(clock.now() == Instant{});
        CHECK(limiter.acquire(Deadline{clock.now() + one}));
        CHECK(clock.now() == Instant{one});
        clock.advance(one);
        CHECK(limiter.acquire(Deadline{clock.now() - 1ns}).refusal() ==
              Refusal{Error::deadline_exceeded, 0ns});
        CHECK(limiter.available() == 1);
        CHECK(limiter.refused() == 3);
    }
}

TEST_CASE("RateLimiter: acquire looks at the stop token before it takes anything", "[guard]") {
    ManualClock clock;
    Limiter limiter{in_a_word, clock};
    std::stop_source source;
    source.request_stop();
    CHECK(limiter.acquire(Deadline{}, source.get_token()).refusal() == Refusal{Error::cancelled});
    CHECK(limiter.acquire(Deadline{}, source.get_token(), 0).refusal() == Refusal{Error::cancelled});
    CHECK(limiter.acquire(Deadline{}, source.get_token(), 11).refusal() == Refusal{Error::cancelled});
    CHECK(limiter.available() == 10);
}

TEST_CASE("RateLimiter: reconfigure keeps permits and debt as numbers", "[guard]") {
    ManualClock clock;
    Limiter limiter{in_a_word, clock};
    CHECK(take_all(limiter) == 10);
    for (int i = 0; i != 20; ++i) limiter.reconfigure({.permits = 20, .per = 1s, .burst = 20});
    CHECK(limiter.available() == 0);
    clock.advance(500ms);
    CHECK(limiter.available() == 10);
    limiter.reconfigure({.permits = 1, .per = 1s, .burst = 4});
    CHECK(limiter.available() == 4);
    CHECK(limiter.limit() == RateLimit{.permits = 1, .per = 1s, .burst = 4});
    CHECK(limiter.try_acquire(4));
    CHECK(limiter.reserve(5s, 2).wait() == 2s);
    limiter.reconfigure(under_the_lock); // still two permits short
    const auto one = under_the_lock.per / under_the_lock.permits;
    CHECK(refused(limiter).retry_after == 3 * one);
    clock.advance(one);
    limiter.reconfigure({.permits = 4, .per = 1s, .burst = 4});
    CHECK(refused(limiter).retry_after == 500ms);
    CHECK_THROWS_AS(limiter.reconfigure({.permits = 0}), std::invalid_argument);
    CHECK(limiter.limit().permits == 4);
}

TEST_CASE("RateLimiter: setting equal values between any two requests changes nothing", "[guard]") {
    ManualClock clock;
    Limiter limiter{{.permits = 7, .per = 1s, .burst = 7}, clock};
    CHECK(take_all(limiter) == 7);
    int granted = 0;
    for (int i = 0; i != 1000; ++i) {
        clock.advance(10ms);
        limiter.reconfigure({.permits = 7, .per = 1s});
        granted += limiter.try_acquire() ? 1 : 0;
    }
    CHECK(granted == 70);
}

TEST_CASE("RateLimiter: a reservation can be cancelled after a reconfigure", "[guard]") {
    ManualClock clock;
    Limiter limiter{in_a_word, clock};
    CHECK(take_all(limiter) == 10);
    auto early = limiter.reserve(1s);
    auto late = limiter.reserve(1s, 3);
    limiter.reconfigure({.permits = 1, .per = 1s, .burst = 10});
    CHECK(late.cancel());
    CHECK(refused(limiter).retry_after == 2s);
    limiter.reconfigure({.permits = 1000, .per = 1s, .burst = 2});
    clock.advance(50ms); // the permit of `early` is earned, but its time has not come
    CHECK(limiter.available() == 2);
    CHECK(early.cancel());
    CHECK(limiter.available() == 2); // no more than fits
}

TEST_CASE("RateLimiter: shows all its numbers", "[guard]") {
    ManualClock clock;
    Limiter limiter{{.permits = 2, .per = 1s}, clock};
    CHECK(limiter.try_acquire());
    CHECK_FALSE(limiter.try_acquire(2));
    const Limiter::Snapshot now = limiter.snapshot();
    CHECK(now.limit == RateLimit{.permits = 2, .per = 1s});
    CHECK(now.available == 1);
    CHECK(now.waiting == 0);
    CHECK(now.refused == 1);
}

TEST_CASE("RateLimiter: refuses a limit out of range at construction", "[guard]") {
    CHECK_THROWS_AS(dashpot::RateLimiter<>{{.permits = 0}}, std::invalid_argument);
    CHECK_THROWS_AS(dashpot::RateLimiter<>{{.per = 0s}}, std::invalid_argument);
    CHECK_THROWS_AS(dashpot::RateLimiter<>{{.burst = 0}}, std::invalid_argument);
}

TEST_CASE("RateLimiter: is pinned where it is, and only waits may throw", "[guard]") {
    STATIC_REQUIRE_FALSE(std::is_copy_constructible_v<Limiter>);
    STATIC_REQUIRE_FALSE(std::is_move_constructible_v<Limiter>);
    STATIC_REQUIRE_FALSE(std::is_copy_constructible_v<Limiter::Reservation>);
    STATIC_REQUIRE(std::is_nothrow_move_constructible_v<Limiter::Reservation>);
    STATIC_REQUIRE(std::is_nothrow_move_assignable_v<Limiter::Reservation>);
    STATIC_REQUIRE_FALSE(std::is_convertible_v<Limiter::Permit, bool>);
    STATIC_REQUIRE(requires(Limiter& limiter, const Limiter& read, Limiter::Reservation& reservation,
                            dashpot::Nanoseconds wait) {
        { limiter.try_acquire() } noexcept -> std::same_as<Limiter::Permit>;
        { limiter.try_acquire(3U) } noexcept -> std::same_as<Limiter::Permit>;
        { limiter.reserve(wait) } noexcept -> std::same_as<Limiter::Reservation>;
        { reservation.cancel() } noexcept -> std::same_as<bool>;
        { reservation.wait() } noexcept -> std::same_as<std::chrono::nanoseconds>;
        { read.available() } noexcept -> std::same_as<std::uint32_t>;
        { read.refused() } noexcept -> std::same_as<std::uint64_t>;
        { read.limit() } noexcept -> std::same_as<RateLimit>;
        { read.snapshot() } noexcept -> std::same_as<Limiter::Snapshot>;
    });
}

} // namespace tests::guard_rate_limiter
