// SPDX-License-Identifier: MIT
// What every limit policy promises.
#include <dashpot/policy/limit_policy.hpp>

#include <dashpot/policy/aimd.hpp>
#include <dashpot/policy/gradient.hpp>
#include <dashpot/policy/vegas.hpp>

#include "catch.hpp"
#include "policy/limit_support.hpp"
#include "property.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>

namespace tests::policy_limit_policy {

using namespace std::chrono_literals;
using namespace limit_support;
using dashpot::Aimd;
using dashpot::Gradient;
using dashpot::LimitPolicy;
using dashpot::Vegas;

namespace {

struct NoEstimator {
    void validate() const {}
    bool operator==(const NoEstimator&) const = default;
};
struct MayThrow : NoEstimator {
    struct Estimator {
        explicit Estimator(const MayThrow&) {}
        void record(const Sample&) {}
        std::uint32_t limit() const noexcept { return 1; }
    };
    bool operator==(const MayThrow&) const = default;
};

template <class P>
constexpr std::uint32_t after_ten_idle_windows() {
    Feed<typename P::Estimator> feed{P{}};
    feed.windows(10, 10ms, 1);
    return feed.estimator.limit();
}

} // namespace

TEST_CASE("LimitPolicy: takes those that ship, and none whose functions may throw or lack",
          "[policy]") {
    STATIC_REQUIRE(LimitPolicy<Aimd>);
    STATIC_REQUIRE(LimitPolicy<Gradient>);
    STATIC_REQUIRE(LimitPolicy<Vegas>);
    STATIC_REQUIRE_FALSE(LimitPolicy<NoEstimator>);
    STATIC_REQUIRE_FALSE(LimitPolicy<MayThrow>);
    STATIC_REQUIRE_FALSE(LimitPolicy<int>);
}

TEST_CASE("A limit policy: can be used at compile time", "[policy]") {
    STATIC_REQUIRE(after_ten_idle_windows<Aimd>() == 20);
    STATIC_REQUIRE(after_ten_idle_windows<Gradient>() == 20);
    STATIC_REQUIRE(after_ten_idle_windows<Vegas>() == 20);
}

TEMPLATE_TEST_CASE("A limit policy: does not grow while fewer than half of the limit are in flight",
                   "[policy]", Aimd, Gradient, Vegas) {
    Feed<typename TestType::Estimator> feed{TestType{.initial = 20, .max = 200}};
    feed.windows(1000, 10ms, 9);
    CHECK(feed.estimator.limit() == 20);
    for (int i = 0; i != 480; ++i) {
        feed.now += 1min;
        feed.estimator.record(call(feed.now, 10ms, 1));
    }
    CHECK(feed.estimator.limit() == 20);
    feed.windows(3, 10ms, 10);
    CHECK(feed.estimator.limit() > 20);
}

TEMPLATE_TEST_CASE("A limit policy: stays in its range, whatever it is passed", "[policy][long]", Aimd,
                   Gradient, Vegas) {
    for (std::uint64_t seed = 1; seed != 500; ++seed) {
        model::Dice dice{seed};
        const std::uint32_t lowest = 1 + dice.below(20);
        const std::uint32_t highest = lowest + dice.below(50);
        const std::uint32_t initial = lowest + dice.below(highest - lowest + 1);
        typename TestType::Estimator estimator{
            TestType{.initial = initial, .min = lowest, .max = highest}};
        nanoseconds now{0};
        for (int i = 0; i != 500; ++i) {
            now += nanoseconds{
                dice.pick<std::int64_t>({0, 1, 100'000'000, 2'000'000'000, -5'000'000'000})};
            const auto latency = nanoseconds{
                dice.pick<std::int64_t>({0, 1, 1'000'000, 900'000'000, -7'000, 60'000'000'000})};
            const auto peak = dice.pick<std::uint32_t>({0, 1, estimator.limit(), 2 * estimator.limit(),
                                                        std::numeric_limits<std::uint32_t>::max()});
            Sample sample = call(now, latency, peak, dice.below(20) == 0);
            if (dice.below(50) == 0) sample.began = (Instant::min)();
            if (dice.below(50) == 0) sample.ended = (Instant::max)();
            estimator.record(sample);
            CAPTURE(seed, i);
            REQUIRE(estimator.limit() >= lowest);
            REQUIRE(estimator.limit() <= highest);
        }
    }
}

TEMPLATE_TEST_CASE(
    "A limit policy: a slow target takes it to the lowest limit, a fast one to the highest", "[policy]",
    Aimd, Gradient, Vegas) {
    Feed<typename TestType::Estimator> feed{TestType{.initial = 20, .min = 3, .max = 50}};
    feed.saturated(1000, 10ms);
    CHECK(feed.estimator.limit() == 50);
    std::uint32_t lowest = 50;
    for (int i = 0; i != 400; ++i) {
        feed.saturated(1, 9s); // Aimd: longer than slow_after
        lowest = std::min(lowest, feed.estimator.limit());
    }
    CHECK(lowest >= 3);
    CHECK(lowest <= 5);
}

TEMPLATE_TEST_CASE(
    "A limit policy: a drop shrinks it, by no more than half, and once for the calls that "
    "were under way",
    "[policy]", Aimd, Gradient, Vegas) {
    Feed<typename TestType::Estimator> feed{TestType{.initial = 20, .min = 1}};
    const Sample before = call(feed.now + 5ms, 10ms, 20, true);
    feed.drop(20);
    CHECK(feed.estimator.limit() == 18);
    feed.estimator.record(before); // it began before the last decrease
    CHECK(feed.estimator.limit() == 18);
    for (std::uint32_t last = 18; last != 1; last = feed.estimator.limit()) {
        feed.now += 10ms;
        feed.drop(last);
        CHECK(feed.estimator.limit() < last);
        CHECK(feed.estimator.limit() * 2 >= last);
    }
    feed.drop(1);
    CHECK(feed.estimator.limit() == 1);
}

TEMPLATE_TEST_CASE("A limit policy: a drop's latency is no sample", "[policy]", Aimd, Gradient, Vegas) {
    const TestType policy{.initial = 20, .min = 15};
    Feed<typename TestType::Estimator> with{policy};
    Feed<typename TestType::Estimator> without{policy};
    for (auto* const feed : {&with, &without}) feed->windows(20, 10ms, 5);
    for (int i = 0; i != 50; ++i) {
        with.now += 10ms;
        with.drop(5); // refused at once by the target
    }
    with.windows(1, 10ms, 5);
    for (int i = 0; i != 300; ++i) {
        with.saturated(1, 11ms); // were the lowest latency 1 ns now, this would be slow
        without.saturated(1, 11ms);
    }
    CHECK(with.estimator.limit() > 20);
}

TEMPLATE_TEST_CASE("A limit policy: taken over, it continues within the new range", "[policy]", Aimd,
                   Gradient, Vegas) {
    Feed<typename TestType::Estimator> feed{TestType{.initial = 20}};
    feed.saturated(20, 10ms);
    REQUIRE(feed.estimator.limit() > 20);
    typename TestType::Estimator same{TestType{.initial = 30}};
    same.take_over(feed.estimator);
    CHECK(same.limit() == feed.estimator.limit());
    typename TestType::Estimator lower{TestType{.initial = 5, .max = 10}};
    lower.take_over(feed.estimator);
    CHECK(lower.limit() == 10);
    typename TestType::Estimator higher{TestType{.initial = 2000, .min = 2000, .max = 3000}};
    higher.take_over(feed.estimator);
    CHECK(higher.limit() == 2000);
}

} // namespace tests::policy_limit_policy
