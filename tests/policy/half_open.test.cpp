// SPDX-License-Identifier: MIT
#include <dashpot/policy/half_open.hpp>

#include "catch.hpp"

#include <chrono>
#include <cstdint>
#include <limits>

namespace tests::policy_half_open {

using namespace std::chrono_literals;
using dashpot::HalfOpen;

namespace {

constexpr bool is_valid(const HalfOpen& options) {
    options.validate();
    return true;
}

} // namespace

TEST_CASE("HalfOpen: one probe, whose success closes, by default", "[policy]") {
    constexpr HalfOpen options{};
    STATIC_REQUIRE(options.probes == 1);
    STATIC_REQUIRE_FALSE(options.successes_to_close.has_value());
    STATIC_REQUIRE(options.successes_needed() == 1);
    STATIC_REQUIRE_FALSE(options.probe_timeout.has_value());
    STATIC_REQUIRE(is_valid(options));
}

TEST_CASE("HalfOpen: asks for the success of every probe by default", "[policy]") {
    STATIC_REQUIRE(HalfOpen{.probes = 7}.successes_needed() == 7);
    STATIC_REQUIRE(HalfOpen{.probes = 7, .successes_to_close = 3}.successes_needed() == 3);
}

TEST_CASE("HalfOpen: the default follows probes that are assigned later", "[policy]") {
    HalfOpen options;
    options.probes = 5;
    CHECK(options.successes_needed() == 5);
    options.probes = 2;
    CHECK(options.successes_needed() == 2);
    options.successes_to_close = 1;
    options.probes = 5;
    CHECK(options.successes_needed() == 1);
}

TEST_CASE("HalfOpen: the default equals all probes spelled out, and nothing else", "[policy]") {
    STATIC_REQUIRE(HalfOpen{.probes = 3} == HalfOpen{.probes = 3, .successes_to_close = 3});
    STATIC_REQUIRE(HalfOpen{.probes = 3} != HalfOpen{.probes = 3, .successes_to_close = 2});
    STATIC_REQUIRE(HalfOpen{.probes = 3} != HalfOpen{.probes = 4});
    STATIC_REQUIRE(HalfOpen{} != HalfOpen{.probe_timeout = 1s});
}

TEST_CASE("HalfOpen: refuses no probes at all", "[policy]") {
    CHECK_THROWS_WITH(HalfOpen{.probes = 0}.validate(), "HalfOpen::probes is 0, must be 1 or more");
}

TEST_CASE("HalfOpen: takes as many successes as probes and refuses one more", "[policy]") {
    STATIC_REQUIRE(is_valid({.probes = 3, .successes_to_close = 3}));
    STATIC_REQUIRE(is_valid({.probes = 3, .successes_to_close = 1}));
    const HalfOpen too_many{.probes = 3, .successes_to_close = 4};
    CHECK_THROWS_WITH(too_many.validate(),
                      "HalfOpen::successes_to_close is 4, must be in [1, 3]; for more successes raise "
                      "HalfOpen::probes");
    const HalfOpen none{.probes = 3, .successes_to_close = 0};
    CHECK_THROWS_WITH(none.validate(),
                      "HalfOpen::successes_to_close is 0, must be in [1, 3]; for more successes raise "
                      "HalfOpen::probes");
}

TEST_CASE("HalfOpen: takes as many probes as can be counted", "[policy]") {
    STATIC_REQUIRE(is_valid({.probes = (std::numeric_limits<std::uint32_t>::max)()}));
}

TEST_CASE("HalfOpen: takes a probe timeout of a nanosecond and refuses none", "[policy]") {
    STATIC_REQUIRE(is_valid({.probe_timeout = 1ns}));
    const HalfOpen zero{.probe_timeout = 0ns};
    CHECK_THROWS_WITH(zero.validate(), "HalfOpen::probe_timeout is 0s, must be longer than 0s");
    const HalfOpen negative{.probe_timeout = -1ns};
    CHECK_THROWS_WITH(negative.validate(), "HalfOpen::probe_timeout is -1ns, must be longer than 0s");
    const HalfOpen since_ever{.probe_timeout = (std::chrono::hours::min)()};
    CHECK_THROWS_WITH(since_ever.validate(), "HalfOpen::probe_timeout is -9223372036854775808ns, must "
                                             "be longer than 0s");
}

TEST_CASE("HalfOpen: a probe timeout of hours::max() is forever", "[policy]") {
    constexpr HalfOpen options{.probe_timeout = (std::chrono::hours::max)()};
    STATIC_REQUIRE(*options.probe_timeout == (std::chrono::nanoseconds::max)());
    STATIC_REQUIRE(is_valid(options));
}

TEST_CASE("HalfOpen: compares as a value", "[policy]") {
    STATIC_REQUIRE(HalfOpen{.probes = 2} == HalfOpen{.probes = 2});
    STATIC_REQUIRE(HalfOpen{.probes = 2} != HalfOpen{.probes = 3});
    STATIC_REQUIRE(HalfOpen{.probe_timeout = 1s} != HalfOpen{});
    STATIC_REQUIRE(HalfOpen{.probe_timeout = 1s} == HalfOpen{.probe_timeout = 1000ms});
}

} // namespace tests::policy_half_open
