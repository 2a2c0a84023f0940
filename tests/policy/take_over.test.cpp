// SPDX-License-Identifier: MIT
// What the tallies of our policies take over from one with other options. That a whole breaker does so
// on any string of operations is for guard/breaker_machine.property.cpp.
#include <dashpot/policy/consecutive_failures.hpp>
#include <dashpot/policy/count_window.hpp>
#include <dashpot/policy/time_window.hpp>

#include "catch.hpp"

#include <chrono>
#include <cstdint>
#include <limits>
#include <string_view>

namespace tests::policy_take_over {

using namespace dashpot;
using namespace std::chrono_literals;

namespace {

static_assert(detail::TakesOver<ConsecutiveFailures::Tally>);
static_assert(detail::TakesOver<CountWindow::Tally>);
static_assert(detail::TakesOver<TimeWindow::Tally>);

/// Records a call for each letter: S, F; s and f are slow.
template <class Tally>
constexpr void record(Tally& tally, std::string_view calls, Instant at = {}) {
    for (const char call : calls) {
        (void)tally.record(
            {.failed = call == 'F' || call == 'f', .slow = call == 's' || call == 'f', .at = at});
    }
}

constexpr CountWindow of_size(std::uint32_t size) {
    return {.size = size,
            .minimum_calls = 1,
            .failure_rate = 1.0,
            .slow_calls = SlowCalls{.longer_than = 1s}};
}

constexpr CountWindow::Tally taken_over(std::uint32_t size, std::string_view calls,
                                        std::uint32_t new_size) {
    CountWindow::Tally before{of_size(size)};
    record(before, calls);
    CountWindow::Tally after{of_size(new_size)};
    after.take_over(before);
    return after;
}

} // namespace

TEST_CASE("ConsecutiveFailures: takes the run over, however long", "[policy]") {
    ConsecutiveFailures::Tally before{ConsecutiveFailures{9}};
    record(before, "SFFFF");
    ConsecutiveFailures::Tally after{ConsecutiveFailures{4}};
    after.take_over(before);
    CHECK(after.counts({}).calls == 4);
    CHECK(after.next_success() == NextSuccess::record());
    CHECK(after.would_open({.failed = true}));
    CHECK_FALSE(after.would_open({}));
    CHECK(after.record({.failed = true}) == Reason::consecutive_failures);
}

TEST_CASE("CountWindow: takes over the newest calls that fit, in their order", "[policy]") {
    CountWindow::Tally after = taken_over(6, "SFsfSF", 3);
    CHECK(after.counts({}).calls == 3);
    CHECK(after.counts({}).failures == 2); // f S F
    CHECK(after.counts({}).slow == 1);
    record(after, "S"); // f goes first
    CHECK(after.counts({}).failures == 1);
    CHECK(after.counts({}).slow == 0);
    record(after, "S");
    CHECK(after.counts({}).failures == 1);
    record(after, "S");
    CHECK(after.next_success() == NextSuccess::skip());
}

TEST_CASE("CountWindow: takes over from a ring that has gone round", "[policy]") {
    CountWindow::Tally after = taken_over(4, "FFFFSfSS", 3);
    CHECK(after.counts({}).calls == 3);
    CHECK(after.counts({}).failures == 1);
    record(after, "S");
    CHECK(after.counts({}).failures == 0);
}

TEST_CASE("CountWindow: a larger one takes over all that is held, and has room for more", "[policy]") {
    CountWindow::Tally after = taken_over(4, "FFFFSfSS", 40);
    CHECK(after.counts({}).calls == 4);
    CHECK(after.counts({}).failures == 1);
    record(after, std::string_view{"SSSSSSSSSSSSSSSSSSSSSSSSSSSSSSSSSSSS"});
    CHECK(after.counts({}).calls == 40);
    CHECK(after.counts({}).failures == 1);
    record(after, "SS");
    CHECK(after.counts({}).failures == 0);
}

TEST_CASE("CountWindow: one of the same size takes over all of it", "[policy]") {
    CountWindow::Tally after = taken_over(3, "FFSf", 3);
    CHECK(after.counts({}).failures == 2);
    record(after, "S");
    CHECK(after.counts({}).failures == 1);
    record(after, "S");
    CHECK(after.counts({}).failures == 1);
    record(after, "S");
    CHECK(after.next_success() == NextSuccess::skip());
}

TEST_CASE("CountWindow: decides in a constant expression on what it took over", "[policy]") {
    STATIC_REQUIRE([] {
        CountWindow::Tally tally = taken_over(9, "FFFFFFS", 7);
        return tally.record({.failed = true}) == std::nullopt && tally.counts({}).failures == 6;
    }());
}

TEST_CASE("TimeWindow: takes over the newest buckets that fit, where they stand", "[policy]") {
    TimeWindow policy{.length = 10s, .buckets = 10, .minimum_calls = 100};
    TimeWindow::Tally before{policy};
    for (int second = 0; second != 13; ++second) record(before, "F", Instant{second * 1s});
    policy.length = 4s;
    policy.buckets = 4;
    TimeWindow::Tally fewer{policy};
    fewer.take_over(before);
    CHECK(fewer.counts(Instant{12s}).calls == 4);
    CHECK(fewer.counts(Instant{13s}).calls == 3);
    CHECK(fewer.counts(Instant{16s}).calls == 0);
    policy.length = 20s;
    policy.buckets = 20;
    TimeWindow::Tally more{policy};
    more.take_over(before);
    CHECK(more.counts(Instant{12s}).calls == 10);
    CHECK(more.counts(Instant{22s}).calls == 10);
    CHECK(more.counts(Instant{23s}).calls == 9);
    record(more, "S", Instant{31s});
    CHECK(more.counts(Instant{31s}).calls == 2);
}

TEST_CASE("TimeWindow: takes nothing over from buckets of another length, or from an empty one",
          "[policy]") {
    TimeWindow::Tally before{TimeWindow{.length = 10s, .buckets = 10, .minimum_calls = 100}};
    record(before, "FF", Instant{5s});
    TimeWindow::Tally after{TimeWindow{.length = 10s, .buckets = 5, .minimum_calls = 100}};
    after.take_over(before);
    CHECK(after.counts(Instant{5s}).calls == 0);
    record(after, "F", Instant{1s}); // the old one's latest time is forgotten with it
    CHECK(after.counts(Instant{1s}).calls == 1);
    before.clear();
    TimeWindow::Tally same{TimeWindow{.length = 20s, .buckets = 20, .minimum_calls = 100}};
    same.take_over(before);
    CHECK(same.counts(Instant{5s}).calls == 0);
    CHECK(same.next_success() == NextSuccess::record());
}

} // namespace tests::policy_take_over
