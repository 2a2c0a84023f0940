// SPDX-License-Identifier: MIT
#include <dashpot/policy/count_window.hpp>

#include "catch.hpp"

#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

namespace tests::policy_count_window {

using namespace std::chrono_literals;
using dashpot::Counts;
using dashpot::CountWindow;
using dashpot::FinishedCall;
using dashpot::Instant;
using dashpot::NextSuccess;
using dashpot::Reason;
using dashpot::SlowCalls;

namespace {

constexpr FinishedCall success{};
constexpr FinishedCall failure{.failed = true};
constexpr FinishedCall slow_success{.slow = true};
constexpr FinishedCall slow_failure{.failed = true, .slow = true};
constexpr Instant any_time{};
constexpr std::uint32_t most = std::numeric_limits<std::uint32_t>::max();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

static_assert(dashpot::FailurePolicy<CountWindow>);
static_assert(dashpot::detail::JudgesSlowCalls<CountWindow>);
static_assert(dashpot::detail::ForeseesOpening<CountWindow::Tally>);
static_assert(dashpot::detail::RecordsSuccesses<CountWindow::Tally>);
static_assert(!dashpot::detail::CountsUntil<CountWindow::Tally>);

static_assert(CountWindow{}.size == 100 && CountWindow{}.minimum_calls == 10);
static_assert(CountWindow{}.failure_rate == 0.5 && !CountWindow{}.slow_calls);

constexpr bool is_valid(const CountWindow& policy) {
    policy.validate(); // a refusal is no constant expression
    return true;
}
static_assert(is_valid({}) && is_valid({.size = 1, .minimum_calls = 1, .failure_rate = 1.0}));

// It decides in a constant expression, on a success as well as on a failure.
static_assert([] {
    CountWindow::Tally tally{CountWindow{.size = 4, .minimum_calls = 4}};
    for (int i = 0; i != 3; ++i) {
        if (tally.record(failure)) return false;
    }
    return tally.record(success) == Reason::failure_rate;
}());

/// Records `times` calls of a kind, none of which may open.
void stays(CountWindow::Tally& tally, std::uint32_t times, const FinishedCall& call) {
    std::uint32_t opened = 0;
    for (std::uint32_t i = 0; i != times; ++i) opened += tally.record(call) ? 1U : 0U;
    CHECK(opened == 0);
}

std::string verdict(CountWindow::Tally& tally, const FinishedCall& call) {
    const std::optional<Reason> reason = tally.record(call);
    return reason ? std::string{to_string(*reason)} : "stay";
}

/// What validate() says; nothing if it accepts.
std::string refusal(const CountWindow& policy) {
    try {
        policy.validate();
    } catch (const std::invalid_argument& refused) {
        return refused.what();
    }
    return {};
}

/// The field that it names, which comes first.
std::string refused_field(const CountWindow& policy) {
    const std::string message = refusal(policy);
    return message.substr(0, message.find(' '));
}

} // namespace

TEST_CASE("CountWindow: opens at the rate, not one call before", "[policy]") {
    struct Edge {
        std::uint32_t calls, failures;
        double rate;
    };
    const auto edge = GENERATE(values<Edge>({{1, 1, 1.0},
                                             {2, 1, 0.5},
                                             {10, 3, 0.3},
                                             {10, 5, 0.5},
                                             {100, 7, 0.07},
                                             {200, 100, 0.5},
                                             {3, 2, 2.0 / 3},
                                             {33, 11, 1.0 / 3},
                                             {1000, 999, 0.999},
                                             {1000, 1000, 1.0}}));
    CAPTURE(edge.calls, edge.failures, edge.rate);
    const CountWindow policy{
        .size = edge.calls, .minimum_calls = edge.calls, .failure_rate = edge.rate};

    SECTION("at the failures that make the rate") {
        CountWindow::Tally tally{policy};
        stays(tally, edge.calls - edge.failures, success);
        stays(tally, edge.failures - 1, failure);
        CHECK(verdict(tally, failure) == "failure_rate");
    }
    SECTION("never at one less, however long it goes on") {
        CountWindow::Tally tally{policy};
        for (int round = 0; round != 3; ++round) {
            stays(tally, edge.failures - 1, failure);
            stays(tally, edge.calls - edge.failures + 1, success);
        }
        CHECK(tally.counts(any_time).failures == edge.failures - 1);
    }
}

TEST_CASE("CountWindow: says nothing one call before the minimum", "[policy]") {
    const std::uint32_t minimum = GENERATE(1U, 2U, 5U, 10U, 100U);
    CountWindow::Tally tally{{.size = 100, .minimum_calls = minimum}};
    stays(tally, minimum - 1, failure);
    CHECK_FALSE(tally.counts(any_time).failure_rate);
    CHECK(verdict(tally, failure) == "failure_rate");
    CHECK(tally.counts(any_time).failure_rate == 1.0);
}

TEST_CASE("CountWindow: judges after a success too", "[policy]") {
    SECTION("when the success is the call that makes the minimum") {
        CountWindow::Tally tally{{.size = 4, .minimum_calls = 4}};
        stays(tally, 3, failure);
        CHECK(verdict(tally, success) == "failure_rate");
    }
    SECTION("when the success is slow") {
        CountWindow::Tally tally{
            {.size = 4, .minimum_calls = 2, .slow_calls = SlowCalls{.longer_than = 1s, .rate = 0.5}}};
        stays(tally, 1, success);
        CHECK(verdict(tally, slow_success) == "slow_rate");
    }
    SECTION("when it is still too bad after it") {
        CountWindow::Tally tally{{.size = 10, .minimum_calls = 4}};
        stays(tally, 3, failure);
        CHECK(verdict(tally, failure) == "failure_rate");
        CHECK(verdict(tally, success) == "failure_rate"); // who is not cleared keeps saying so
    }
}

TEST_CASE("CountWindow: holds exactly as many of the last calls as its size", "[policy]") {
    // Around the sizes at which the ring takes another word, too.
    const std::uint32_t size = GENERATE(1U, 2U, 3U, 31U, 32U, 33U, 63U, 64U, 65U, 100U, 1000U);
    const FinishedCall marked = GENERATE(values({failure, slow_success, slow_failure}));
    const std::uint64_t failed = marked.failed ? 1 : 0;
    const std::uint64_t slow = marked.slow ? 1 : 0;
    CAPTURE(size, failed, slow);
    CountWindow::Tally tally{
        {.size = size, .minimum_calls = 1, .slow_calls = SlowCalls{.longer_than = 1s, .rate = 1.0}}};

    for (const std::uint32_t before : {0U, size / 2, size, 2 * size + 1}) { // wherever the ring stands
        tally.clear();
        for (std::uint32_t i = 0; i != before; ++i) tally.record(success);
        tally.record(marked);
        for (std::uint32_t i = 1; i != size; ++i) tally.record(success);
        CHECK(tally.counts(any_time).calls == size);
        CHECK(tally.counts(any_time).failures == failed);
        CHECK(tally.counts(any_time).slow == slow);
        tally.record(success); // pushes it out
        CHECK(tally.counts(any_time).calls == size);
        CHECK(tally.counts(any_time).failures == 0);
        CHECK(tally.counts(any_time).slow == 0);
    }
}

TEST_CASE("CountWindow: forgets each call for what it was", "[policy]") {
    CountWindow::Tally tally{
        {.size = 4, .minimum_calls = 4, .slow_calls = SlowCalls{.longer_than = 1s, .rate = 1.0}}};
    for (const FinishedCall& call : {slow_failure, failure, slow_success, success}) tally.record(call);
    const auto held = [&] {
        const Counts counts = tally.counts(any_time);
        return std::pair{counts.failures, counts.slow};
    };
    CHECK(held() == std::pair<std::uint64_t, std::uint64_t>{2, 2});
    tally.record(success);
    CHECK(held() == std::pair<std::uint64_t, std::uint64_t>{1, 1});
    tally.record(success);
    CHECK(held() == std::pair<std::uint64_t, std::uint64_t>{0, 1});
    tally.record(success);
    CHECK(held() == std::pair<std::uint64_t, std::uint64_t>{0, 0});
}

TEST_CASE("CountWindow: a slow failed call is one call, one failure and one slow call", "[policy]") {
    CountWindow::Tally tally{
        {.size = 4, .minimum_calls = 4, .slow_calls = SlowCalls{.longer_than = 1s, .rate = 0.5}}};
    tally.record(slow_failure);
    CHECK(tally.counts(any_time) == Counts{.calls = 1, .failures = 1, .slow = 1});
}

TEST_CASE("CountWindow: the reason says which rate was reached, or both", "[policy]") {
    const CountWindow policy{
        .size = 4, .minimum_calls = 4, .slow_calls = SlowCalls{.longer_than = 1s, .rate = 0.5}};
    CountWindow::Tally tally{policy};
    SECTION("failures alone") {
        stays(tally, 2, success);
        stays(tally, 1, failure);
        CHECK(verdict(tally, failure) == "failure_rate");
    }
    SECTION("slow calls alone") {
        stays(tally, 2, success);
        stays(tally, 1, slow_success);
        CHECK(verdict(tally, slow_success) == "slow_rate");
    }
    SECTION("both by one call") {
        stays(tally, 3, slow_failure);
        CHECK(verdict(tally, slow_failure) == "failure_rate_and_slow_rate");
    }
    SECTION("both by different calls") {
        stays(tally, 2, failure);
        stays(tally, 1, slow_success);
        CHECK(verdict(tally, slow_success) == "failure_rate_and_slow_rate");
    }
    SECTION("neither") {
        stays(tally, 1, failure);
        stays(tally, 1, slow_success);
        stays(tally, 2, success);
        CHECK(tally.counts(any_time).failure_rate == 0.25);
        CHECK(tally.counts(any_time).slow_rate == 0.25);
    }
}

TEST_CASE("CountWindow: shows no slow rate where slow calls are not judged", "[policy]") {
    CountWindow::Tally tally{{.size = 2, .minimum_calls = 1}};
    tally.record(success);
    CHECK(tally.counts(any_time).failure_rate == 0.0);
    CHECK_FALSE(tally.counts(any_time).slow_rate);
}

TEST_CASE("CountWindow: cleared, it is as good as new, wherever its ring stood", "[policy]") {
    const std::uint32_t before = GENERATE(0U, 1U, 3U, 5U, 7U, 40U);
    const CountWindow policy{.size = 5, .minimum_calls = 3, .slow_calls = SlowCalls{.longer_than = 1s}};
    CountWindow::Tally used{policy};
    for (std::uint32_t i = 0; i != before; ++i) used.record(slow_failure);
    used.clear();
    CHECK(used.counts(any_time) == Counts{});

    CountWindow::Tally fresh{policy};
    for (int i = 0; i != 12; ++i) {
        const FinishedCall call{.failed = i % 3 == 0, .slow = i % 4 == 0};
        CHECK(used.record(call) == fresh.record(call));
        CHECK(used.counts(any_time) == fresh.counts(any_time));
        CHECK(used.next_success() == fresh.next_success());
    }
}

TEST_CASE("CountWindow: skips successes when full and clean, and only then", "[policy]") {
    const std::uint32_t size = GENERATE(1U, 2U, 32U, 33U);
    const FinishedCall stain = GENERATE(values({failure, slow_success, slow_failure}));
    CountWindow::Tally tally{
        {.size = size, .minimum_calls = 1, .slow_calls = SlowCalls{.longer_than = 1s, .rate = 1.0}}};
    for (std::uint32_t i = 0; i != size; ++i) {
        CHECK(tally.next_success() != NextSuccess::skip());
        tally.record(success);
    }
    CHECK(tally.next_success() == NextSuccess::skip());
    tally.record(stain);
    for (std::uint32_t i = 0; i != size; ++i) {
        CHECK(tally.next_success() != NextSuccess::skip());
        tally.record(success);
    }
    CHECK(tally.next_success() == NextSuccess::skip());
    tally.clear();
    CHECK(tally.next_success() != NextSuccess::skip());
}

TEST_CASE("CountWindow: another success changes nothing while successes are skipped", "[policy]") {
    CountWindow::Tally told{{.size = 3, .minimum_calls = 2}};
    for (int i = 0; i != 3; ++i) told.record(success);
    CountWindow::Tally not_told = told;
    REQUIRE(told.next_success() == NextSuccess::skip());
    CHECK_FALSE(told.record(success));
    CHECK(told.next_success() == NextSuccess::skip());
    for (int i = 0; i != 7; ++i) {
        CHECK(told.counts(any_time) == not_told.counts(any_time));
        const FinishedCall call{.failed = i % 3 == 0};
        CHECK(told.record(call) == not_told.record(call));
    }
}

TEST_CASE("CountWindow: time is nothing to it", "[policy]") {
    CountWindow::Tally tally{{.size = 3, .minimum_calls = 3}};
    tally.record({.failed = true, .at = Instant::max()});
    tally.record({.failed = true, .at = Instant::min()});
    CHECK(tally.counts(Instant::min()) == tally.counts(Instant::max()));
    CHECK(tally.record({.failed = false, .at = Instant{}}) == Reason::failure_rate);
}

TEST_CASE("CountWindow: refuses what makes no sense, and names the field", "[policy]") {
    CHECK(refused_field({.size = 0}) == "CountWindow::size");
    CHECK(refused_field({.size = 0, .minimum_calls = 0}) == "CountWindow::size");
    CHECK(refused_field({.minimum_calls = 0}) == "CountWindow::minimum_calls");
    CHECK(refused_field({.size = 9}) ==
          "CountWindow::minimum_calls"); // the default does not shrink with it
    CHECK(refused_field({.size = 10, .minimum_calls = 11}) == "CountWindow::minimum_calls");
    CHECK(refused_field({.size = most - 1, .minimum_calls = most}) == "CountWindow::minimum_calls");
    CHECK(refused_field({.slow_calls = SlowCalls{.longer_than = -1ns}}) == "SlowCalls::longer_than");
    CHECK(refused_field({.slow_calls = SlowCalls{.longer_than = 1s, .rate = 0.0}}) ==
          "SlowCalls::rate");
    CHECK(refused_field({.slow_calls = SlowCalls{.longer_than = 1s, .rate = not_a_number}}) ==
          "SlowCalls::rate");

    CHECK(refusal({.size = 0}) == "CountWindow::size is 0, must be 1 or more");
    CHECK(refusal({.size = 20, .minimum_calls = 21}) ==
          "CountWindow::minimum_calls is 21, must be in [1, 20]; the window holds at most "
          "CountWindow::size calls");
    CHECK(refusal({.failure_rate = 50}) ==
          "CountWindow::failure_rate is 50, must be in (0, 1]; for 50 % write 0.5");
    CHECK(refusal({.failure_rate = -0.25}) ==
          "CountWindow::failure_rate is -0.25, must be in (0, 1]; for 50 % write 0.5");
    CHECK(refusal({.failure_rate = -not_a_number}) ==
          "CountWindow::failure_rate is nan, must be in (0, 1]; for 50 % write 0.5");

    const double rate = GENERATE(as<double>{}, 0.0, -0.0, -0.5, -1.0, 1.0000001, 50.0, 100.0,
                                 not_a_number, infinity, -infinity);
    CHECK(refused_field({.failure_rate = rate}) == "CountWindow::failure_rate");
    CHECK(refusal({.failure_rate = rate}).find("must be in (0, 1]; for 50 % write 0.5") !=
          std::string::npos);
}

TEST_CASE("CountWindow: takes the ends of its ranges at their word", "[policy]") {
    CHECK(refusal({.size = 1, .minimum_calls = 1}).empty());
    CHECK(refusal({.size = 10, .minimum_calls = 10}).empty());
    CHECK(refusal({.size = most, .minimum_calls = most}).empty());
    CHECK(refusal({.failure_rate = 1.0}).empty());
    CHECK(refusal({.failure_rate = std::numeric_limits<double>::denorm_min()}).empty());
    CHECK(refusal({.slow_calls = SlowCalls{.longer_than = 0ns, .rate = 1.0}}).empty());
}

TEST_CASE("CountWindow: equals another when every field does", "[policy]") {
    const CountWindow policy{.size = 20,
                             .minimum_calls = 5,
                             .failure_rate = 0.25,
                             .slow_calls = SlowCalls{.longer_than = 1s}};
    const auto but = [&](auto change) {
        CountWindow other = policy;
        change(other);
        return other;
    };
    CHECK(policy == but([](CountWindow&) {}));
    CHECK_FALSE(policy == but([](CountWindow& p) { p.size = 21; }));
    CHECK_FALSE(policy == but([](CountWindow& p) { p.minimum_calls = 6; }));
    CHECK_FALSE(policy == but([](CountWindow& p) { p.failure_rate = 0.26; }));
    CHECK_FALSE(policy == but([](CountWindow& p) { p.slow_calls->rate = 0.9; }));
    CHECK_FALSE(policy == but([](CountWindow& p) { p.slow_calls.reset(); }));
}

TEST_CASE("CountWindow: asks for the time of calls only where slow calls are judged", "[policy]") {
    CHECK_FALSE(CountWindow{}.slow_after());
    CHECK(CountWindow{.slow_calls = SlowCalls{.longer_than = 0ns}}.slow_after() == 0ns);
    CHECK(CountWindow{.slow_calls = SlowCalls{.longer_than = 3s}}.slow_after() == 3s);
}

TEST_CASE("CountWindow: the ring has room for every call of the largest windows", "[policy]") {
    CHECK(CountWindow::Tally::words_for(1) == 1);
    CHECK(CountWindow::Tally::words_for(32) == 1);
    CHECK(CountWindow::Tally::words_for(33) == 2);
    CHECK(CountWindow::Tally::words_for(0xFFFF'FFFF) == 134'217'728);
    CHECK(CountWindow::Tally::words_for(0xFFFF'FFE1) == 134'217'728);
}

} // namespace tests::policy_count_window
