// SPDX-License-Identifier: MIT
#include <dashpot/policy/consecutive_failures.hpp>

#include "catch.hpp"

#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

namespace tests::policy_consecutive_failures {

using dashpot::ConsecutiveFailures;
using dashpot::Counts;
using dashpot::Instant;
using dashpot::NextSuccess;
using dashpot::Reason;

namespace {

constexpr dashpot::FinishedCall success{};
constexpr dashpot::FinishedCall failure{.failed = true};

/// The number of the call, from 1, at which a tally first opens; 0 if it never does. F fails, S
/// succeeds.
constexpr int opens_at(std::uint32_t threshold, std::string_view calls) {
    ConsecutiveFailures::Tally tally{ConsecutiveFailures{threshold}};
    int number = 0;
    for (const char call : calls) {
        ++number;
        if (tally.record(call == 'F' ? failure : success)) return number;
    }
    return 0;
}

constexpr ConsecutiveFailures::Tally after(std::uint32_t threshold, std::string_view calls) {
    ConsecutiveFailures::Tally tally{ConsecutiveFailures{threshold}};
    for (const char call : calls) (void)tally.record(call == 'F' ? failure : success);
    return tally;
}

constexpr Counts run_of(std::uint64_t length) { return {.calls = length, .failures = length}; }

} // namespace

TEST_CASE("ConsecutiveFailures: opens at the threshold, not before and not after", "[policy]") {
    STATIC_REQUIRE(opens_at(1, "F") == 1);
    STATIC_REQUIRE(opens_at(3, "FF") == 0);
    STATIC_REQUIRE(opens_at(3, "FFF") == 3);
    STATIC_REQUIRE(opens_at(5, "FFFF") == 0);
    STATIC_REQUIRE(opens_at(5, "FFFFF") == 5);
}

TEST_CASE("ConsecutiveFailures: a success ends the run", "[policy]") {
    STATIC_REQUIRE(opens_at(3, "FFSFFSFFSFFSFFS") == 0);
    STATIC_REQUIRE(opens_at(3, "FFSFFF") == 6);
    STATIC_REQUIRE(opens_at(2, "SSSSFSFF") == 8);
}

TEST_CASE("ConsecutiveFailures: five in a row by default", "[policy]") {
    STATIC_REQUIRE(ConsecutiveFailures{}.threshold == 5);
}

TEST_CASE("ConsecutiveFailures: says which rule opened the circuit", "[policy]") {
    ConsecutiveFailures::Tally tally{ConsecutiveFailures{1}};
    CHECK(tally.record(failure) == std::optional{Reason::consecutive_failures});
    CHECK(tally.record(success) == std::nullopt);
}

TEST_CASE("ConsecutiveFailures: a slow success is a success", "[policy]") {
    ConsecutiveFailures::Tally tally{ConsecutiveFailures{2}};
    CHECK_FALSE(tally.record(failure));
    CHECK_FALSE(tally.record({.slow = true}));
    CHECK_FALSE(tally.record(failure));
}

TEST_CASE("ConsecutiveFailures: its numbers are the run", "[policy]") {
    STATIC_REQUIRE(after(5, "").counts(Instant{}) == run_of(0));
    STATIC_REQUIRE(after(5, "SSS").counts(Instant{}) == run_of(0));
    STATIC_REQUIRE(after(5, "FF").counts(Instant{}) == run_of(2));
    STATIC_REQUIRE(after(5, "FFS").counts(Instant{}) == run_of(0));
    STATIC_REQUIRE(after(3, "FFF").counts(Instant{}) == run_of(3));
    STATIC_REQUIRE_FALSE(after(3, "FFF").counts(Instant{}).failure_rate.has_value());
    STATIC_REQUIRE_FALSE(after(3, "FFF").counts(Instant{}).slow_rate.has_value());
}

TEST_CASE("ConsecutiveFailures: skips successes while no run is under way", "[policy]") {
    STATIC_REQUIRE(after(5, "").next_success() == NextSuccess::skip());
    STATIC_REQUIRE(after(5, "S").next_success() == NextSuccess::skip());
    STATIC_REQUIRE(after(5, "F").next_success() == NextSuccess::record());
    STATIC_REQUIRE(after(5, "SF").next_success() == NextSuccess::record());
    STATIC_REQUIRE(after(5, "FS").next_success() == NextSuccess::skip());
}

TEST_CASE("ConsecutiveFailures: forgets when cleared", "[policy]") {
    ConsecutiveFailures::Tally tally = after(3, "FF");
    tally.clear();
    CHECK(tally.next_success() == NextSuccess::skip());
    CHECK(tally.counts(Instant{}) == run_of(0));
    CHECK_FALSE(tally.record(failure));
    CHECK_FALSE(tally.record(failure));
    CHECK(tally.record(failure));
}

TEST_CASE("ConsecutiveFailures: a run beyond the threshold does not overflow", "[policy]") {
    STATIC_REQUIRE(after(1, "FFFF").counts(Instant{}) == run_of(4));
    ConsecutiveFailures::Tally never{ConsecutiveFailures{(std::numeric_limits<std::uint32_t>::max)()}};
    for (int i = 0; i != 1000; ++i) CHECK_FALSE(never.record(failure));
}

TEST_CASE("ConsecutiveFailures: refuses a threshold of 0 and takes 1", "[policy]") {
    CHECK_THROWS_WITH(
        ConsecutiveFailures{.threshold = 0}.validate(),
        "ConsecutiveFailures::threshold is 0, must be 1 or more; to open at the first failure write 1");
    CHECK_NOTHROW(ConsecutiveFailures{.threshold = 1}.validate());
}

TEST_CASE("ConsecutiveFailures: needs no clock, but for the opening, and judges no slow calls",
          "[policy]") {
    STATIC_REQUIRE(dashpot::detail::ForeseesOpening<ConsecutiveFailures::Tally>);
    STATIC_REQUIRE_FALSE(dashpot::detail::JudgesSlowCalls<ConsecutiveFailures>);
}

TEST_CASE("ConsecutiveFailures: compares as a value", "[policy]") {
    STATIC_REQUIRE(ConsecutiveFailures{} == ConsecutiveFailures{5});
    STATIC_REQUIRE(ConsecutiveFailures{4} != ConsecutiveFailures{5});
}

TEST_CASE("ConsecutiveFailures: foresees that a call would open it", "[policy]") {
    ConsecutiveFailures::Tally tally{ConsecutiveFailures{2}};
    CHECK_FALSE(tally.would_open({.failed = true}));
    tally.record({.failed = true});
    CHECK(tally.would_open({.failed = true}));
    CHECK_FALSE(tally.would_open({.failed = false}));
    CHECK(tally.counts({}).calls == 1); // it only looked
}

} // namespace tests::policy_consecutive_failures
