// SPDX-License-Identifier: MIT
#include <dashpot/policy/detail/bucket_ring.hpp>

#include "catch.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace tests::policy_detail_bucket_ring {

using namespace std::chrono_literals;

struct Sum {
    std::int64_t value = 0;
    constexpr void add(std::int64_t more) noexcept { value += more; }
    constexpr void add(const Sum& other) noexcept { value += other.value; }
    constexpr void subtract(const Sum& other) noexcept { value -= other.value; }
};

using Ring = dashpot::detail::BucketRing<Sum>;

constexpr dashpot::Instant at(std::chrono::nanoseconds since_epoch) {
    return dashpot::Instant{since_epoch};
}

constexpr Ring filled() {
    Ring ring{3s, 3};
    for (int second = 0; second != 4; ++second) {
        ring.move_to(at(std::chrono::seconds{second}));
        ring.add(std::int64_t{second == 0 ? 1000 : second});
    }
    return ring;
}

TEST_CASE("BucketRing: holds the current bucket and those before it", "[policy]") {
    STATIC_REQUIRE(filled().sums().value == 1 + 2 + 3);
    STATIC_REQUIRE(filled().of_age(0).value == 3);
    STATIC_REQUIRE(filled().of_age(2).value == 1);
    STATIC_REQUIRE(filled().size() == 3);
}

TEST_CASE("BucketRing: shows what it would hold at another time, and moves nothing", "[policy]") {
    const Ring ring = filled();
    CHECK(ring.sums_at(at(3s)).value == 6);
    CHECK(ring.sums_at(at(4s - 1ns)).value == 6);
    CHECK(ring.sums_at(at(4s)).value == 5);
    CHECK(ring.sums_at(at(5s)).value == 3);
    CHECK(ring.sums_at(at(6s)).value == 0);
    CHECK(ring.sums_at(at(1s)).value == 6); // time does not run backwards in it
    CHECK(ring.sums().value == 6);
}

TEST_CASE("BucketRing: drops everything in a pause of any length", "[policy]") {
    for (const auto end : {at(6s), at(1000000h), (dashpot::Instant::max)()}) {
        Ring ring = filled();
        ring.move_to(end);
        CHECK(ring.sums().value == 0);
        for (std::size_t age = 0; age != ring.size(); ++age) CHECK(ring.of_age(age).value == 0);
    }
}

TEST_CASE("BucketRing: a clock that steps back adds to the newest bucket", "[policy]") {
    Ring ring = filled();
    ring.move_to(at(-5s));
    ring.add(std::int64_t{40});
    CHECK(ring.of_age(0).value == 43);
    CHECK(ring.newest_ends() == at(4s));
}

TEST_CASE("BucketRing: the bucket before the epoch is as long as any other", "[policy]") {
    Ring ring{3s, 3};
    ring.move_to(at(-1ns));
    CHECK(ring.newest_ends() == at(0s));
    ring.move_to(at(0ns));
    CHECK(ring.newest_ends() == at(1s));
}

TEST_CASE("BucketRing: its newest bucket ends at the latest with the clock", "[policy]") {
    Ring wide{3s, 3};
    CHECK(wide.is_unused());
    CHECK(wide.newest_ends() == (dashpot::Instant::min)());
    wide.move_to((dashpot::Instant::max)());
    CHECK_FALSE(wide.is_unused());
    CHECK(wide.newest_ends() == (dashpot::Instant::max)());
    Ring narrow{2ns, 2};
    narrow.move_to((dashpot::Instant::max)());
    CHECK(narrow.newest_ends() == (dashpot::Instant::max)());
    narrow = Ring{2ns, 2};
    narrow.move_to(at(7ns));
    CHECK(narrow.newest_ends() == at(8ns));
}

TEST_CASE("BucketRing: cleared, it is as unused", "[policy]") {
    Ring ring = filled();
    ring.clear();
    CHECK(ring.is_unused());
    CHECK(ring.sums().value == 0);
    ring.move_to(at(0s)); // earlier than before
    CHECK(ring.newest_ends() == at(1s));
    CHECK(ring.of_age(0).value == 0);
}

TEST_CASE("BucketRing: takes over the newest buckets that fit, if they are of its length", "[policy]") {
    Ring shorter{2s, 2};
    shorter.take_over(filled());
    CHECK(shorter.sums().value == 5);
    CHECK(shorter.of_age(1).value == 2);
    Ring longer{5s, 5};
    longer.take_over(filled());
    CHECK(longer.sums().value == 6);
    CHECK(longer.sums_at(at(7s)).value == 3);
    Ring other{6s, 3};
    other.take_over(filled());
    CHECK(other.is_unused());
    CHECK(other.sums().value == 0);
}

} // namespace tests::policy_detail_bucket_ring
