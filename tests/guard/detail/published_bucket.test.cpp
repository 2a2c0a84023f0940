// SPDX-License-Identifier: MIT
#include <dashpot/guard/detail/published_bucket.hpp>

#include "catch.hpp"

#include <chrono>
#include <cstdint>

namespace tests::guard_detail_published_bucket {

using namespace std::chrono_literals;
using dashpot::Instant;
using dashpot::RateLimit;
using dashpot::detail::PublishedBucket;
using Result = PublishedBucket::Attempt::Result;

namespace {

constexpr Instant earliest = Instant::min();

struct Published {
    explicit Published(const RateLimit& limit, Instant now = Instant{}) : bucket{limit, now} {
        word.publish(bucket);
    }
    Result take(Instant now, std::uint32_t permits = 1) {
        return word.attempt(word.load(), now, earliest, permits).result;
    }
    RateLimit::Bucket bucket;
    PublishedBucket word;
};

} // namespace

TEST_CASE("PublishedBucket: takes what is earned, and says what is missing", "[guard]") {
    Published one{{.permits = 3, .per = 1s, .burst = 2}};
    CHECK(one.take(Instant{}, 2) == Result::granted);
    const auto refused = one.word.attempt(one.word.load(), Instant{100ms}, earliest, 1);
    CHECK(refused.result == Result::refused);
    CHECK(refused.missing == 700'000'000);
    CHECK(refused.per_nanosecond == 3);
    CHECK(refused.at == Instant{100ms});
    CHECK(one.word.attempt(one.word.load(), Instant{}, Instant{1s}, 2).result == Result::granted);
    CHECK(one.word.latest() == Instant{1s});
}

TEST_CASE("PublishedBucket: knows nothing while it is taken out, and nothing of too many", "[guard]") {
    Published one{{.permits = 3, .per = 1s, .burst = 2}};
    CHECK(one.take(Instant{}, 3) == Result::unknown);
    CHECK(one.take(Instant{5s}) == Result::granted);
    one.word.take_out(one.bucket);
    CHECK(one.take(Instant{5s}) == Result::unknown);
    CHECK(one.bucket.latest() == Instant{5s});
    CHECK(one.bucket.available(Instant{5s}) == 1);
    one.word.publish(one.bucket);
    CHECK(one.take(Instant{5s}) == Result::granted);
}

TEST_CASE("PublishedBucket: leaves to the lock what one word cannot hold", "[guard]") {
    CHECK(Published{{.permits = 64, .per = 1001ns}}.take(Instant{}) == Result::granted);
    CHECK(Published{{.permits = 67, .per = 1001ns}}.take(Instant{}) == Result::unknown);
    CHECK(Published{{.permits = 1, .per = 24h, .burst = 50'000}}.take(Instant{}) == Result::granted);
    CHECK(Published{{.permits = 1, .per = 24h, .burst = 60'000}}.take(Instant{}) == Result::unknown);
}

TEST_CASE("PublishedBucket: a leap of the clock makes a new scale", "[guard]") {
    for (const RateLimit& limit : {RateLimit{.permits = 64, .per = 1001ns}, RateLimit{.permits = 1}}) {
        Published one{limit, earliest};
        for (const Instant now : {Instant{}, Instant::max()}) {
            CHECK(one.take(now) == Result::unknown);
            one.word.take_out(one.bucket);
            one.bucket.observe(now);
            one.word.publish(one.bucket);
            CHECK(one.take(now) == Result::granted);
        }
    }
}

TEST_CASE("PublishedBucket: no word is used again with another meaning", "[guard]") {
    Published one{{.permits = 1, .per = 1s, .burst = 5}};
    const std::uint64_t before = one.word.load();
    CHECK(one.take(Instant{}, 3) == Result::granted);
    const std::uint64_t highest = one.word.load();
    CHECK(highest > before);
    one.word.take_out(one.bucket);
    one.bucket.give_back(3);
    one.word.publish(one.bucket);
    CHECK(one.word.load() == before); // the same bucket as before
    one.word.take_out(one.bucket);
    one.bucket.reconfigure({.permits = 1, .per = 2s, .burst = 5}, Instant{});
    one.word.publish(one.bucket);
    CHECK(one.word.load() > highest);
    // An attempt that began with an old word finds the new one.
    CHECK(one.word.attempt(before, Instant{}, earliest, 5).result == Result::granted);
    CHECK(one.word.attempt(before, Instant{}, earliest, 1).result == Result::refused);
}

} // namespace tests::guard_detail_published_bucket
