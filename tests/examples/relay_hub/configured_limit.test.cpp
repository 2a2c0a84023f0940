// SPDX-License-Identifier: MIT
#include "../../../examples/relay_hub/settings/configured_limit.hpp"

#include "catch.hpp"
#include <dashpot/guard/adaptive_limiter.hpp>
#include <dashpot/testing/manual_clock.hpp>

#include <chrono>
#include <cstdint>
#include <limits>
#include <stdexcept>

namespace tests::examples_relay_hub_configured_limit {

using dashpot::Aimd;
using dashpot::Gradient;
using dashpot::Vegas;
using dashpot::testing::ManualClock;
using relay_hub::ConfiguredLimit;
using namespace std::chrono_literals;

namespace {

using Limiter = dashpot::AdaptiveLimiter<ManualClock, ConfiguredLimit>;

} // namespace

TEST_CASE("ConfiguredLimitTest: limits nothing until it is told to, and counts all the same") {
    Limiter limiter;
    CHECK(limiter.limit() == (std::numeric_limits<std::uint32_t>::max)());
    CHECK_FALSE(ConfiguredLimit{}.is_limited());
    auto first = limiter.try_acquire();
    auto second = limiter.try_acquire();
    CHECK(limiter.in_flight() == 2);
    limiter.reconfigure({Aimd{.initial = 2, .max = 3}});
    CHECK_FALSE(limiter.try_acquire());
    limiter.reconfigure({});
    CHECK(limiter.try_acquire());
    CHECK(first.success());
    CHECK(second.failure());
    CHECK(limiter.in_flight() == 0);
}

TEST_CASE("ConfiguredLimitTest: decides as the chosen policy does") {
    CHECK(Limiter{{Gradient{.initial = 7}}}.limit() == 7);
    CHECK(Limiter{{Vegas{.initial = 8}}}.limit() == 8);
    Limiter limiter{{Aimd{.initial = 10, .decrease = 0.5}}};
    CHECK(limiter.try_acquire().failure());
    CHECK(limiter.limit() == 5);
    CHECK(ConfiguredLimit{Aimd{.max = 30}}.highest() == 30);
    CHECK(ConfiguredLimit{Vegas{.max = 31}}.highest() == 31);
    CHECK(ConfiguredLimit{Gradient{.max = 32}}.highest() == 32);
    CHECK(ConfiguredLimit{}.highest() == (std::numeric_limits<std::uint32_t>::max)());
}

TEST_CASE("ConfiguredLimitTest: keeps what it has learned while the policy is of the same kind") {
    Limiter limiter{{Aimd{.initial = 10, .decrease = 0.5}}};
    CHECK(limiter.try_acquire().failure());
    limiter.reconfigure({Aimd{.initial = 20, .max = 50}});
    CHECK(limiter.limit() == 5);
    limiter.reconfigure({Vegas{.initial = 12}});
    CHECK(limiter.limit() == 12);
    limiter.reconfigure({});
    limiter.reconfigure({Aimd{.initial = 20}});
    CHECK(limiter.limit() == 20);
}

TEST_CASE("ConfiguredLimitTest: refuses what the chosen policy refuses, in its words") {
    CHECK_NOTHROW(ConfiguredLimit{}.validate());
    CHECK_THROWS_WITH(ConfiguredLimit{Gradient{.tolerance = 0.5}}.validate(),
                      "Gradient::tolerance is 0.5, must be 1 or more");
    CHECK_THROWS_AS(ConfiguredLimit{Aimd{.decrease = 1}}.validate(), std::invalid_argument);
    CHECK_THROWS_AS(ConfiguredLimit{Vegas{.min = 0}}.validate(), std::invalid_argument);
}

} // namespace tests::examples_relay_hub_configured_limit
