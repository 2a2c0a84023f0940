// SPDX-License-Identifier: MIT
#include <dashpot/policy/rate_limit.hpp>

#include "catch.hpp"

#include <chrono>
#include <cstdint>
#include <limits>
#include <sstream>
#include <stdexcept>
#include <string>

namespace tests::policy_rate_limit {

using namespace std::chrono_literals;
using dashpot::Instant;
using dashpot::RateLimit;
using Bucket = RateLimit::Bucket;

namespace {

constexpr std::uint32_t most = std::numeric_limits<std::uint32_t>::max();

constexpr Instant at(std::chrono::nanoseconds time) { return Instant{time}; }

constexpr std::uint32_t take_all(Bucket& bucket, Instant now) {
    std::uint32_t taken = 0;
    for (; bucket.wait(now, 1) == 0ns; ++taken) (void)bucket.take(now, 1);
    return taken;
}

constexpr bool grants_what_it_says() {
    Bucket bucket{{.permits = 3, .per = 1s, .burst = 2}, at(0s)};
    if (take_all(bucket, at(0s)) != 2) return false;
    const auto wait = bucket.wait(at(100ms), 1);
    return wait == 233'333'334ns && bucket.wait(at(100ms) + wait - 1ns, 1) == 1ns &&
           bucket.wait(at(100ms) + wait, 1) == 0ns;
}
static_assert(grants_what_it_says());

constexpr bool is_full_again_after_any_time() {
    Bucket bucket{{.permits = 1, .per = 24h, .burst = 5}, Instant::min()};
    return take_all(bucket, Instant::min()) == 5 && take_all(bucket, Instant::max()) == 5 &&
           take_all(bucket, Instant::min()) == 0 && bucket.available(Instant::max()) == 0;
}
static_assert(is_full_again_after_any_time());

constexpr bool keeps_numbers_at_another_rate() {
    Bucket bucket{{.permits = 10, .per = 1s, .burst = 10}, at(0s)};
    (void)take_all(bucket, at(0s));
    bucket.reconfigure({.permits = 1, .per = 1s, .burst = 20}, at(250ms)); // two and a half
    return bucket.available(at(250ms)) == 2 && bucket.wait(at(250ms), 3) == 500ms;
}
static_assert(keeps_numbers_at_another_rate());

std::string message_of(const RateLimit& limit) {
    try {
        limit.validate();
    } catch (const std::invalid_argument& error) {
        return error.what();
    }
    return "accepted";
}

std::string printed(const RateLimit& limit) {
    std::ostringstream out;
    out << limit;
    return out.str();
}

} // namespace

TEST_CASE("RateLimit: refuses a zero by name", "[policy]") {
    CHECK(message_of({}) == "accepted");
    CHECK(message_of({.permits = 0}) == "RateLimit::permits is 0, must be 1 or more");
    CHECK(message_of({.per = 0s}) == "RateLimit::per is 0s, must be longer than 0s");
    CHECK(message_of({.per = -1ns}) == "RateLimit::per is -1ns, must be longer than 0s");
    CHECK(message_of({.burst = 0}) == "RateLimit::burst is 0, must be 1 or more");
    CHECK(message_of({.permits = most, .per = 1ns, .burst = most}) == "accepted");
    CHECK(message_of({.permits = 1, .per = std::chrono::hours::max(), .burst = 1}) == "accepted");
    CHECK_THROWS_AS(Bucket(RateLimit{.permits = 0}, Instant{}), std::invalid_argument);
}

TEST_CASE("RateLimit: prints itself as the initializer that makes it", "[policy]") {
    CHECK(printed({}) == "RateLimit{.permits = 100, .per = 1s}");
    CHECK(printed({.permits = 3, .per = 90s, .burst = 1}) ==
          "RateLimit{.permits = 3, .per = 90s, .burst = 1}");
}

TEST_CASE("Bucket: is full at the start, with as many permits as the rate has by default", "[policy]") {
    Bucket bucket{{.permits = 7, .per = 1s}, at(5s)};
    CHECK(bucket.available(at(5s)) == 7);
    CHECK(take_all(bucket, at(5s)) == 7);
    CHECK(bucket.available(at(5s)) == 0);
}

TEST_CASE("Bucket: three a second grants exactly three million in a million seconds",
          "[policy][long]") {
    Bucket bucket{{.permits = 3, .per = 1s, .burst = 4}, at(0s)};
    std::uint32_t granted = take_all(bucket, at(0s));
    CHECK(granted == 4);
    // Saturated asking: at each instant at which the next permit is earned, and not before.
    Instant now = at(0s);
    while (true) {
        const auto wait = bucket.wait(now, 1);
        if (now + wait > at(1'000'000s)) break;
        now += wait;
        (void)bucket.take(now, 1);
        ++granted;
    }
    CHECK(granted == 3'000'004);
    CHECK(now == at(1'000'000s));
}

TEST_CASE("Bucket: a request for more than the burst can never be granted, for none always",
          "[policy]") {
    Bucket bucket{{.permits = 3, .per = 2s, .burst = 3}, at(0s)};
    CHECK(bucket.wait(at(0s), 4) == Bucket::never);
    CHECK(bucket.wait(at(0s), most) == Bucket::never);
    CHECK(take_all(bucket, at(0s)) == 3);
    CHECK(bucket.wait(at(0s), 3) == 2s);
    CHECK(bucket.wait(at(0s), 0) == 0s);
    const Bucket before = bucket;
    (void)bucket.take(at(0s), 0);
    CHECK(bucket == before);
}

TEST_CASE("Bucket: a clock that steps back earns nothing twice and takes nothing away", "[policy]") {
    Bucket bucket{{.permits = 1, .per = 1s, .burst = 5}, at(100s)};
    (void)bucket.take(at(100s), 3);
    CHECK(bucket.available(at(40s)) == 2);
    CHECK(take_all(bucket, at(40s)) == 2);
    CHECK(bucket.wait(at(40s), 1) == 61s);
    CHECK(bucket.available(at(100s)) == 0);
    CHECK(bucket.available(at(101s)) == 1);
    bucket.observe(at(103s));
    CHECK(bucket.available(at(99s)) == 3);
}

TEST_CASE("Bucket: future permits are promised in order", "[policy]") {
    Bucket bucket{{.permits = 10, .per = 1s, .burst = 1}, at(0s)};
    (void)bucket.take(at(0s), 1);
    const auto first = bucket.take(at(0s), 1);
    const auto second = bucket.take(at(0s), 1);
    CHECK(bucket.wait_for(first, at(0s)) == 100ms);
    CHECK(bucket.wait_for(second, at(0s)) == 200ms);
    CHECK_FALSE(bucket.is_due(first, at(100ms) - 1ns));
    CHECK(bucket.is_due(first, at(100ms)));
    CHECK(bucket.wait(at(0s), 1) == 300ms);
    CHECK(bucket.permits_behind(first) == dashpot::detail::Wide{0, 1});
    CHECK(bucket.place_before({0, 1}) == first);
    bucket.give_back(1);
    CHECK(bucket.wait(at(0s), 1) == 200ms);
    CHECK(bucket.moved_up(second, 1) == first);
}

TEST_CASE("Bucket: gives back no more than fits", "[policy]") {
    Bucket bucket{{.permits = 1, .per = 1s, .burst = 3}, at(0s)};
    (void)bucket.take(at(0s), 1);
    bucket.give_back(3);
    CHECK(bucket.available(at(0s)) == 3);
    CHECK(take_all(bucket, at(1s)) == 3);
    CHECK(bucket.wait(at(1s), 1) == 1s);
}

TEST_CASE("Bucket: reconfigure settles at the old rate and keeps permits as a number", "[policy]") {
    Bucket bucket{{.permits = 10, .per = 1s, .burst = 10}, at(0s)};
    CHECK(take_all(bucket, at(0s)) == 10);
    SECTION("a bigger burst gives nothing") {
        bucket.reconfigure({.permits = 20, .per = 1s, .burst = 20}, at(0s));
        CHECK(bucket.available(at(0s)) == 0);
        CHECK(bucket.available(at(500ms)) == 10);
        CHECK(bucket.available(at(10s)) == 20);
    }
    SECTION("a smaller burst caps") {
        bucket.reconfigure({.permits = 10, .per = 1s, .burst = 4}, at(900ms));
        CHECK(bucket.available(at(900ms)) == 4);
        CHECK(bucket.wait(at(900ms), 5) == Bucket::never);
    }
    SECTION("a part of a permit is kept too") {
        bucket.reconfigure({.permits = 2, .per = 1s, .burst = 10}, at(70ms)); // 0.7 permits
        CHECK(bucket.wait(at(70ms), 1) == 150ms);
    }
    SECTION("a debt is kept") {
        (void)bucket.take(at(0s), 5);
        bucket.reconfigure({.permits = 1, .per = 1s, .burst = 10}, at(100ms)); // four are missing
        CHECK(bucket.wait(at(100ms), 1) == 5s);
    }
    SECTION("the same rate changes nothing, however it is written") {
        const Bucket before = bucket;
        CHECK(bucket.has_rate_of({.permits = 20, .per = 2s, .burst = 10}));
        bucket.reconfigure({.permits = 20, .per = 2s, .burst = 10}, at(77ms));
        CHECK(bucket == before);
        CHECK_FALSE(bucket.has_rate_of({.permits = 10, .per = 1s, .burst = 11}));
    }
    SECTION("a single nanosecond counts") {
        bucket.reconfigure({.permits = 3, .per = 1s, .burst = 3}, at(1ns));
        CHECK(bucket.wait(at(1ns), 1) == 333'333'330ns); // a third of a second less 10/3 ns
        CHECK_THROWS_AS(bucket.reconfigure({.per = 0s}, at(2ns)), std::invalid_argument);
    }
}

TEST_CASE("Bucket: nothing overflows at the extremes of rates, time and debt", "[policy]") {
    const RateLimit fast{.permits = most, .per = 1ns, .burst = most};
    const RateLimit slow{.permits = 1, .per = std::chrono::hours::max(), .burst = most};
    for (const RateLimit& limit : {fast, slow}) {
        Bucket bucket{limit, Instant::min()};
        CHECK(bucket.wait(Instant::min(), most) == 0ns);
        for (int i = 0; i != 10; ++i) (void)bucket.take(Instant::min(), most);
        CHECK(bucket.wait(Instant::min(), 1) > 0ns);
        bucket.reconfigure(limit == fast ? slow : fast, Instant::max());
        (void)bucket.take(Instant::min(), most);
        bucket.reconfigure(limit, Instant::min());
        CHECK(bucket.latest() == Instant::max());
        CHECK(bucket.wait(Instant::max(), most) >= 0ns);
    }
    Bucket bucket{slow, Instant{}};
    (void)bucket.take(Instant{}, most);
    CHECK(bucket.wait(Instant{}, 1) == Bucket::never); // 292 years
    CHECK(bucket.available(Instant::max()) == 1);
}

} // namespace tests::policy_rate_limit
