// SPDX-License-Identifier: MIT
#include <dashpot/policy/detail/window_rule.hpp>

#include "catch.hpp"

#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>

namespace tests::policy_detail_window_rule {

using namespace std::chrono_literals;
using dashpot::Counts;
using dashpot::FinishedCall;
using dashpot::Reason;
using dashpot::SlowCalls;
using dashpot::detail::WindowRule;
using dashpot::detail::WindowSums;

namespace {

constexpr WindowRule by_failures(std::uint32_t minimum_calls, double rate) {
    return {minimum_calls, rate, std::nullopt};
}

constexpr WindowRule by_both(std::uint32_t minimum_calls, double failure_rate, double slow_rate) {
    return {minimum_calls, failure_rate, SlowCalls{.longer_than = 1s, .rate = slow_rate}};
}

constexpr bool opens(const WindowRule& rule, const WindowSums& sums) {
    return rule.judge(sums).has_value();
}

std::string verdict(const WindowRule& rule, const WindowSums& sums) {
    const std::optional<Reason> reason = rule.judge(sums);
    return reason ? std::string{to_string(*reason)} : "stay";
}

static_assert(!opens(by_failures(1, 0.5), {0, 0, 0}));
static_assert(!opens(by_failures(1, 0.5), {200, 99, 0}) && opens(by_failures(1, 0.5), {200, 100, 0}));
static_assert(!opens(by_failures(1, 0.3), {10, 2, 0}) && opens(by_failures(1, 0.3), {10, 3, 0}));
static_assert(!opens(by_failures(1, 0.07), {100, 6, 0}) && opens(by_failures(1, 0.07), {100, 7, 0}));
static_assert(!opens(by_failures(1, 2.0 / 3), {3, 1, 0}) && opens(by_failures(1, 2.0 / 3), {3, 2, 0}));
static_assert(!opens(by_failures(1, 1.0), {1000, 999, 0}) &&
              opens(by_failures(1, 1.0), {1000, 1000, 0}));

} // namespace

TEST_CASE("WindowSums: a call adds one to the total and one to each thing that it was", "[policy]") {
    const bool failed = GENERATE(false, true);
    const bool slow = GENERATE(false, true);
    WindowSums sums{10, 5, 3};
    sums.add(FinishedCall{.failed = failed, .slow = slow});
    CHECK(sums.calls == 11);
    CHECK(sums.failures == (failed ? 6U : 5U));
    CHECK(sums.slow == (slow ? 4U : 3U));
}

TEST_CASE("WindowSums: take away what was added, each number for itself", "[policy]") {
    WindowSums sums{10, 5, 3};
    sums.add(WindowSums{4, 2, 1});
    CHECK(sums.calls == 14);
    CHECK(sums.failures == 7);
    CHECK(sums.slow == 4);
    sums.subtract({14, 7, 4});
    CHECK(sums.calls == 0);
    CHECK(sums.failures == 0);
    CHECK(sums.slow == 0);
}

TEST_CASE("WindowRule: says nothing and shows no rate one call before the minimum", "[policy]") {
    const std::uint32_t minimum = GENERATE(1U, 2U, 10U, 1000U);
    const WindowRule rule = by_both(minimum, 0.5, 0.5);

    const WindowSums too_few{minimum - 1, minimum - 1, minimum - 1};
    CHECK(verdict(rule, too_few) == "stay");
    CHECK_FALSE(rule.counts(too_few).failure_rate);
    CHECK_FALSE(rule.counts(too_few).slow_rate);
    CHECK(rule.counts(too_few).calls == minimum - 1);
    CHECK(rule.counts(too_few).failures == minimum - 1);
    CHECK(rule.counts(too_few).slow == minimum - 1);

    const WindowSums enough{minimum, minimum, minimum};
    CHECK(verdict(rule, enough) == "failure_rate_and_slow_rate");
    CHECK(rule.counts(enough).failure_rate == 1.0);
    CHECK(rule.counts(enough).slow_rate == 1.0);
}

TEST_CASE("WindowRule: opens at the rate, not one failure before", "[policy]") {
    struct Edge {
        std::uint32_t calls, failures;
        double rate;
    };
    const auto edge = GENERATE(values<Edge>({{1, 1, 1.0},
                                             {2, 1, 0.5},
                                             {10, 3, 0.3},
                                             {10, 5, 0.5},
                                             {100, 7, 0.07},
                                             {100, 29, 0.29},
                                             {100, 57, 0.57},
                                             {100, 58, 0.58},
                                             {200, 100, 0.5},
                                             {3, 2, 2.0 / 3},
                                             {7, 5, 5.0 / 7},
                                             {1000, 999, 0.999},
                                             {1000, 1000, 1.0},
                                             {4'000'000'000, 2'000'000'000, 0.5}}));
    CAPTURE(edge.calls, edge.failures, edge.rate);
    CHECK(verdict(by_failures(1, edge.rate), {edge.calls, edge.failures - 1, 0}) == "stay");
    CHECK(verdict(by_failures(1, edge.rate), {edge.calls, edge.failures, 0}) == "failure_rate");
    // Slow calls are compared in the same way.
    CHECK(verdict(by_both(1, 1.0, edge.rate), {edge.calls + 1, 0, edge.failures - 1}) == "stay");
    CHECK(verdict(by_both(1, 1.0, edge.rate), {edge.calls, 0, edge.failures}) == "slow_rate");
}

TEST_CASE("WindowRule: never rounds to percents", "[policy]") {
    CHECK(verdict(by_failures(1, 0.5), {200, 99, 0}) == "stay");          // 49.5 %
    CHECK(verdict(by_failures(1, 0.5), {1000, 499, 0}) == "stay");        // 49.9 %
    CHECK(verdict(by_failures(1, 0.01), {10'000, 99, 0}) == "stay");      // 0.99 %
    CHECK(verdict(by_failures(1, 0.005), {200, 1, 0}) == "failure_rate"); // half a percent
    CHECK(verdict(by_failures(1, 1.0), {100'000, 99'999, 0}) == "stay");
}

TEST_CASE("WindowRule: the reason says which rate was reached, or both", "[policy]") {
    const WindowRule rule = by_both(4, 0.5, 0.75);
    CHECK(verdict(rule, {4, 1, 2}) == "stay");
    CHECK(verdict(rule, {4, 2, 2}) == "failure_rate");
    CHECK(verdict(rule, {4, 1, 3}) == "slow_rate");
    CHECK(verdict(rule, {4, 2, 3}) == "failure_rate_and_slow_rate");
}

TEST_CASE("WindowRule: both rates are of the same calls", "[policy]") {
    const Counts seen = by_both(1, 1.0, 1.0).counts({8, 2, 5});
    CHECK(seen.calls == 8);
    CHECK(seen.failures == 2);
    CHECK(seen.slow == 5);
    CHECK(seen.failure_rate == 0.25);
    CHECK(seen.slow_rate == 0.625);
}

TEST_CASE("WindowRule: shows no slow rate where slow calls are not judged", "[policy]") {
    const Counts seen = by_failures(1, 0.5).counts({8, 2, 0});
    CHECK(seen.failure_rate == 0.25);
    CHECK_FALSE(seen.slow_rate);
}

TEST_CASE("WindowRule: no calls are no rate, whatever the minimum", "[policy]") {
    const std::uint32_t minimum = GENERATE(1U, 2U, std::numeric_limits<std::uint32_t>::max());
    const WindowRule rule = by_both(minimum, std::numeric_limits<double>::denorm_min(), 1.0);
    CHECK(rule.counts({}) == Counts{});
    CHECK(verdict(rule, {}) == "stay");
}

TEST_CASE("WindowRule: not one failure reaches no failure rate, however small", "[policy]") {
    const WindowRule rule = by_failures(1, std::numeric_limits<double>::denorm_min());
    CHECK(verdict(rule, {1000, 0, 0}) == "stay");
    CHECK(verdict(rule, {1000, 1, 0}) == "failure_rate");
}

} // namespace tests::policy_detail_window_rule
