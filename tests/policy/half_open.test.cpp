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

constexpr const char* successes_out_of_range =
    "HalfOpen::successes_to_close must be 1 or more and at most probes: "
    "more successes than probes can never be reached";

constexpr bool is_valid(const HalfOpen& options) {
    options.validate();
    return true;
}

} // namespace

TEST_CASE("HalfOpen: one probe, whose success closes, unless told otherwise", "[policy]") {
    constexpr HalfOpen options{};
    STATIC_REQUIRE(options.probes == 1);
    STATIC_REQUIRE_FALSE(options.successes_to_close.has_value());
    STATIC_REQUIRE(options.successes_needed() == 1);
    STATIC_REQUIRE_FALSE(options.probe_timeout.has_value());
    STATIC_REQUIRE(is_valid(options));
}

TEST_CASE("HalfOpen: asks for the success of every probe unless told otherwise", "[policy]") {
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
    CHECK_THROWS_WITH(HalfOpen{.probes = 0}.validate(), "HalfOpen::probes must be 1 or more");
}

TEST_CASE("HalfOpen: takes as many successes as probes and refuses one more", "[policy]") {
    STATIC_REQUIRE(is_valid({.probes = 3, .successes_to_close = 3}));
    STATIC_REQUIRE(is_valid({.probes = 3, .successes_to_close = 1}));
    const HalfOpen too_many{.probes = 3, .successes_to_close = 4};
    CHECK_THROWS_WITH(too_many.validate(), successes_out_of_range);
    const HalfOpen none{.probes = 3, .successes_to_close = 0};
    CHECK_THROWS_WITH(none.validate(), successes_out_of_range);
}

TEST_CASE("HalfOpen: takes as many probes as can be counted", "[policy]") {
    STATIC_REQUIRE(is_valid({.probes = (std::numeric_limits<std::uint32_t>::max)()}));
}

TEST_CASE("HalfOpen: takes a probe timeout of a nanosecond and refuses none", "[policy]") {
    STATIC_REQUIRE(is_valid({.probe_timeout = 1ns}));
    const HalfOpen zero{.probe_timeout = 0ns};
    CHECK_THROWS_WITH(zero.validate(), "HalfOpen::probe_timeout must be longer than 0");
    const HalfOpen negative{.probe_timeout = -1ns};
    CHECK_THROWS_WITH(negative.validate(), "HalfOpen::probe_timeout must be longer than 0");
    const HalfOpen since_ever{.probe_timeout = (std::chrono::hours::min)()};
    CHECK_THROWS_WITH(since_ever.validate(), "HalfOpen::probe_timeout must be longer than 0");
}

TEST_CASE("HalfOpen: a probe timeout of hours::max() is for ever", "[policy]") {
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
