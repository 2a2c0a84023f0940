// SPDX-License-Identifier: MIT
// Rate limits that let too much through or too little, waits that were wrong, permits that were lost.
#include "catch.hpp"

#include <dashpot/guard/rate_limiter.hpp>
#include <dashpot/testing/manual_clock.hpp>

#include <chrono>
#include <cstdint>
#include <stdexcept>
#include <stop_token>
#include <thread>
#include <vector>

namespace tests::field_cases_rate_limits {

using namespace std::chrono_literals;
using dashpot::Deadline;
using dashpot::Error;
using dashpot::Instant;
using dashpot::Refusal;
using dashpot::testing::ManualClock;
using Limiter = dashpot::RateLimiter<ManualClock>;

namespace {

constexpr std::chrono::nanoseconds never = std::chrono::nanoseconds::max();

int take(Limiter& limiter, int times) {
    int granted = 0;
    for (int i = 0; i != times; ++i) granted += limiter.try_acquire() ? 1 : 0;
    return granted;
}

std::chrono::nanoseconds retry_after(Limiter& limiter, std::uint32_t permits = 1) {
    const auto permit = limiter.try_acquire(permits);
    REQUIRE_FALSE(permit);
    return permit.refusal().retry_after.value();
}

} // namespace

// The interval between two permits was rounded to whole milliseconds: 2000 a second were 1000.
TEST_CASE("RateLimiter: the k-th reservation acts at its exact time, at any rate", "[long]") {
    for (const std::uint32_t permits : {3U, 7U, 750U, 1'500U, 5'000U, 100'003U}) {
        ManualClock clock;
        Limiter limiter{{.permits = permits, .per = 1s, .burst = 1}, clock};
        for (std::uint64_t k = 0; k <= 10 * std::uint64_t{permits}; ++k) {
            const auto wait = static_cast<std::uint64_t>(limiter.reserve(10s).wait().count());
            REQUIRE(wait == (k * 1'000'000'000 + permits - 1) / permits);
        }
        CHECK(retry_after(limiter) > 10s);
    }
}

// After one pause the limit was gone: the saved-up time was capped again on each call.
TEST_CASE("RateLimiter: a pause saves up one burst, once") {
    ManualClock clock;
    Limiter limiter{{.permits = 1, .per = 1s, .burst = 2}, clock};
    CHECK(limiter.try_acquire());
    for (const auto pause : {2s, 30s}) {
        clock.advance(pause);
        CHECK(take(limiter, 25) == 2);
    }
}

// One call above the burst passed after a refill.
TEST_CASE("RateLimiter: a refill gives the burst and not one more") {
    ManualClock clock;
    Limiter limiter{{.permits = 5, .per = 1s, .burst = 5}, clock};
    for (int i = 0; i != 2; ++i) {
        CHECK(take(limiter, 6) == 5);
        clock.advance(2s);
    }
    CHECK(retry_after(limiter, 6) == never);
    CHECK(limiter.try_acquire(5));
}

// A caller that waited as it was told was refused again, or was told to wait for 0.
TEST_CASE("RateLimiter: the wait of a refusal is neither too short nor too long") {
    for (const std::uint32_t permits : {3U, 7U, 11U, 750U, 1'000'000U}) {
        ManualClock clock;
        Limiter limiter{{.permits = permits, .per = 1s, .burst = 4}, clock};
        CHECK(take(limiter, 5) == 4);
        clock.advance(std::chrono::nanoseconds{100'000'000 / permits});
        const auto wait = retry_after(limiter);
        CHECK(wait > 0ns);
        clock.advance(wait - 1ns);
        CHECK_FALSE(limiter.try_acquire());
        clock.advance(1ns);
        CHECK(limiter.try_acquire());
    }
    ManualClock clock;
    Limiter limiter{{.permits = 3, .per = 1s, .burst = 1}, clock};
    CHECK(limiter.try_acquire());
    clock.advance(100ms);
    CHECK(retry_after(limiter) == 233'333'334ns);
}

// A request that the bucket can never hold got a wait, and exactly the burst was called impossible.
TEST_CASE("RateLimiter: exactly the burst can be had, one more never") {
    ManualClock clock;
    Limiter limiter{{.permits = 3, .per = 2s, .burst = 3}, clock};
    CHECK(retry_after(limiter, 4) == never);
    CHECK(limiter.try_acquire(3));
    CHECK(retry_after(limiter, 3) == 2s);
    CHECK(retry_after(limiter, 4) == never);
}

// A rate of 0 admitted everything, or crashed.
TEST_CASE("RateLimiter: a rate of zero is refused, and the old rate stays") {
    ManualClock clock;
    Limiter limiter{{.permits = 1, .per = 1s, .burst = 1}, clock};
    CHECK(limiter.try_acquire());
    CHECK_THROWS_AS(limiter.reconfigure({.permits = 0, .per = 1s}), std::invalid_argument);
    CHECK_THROWS_AS(limiter.reconfigure({.permits = 1, .per = 0s}), std::invalid_argument);
    CHECK_THROWS_AS(limiter.reconfigure({.permits = 1, .per = -1s}), std::invalid_argument);
    CHECK_THROWS_AS(limiter.reconfigure({.permits = 1, .per = 1s, .burst = 0}), std::invalid_argument);
    CHECK(retry_after(limiter) == 1s);
}

// Refused calls were counted as if they had been made.
TEST_CASE("RateLimiter: refusals delay nothing") {
    ManualClock clock;
    Limiter limiter{{.permits = 10, .per = 1s, .burst = 10}, clock};
    CHECK(take(limiter, 1010) == 10);
    clock.advance(100ms);
    CHECK(take(limiter, 2) == 1);
}

// A wait that could not succeed slept first, took a permit although it was stopped, or kept its place.
TEST_CASE("RateLimiter: a wait that cannot succeed is refused at once and takes nothing") {
    ManualClock clock;
    Limiter limiter{{.permits = 1, .per = 1s, .burst = 1}, clock};
    CHECK(limiter.try_acquire());
    CHECK(limiter.acquire(Deadline{Instant{500ms}}).refusal() == Refusal{Error::deadline_exceeded, 1s});
    CHECK(clock.now() == Instant{});
    clock.advance(1s);
    std::stop_source stopped;
    stopped.request_stop();
    CHECK(limiter.acquire(Deadline{}, stopped.get_token()).refusal() == Refusal{Error::cancelled});
    CHECK(limiter.available() == 1);
    CHECK(limiter.try_acquire());
    clock.advance(500ms);
    CHECK(limiter.acquire(Deadline{Instant{2s}})); // the deadline is inclusive
    CHECK(clock.now() == Instant{2s});
}

// Cancelled reservations gave back too little, or so much that the limit was exceeded.
TEST_CASE("RateLimiter: cancelled reservations give back exactly what they took") {
    ManualClock clock;
    Limiter limiter{{.permits = 10, .per = 1s, .burst = 1}, clock};
    CHECK(limiter.try_acquire());
    auto first = limiter.reserve(1s);
    auto second = limiter.reserve(1s);
    auto third = limiter.reserve(1s);
    CHECK(third.wait() == 300ms);
    SECTION("the newest") {
        CHECK(third.cancel());
        CHECK(limiter.reserve(1s).wait() == 300ms);
    }
    SECTION("the newest, twice") {
        CHECK(third.cancel());
        CHECK_FALSE(third.cancel());
        CHECK(limiter.reserve(1s).wait() == 300ms);
        CHECK(limiter.reserve(1s).wait() == 400ms);
    }
    SECTION("too late") {
        clock.advance(350ms);
        const auto before = retry_after(limiter);
        CHECK_FALSE(second.cancel());
        CHECK(retry_after(limiter) == before);
    }
    SECTION("the oldest") {
        CHECK_FALSE(first.cancel());
        CHECK(limiter.reserve(1s).wait() == 400ms);
    }
    SECTION("all, newest first") {
        CHECK((third.cancel() && second.cancel() && first.cancel()));
        CHECK(limiter.reserve(1s).wait() == 100ms);
    }
}

// Setting the rate before each call switched the limit off: each setting filled the bucket.
TEST_CASE("RateLimiter: setting the rate fills nothing") {
    ManualClock clock;
    Limiter limiter{{.permits = 10, .per = 1s, .burst = 10}, clock};
    CHECK(take(limiter, 10) == 10);
    for (int i = 0; i != 20; ++i) {
        limiter.reconfigure({.permits = 20, .per = 1s, .burst = 20});
        CHECK(limiter.available() == 0);
    }
    clock.advance(500ms);
    CHECK(limiter.available() == 10);
    int granted = 0;
    for (int i = 0; i != 30; ++i) {
        limiter.reconfigure({.permits = 20, .per = 1s, .burst = 20});
        granted += take(limiter, 1);
    }
    CHECK(granted == 10);
}

// Threads that waited slept on at the old rate, for an hour.
TEST_CASE("RateLimiter: threads that wait go by the rate that was set last") {
    dashpot::RateLimiter<> limiter{{.permits = 1, .per = 1h, .burst = 1}};
    CHECK(limiter.try_acquire());
    bool is_granted = false;
    {
        const std::jthread waiting{[&] { is_granted = bool{limiter.acquire(Deadline{})}; }};
        while (limiter.waiting() != 1) std::this_thread::yield();
        limiter.reconfigure({.permits = 1000, .per = 1s, .burst = 1});
    }
    CHECK(is_granted);
}

// Refusals far below the limit: a lost exchange was reported as "no permits".
TEST_CASE("RateLimiter: threads that only meet are not refused") {
    ManualClock clock;
    Limiter limiter{{.permits = 4'000'000'000, .per = 1s}, clock};
    {
        std::vector<std::jthread> threads;
        for (int i = 0; i != 8; ++i) {
            threads.emplace_back([&] {
                for (int turn = 0; turn != 20'000; ++turn) (void)limiter.try_acquire();
            });
        }
    }
    CHECK(limiter.refused() == 0);
}

} // namespace tests::field_cases_rate_limits
