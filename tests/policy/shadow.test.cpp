// SPDX-License-Identifier: MIT
#include <dashpot/policy/shadow.hpp>

#include <dashpot/guard/circuit_breaker.hpp>
#include <dashpot/policy/consecutive_failures.hpp>
#include <dashpot/policy/count_window.hpp>
#include <dashpot/policy/time_window.hpp>

#include "guard/breaker_support.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <sstream>
#include <string_view>
#include <utility>

namespace tests::policy_shadow {

using namespace std::chrono_literals;
using namespace support;
using dashpot::CandidateNumbers;
using dashpot::CircuitBreaker;
using dashpot::ConsecutiveFailures;
using dashpot::Counts;
using dashpot::CountWindow;
using dashpot::Instant;
using dashpot::NextSuccess;
using dashpot::Reason;
using dashpot::Shadow;
using dashpot::SlowCalls;
using dashpot::State;
using dashpot::TimeWindow;

namespace {

using Runs = Shadow<ConsecutiveFailures, ConsecutiveFailures, ConsecutiveFailures>;

static_assert(dashpot::FailurePolicy<Runs>);
static_assert(dashpot::FailurePolicy<Shadow<TimeWindow>>);
static_assert(dashpot::FailurePolicy<Shadow<Runs, Runs>>);
static_assert(dashpot::detail::HasCandidates<Runs>);
static_assert(!dashpot::detail::HasCandidates<ConsecutiveFailures>);

constexpr Runs runs_of(std::uint32_t live, std::uint32_t first, std::uint32_t second) {
    return {.live = {live}, .candidates = {ConsecutiveFailures{first}, ConsecutiveFailures{second}}};
}

/// Records a call for each letter: F fails, S succeeds.
constexpr Runs::Tally after(const Runs& policy, std::string_view calls) {
    Runs::Tally tally{policy};
    for (const char call : calls) (void)tally.record({.failed = call == 'F'});
    return tally;
}

constexpr std::uint64_t opened(const Runs& policy, std::string_view calls, std::size_t which) {
    return after(policy, calls).candidates(Instant{})[which].would_have_opened;
}

using Slow = Shadow<CountWindow, CountWindow, ConsecutiveFailures>;

constexpr CountWindow slow_above(std::chrono::nanoseconds limit) {
    return {.size = 2, .minimum_calls = 2, .slow_calls = SlowCalls{.longer_than = limit}};
}

} // namespace

TEST_CASE("Shadow: decides as the live policy", "[policy]") {
    Runs::Tally tally{runs_of(3, 1, 9)};
    CHECK_FALSE(tally.record({.failed = true}));
    CHECK_FALSE(tally.would_open({.failed = true}));
    CHECK_FALSE(tally.record({.failed = true}));
    CHECK(tally.would_open({.failed = true}));
    CHECK_FALSE(tally.would_open({}));
    CHECK(tally.record({.failed = true}) == std::optional{Reason::consecutive_failures});
    CHECK(tally.counts(Instant{}) == Counts{.calls = 3, .failures = 3});
}

TEST_CASE("Shadow: counts for each candidate how often it would have opened", "[policy]") {
    STATIC_REQUIRE(opened(runs_of(9, 2, 3), "F", 0) == 0);
    CHECK(opened(runs_of(9, 2, 3), "FF", 0) == 1);
    CHECK(opened(runs_of(9, 2, 3), "FF", 1) == 0);
    CHECK(opened(runs_of(9, 2, 3), "FFFFFF", 0) == 3);
    CHECK(opened(runs_of(9, 2, 3), "FFFFFF", 1) == 2);
    CHECK(opened(runs_of(9, 2, 3), "FSFSFF", 0) == 1);
}

TEST_CASE("Shadow: a candidate's numbers start again when it would have opened", "[policy]") {
    CHECK(after(runs_of(9, 2, 9), "FFF").candidates(Instant{})[0] ==
          CandidateNumbers{1, Counts{.calls = 1, .failures = 1}});
    CHECK(after(runs_of(9, 2, 9), "FFF").candidates(Instant{})[1] ==
          CandidateNumbers{0, Counts{.calls = 3, .failures = 3}});
    CHECK(after(runs_of(9, 2, 9), "FFF").counts(Instant{}) == Counts{.calls = 3, .failures = 3});
}

TEST_CASE("Shadow: clear() empties all numbers, and keeps what was counted", "[policy]") {
    Runs::Tally tally = after(runs_of(9, 2, 9), "FFF");
    tally.clear();
    CHECK(tally.counts(Instant{}) == Counts{});
    CHECK(tally.candidates(Instant{})[0] == CandidateNumbers{1, Counts{}});
    CHECK(tally.candidates(Instant{})[1] == CandidateNumbers{});
}

TEST_CASE("Shadow: starts the live numbers again alone", "[policy]") {
    Runs::Tally tally = after(runs_of(9, 2, 9), "FFF");
    tally.start_again();
    CHECK(tally.counts(Instant{}) == Counts{});
    CHECK(tally.candidates(Instant{})[1].counts == Counts{.calls = 3, .failures = 3});
}

TEST_CASE("Shadow: a success is skipped only if no policy needs it", "[policy]") {
    CHECK(after(runs_of(9, 2, 9), "").next_success() == NextSuccess::skip());
    CHECK(after(runs_of(9, 2, 9), "F").next_success() == NextSuccess::record());
    CHECK(after(runs_of(9, 1, 1), "F").next_success() == NextSuccess::record());

    using Mixed = Shadow<ConsecutiveFailures, CountWindow>;
    const Mixed mixed{};
    Mixed::Tally tally{mixed};
    CHECK(tally.next_success() == NextSuccess::count());
    tally.record_successes(100);
    CHECK(tally.candidates(Instant{})[0].counts.calls == 100);
    CHECK(tally.next_success() == NextSuccess::skip());
}

TEST_CASE("Shadow: successes are counted until the first bucket ends", "[policy]") {
    using Windows = Shadow<TimeWindow, TimeWindow, ConsecutiveFailures>;
    const Windows policy{
        .live = {.length = 10s},
        .candidates = {TimeWindow{.length = 5s, .buckets = 10}, ConsecutiveFailures{}}};
    Windows::Tally tally{policy};
    CHECK(tally.next_success() == NextSuccess::record());
    (void)tally.record({.at = Instant{100ms}});
    CHECK(tally.next_success() == NextSuccess::count_until(Instant{500ms}));
    (void)tally.record({.at = Instant{600ms}});
    CHECK(tally.next_success() == NextSuccess::count_until(Instant{1s}));
}

TEST_CASE("Shadow: needs the time of calls as soon as one policy does", "[policy]") {
    CHECK(dashpot::detail::ForeseesOpening<Runs::Tally>);
    CHECK_FALSE(dashpot::detail::ForeseesOpening<Shadow<ConsecutiveFailures, TimeWindow>::Tally>);
    CHECK_FALSE(dashpot::detail::ForeseesOpening<Shadow<TimeWindow, ConsecutiveFailures>::Tally>);
}

TEST_CASE("Shadow: calls are slow by the live limit and measured by the shortest", "[policy]") {
    const Slow policy{.live = slow_above(5s), .candidates = {slow_above(2s), ConsecutiveFailures{}}};
    CHECK(policy.slow_after() == std::optional<std::chrono::nanoseconds>{5s});
    CHECK(policy.measure_above() == std::optional<std::chrono::nanoseconds>{2s});
    CHECK(Slow{.live = slow_above(1s)}.measure_above() == std::optional<std::chrono::nanoseconds>{1s});
    CHECK_FALSE(Slow{}.slow_after());
    CHECK_FALSE(Slow{}.measure_above());
    CHECK_FALSE(Runs{}.measure_above());
    const Shadow<ConsecutiveFailures, Slow> nested{.candidates = {policy}};
    CHECK_FALSE(nested.slow_after());
    CHECK(nested.measure_above() == std::optional<std::chrono::nanoseconds>{2s});
}

TEST_CASE("Shadow: refuses what its policies refuse", "[policy]") {
    CHECK_THROWS_WITH(
        runs_of(0, 1, 1).validate(),
        "ConsecutiveFailures::threshold is 0, must be 1 or more; to open at the first failure write 1");
    CHECK_THROWS_WITH(
        runs_of(1, 1, 0).validate(),
        "ConsecutiveFailures::threshold is 0, must be 1 or more; to open at the first failure write 1");
    CHECK_NOTHROW(runs_of(1, 1, 1).validate());
}

TEST_CASE("Shadow: prints itself as the initializer that makes it, and compares as a value",
          "[policy]") {
    std::ostringstream text;
    text << runs_of(3, 4, 5);
    CHECK(text.str() == "Shadow{.live = ConsecutiveFailures{.threshold = 3}, .candidates = "
                        "{ConsecutiveFailures{.threshold = 4}, ConsecutiveFailures{.threshold = 5}}}");
    CHECK(runs_of(3, 4, 5) == runs_of(3, 4, 5));
    CHECK(runs_of(3, 4, 5) != runs_of(3, 4, 6));
    CHECK(runs_of(3, 4, 5) != runs_of(2, 4, 5));
}

TEST_CASE("Shadow: a breaker shows the numbers of the candidates", "[policy]") {
    ManualClock clock;
    CircuitBreaker<ManualClock, Runs> breaker{runs_of(5, 2, 9), {.reset_timeout = 10s}, clock};
    fail(breaker, 4);
    CHECK(breaker.state() == State::closed);
    CHECK(breaker.candidates()[0] == CandidateNumbers{2, Counts{}});
    CHECK(breaker.candidates()[1] == CandidateNumbers{0, Counts{.calls = 4, .failures = 4}});
    fail(breaker);
    CHECK(breaker.state() == State::open);
    CHECK(breaker.candidates()[0] == CandidateNumbers{2, Counts{}});
    CHECK(breaker.candidates()[1] == CandidateNumbers{});
    CHECK(breaker.snapshot().would_have_opened == 0);
}

TEST_CASE("Shadow: a probe is no call for a candidate", "[policy]") {
    ManualClock clock;
    CircuitBreaker<ManualClock, Runs> breaker{runs_of(3, 1, 9), {.reset_timeout = 10s}, clock};
    fail(breaker, 3);
    clock.advance(10s);
    fail(breaker);
    CHECK(breaker.state() == State::open);
    CHECK(breaker.candidates()[0].would_have_opened == 3);
}

TEST_CASE("Shadow: in METRICS_ONLY each policy starts again by itself", "[policy]") {
    CircuitBreaker<ManualClock, Runs> breaker{runs_of(2, 3, 4)};
    breaker.metrics_only();
    fail(breaker, 12);
    CHECK(breaker.snapshot().would_have_opened == 6);
    CHECK(breaker.candidates()[0].would_have_opened == 4);
    CHECK(breaker.candidates()[1].would_have_opened == 3);
}

TEST_CASE("Shadow: a Shadow as the live policy of another keeps its candidates in METRICS_ONLY",
          "[policy]") {
    using Inner = Shadow<ConsecutiveFailures, ConsecutiveFailures>;
    Shadow<Inner, ConsecutiveFailures>::Tally tally{
        Shadow<Inner, ConsecutiveFailures>{.live = {.live = {1}}}};
    (void)tally.record({.failed = true});
    tally.start_again();
    CHECK(tally.counts(Instant{}) == Counts{});
    CHECK(tally.candidates(Instant{})[0].counts.calls == 1);
}

TEST_CASE("Shadow: each candidate has its own limit for slow calls", "[policy]") {
    ManualClock clock;
    CircuitBreaker<ManualClock, Slow> breaker{
        {.live = {}, .candidates = {slow_above(2s), ConsecutiveFailures{}}},
        {.count_totals = true},
        clock};
    const auto call = [&](std::chrono::nanoseconds length) {
        auto permit = breaker.try_acquire();
        clock.advance(length);
        CHECK(permit.success());
    };
    call(2s);
    call(2s);
    CHECK(breaker.candidates()[0].would_have_opened == 0);
    call(2s + 1ns);
    CHECK(breaker.candidates()[0].would_have_opened == 0);
    CHECK(breaker.candidates()[0].counts.slow == 1);
    call(2s + 1ns);
    CHECK(breaker.candidates()[0].would_have_opened == 1);
    CHECK(breaker.snapshot().slow == 0);
    CHECK(breaker.snapshot().totals->slow == 0);
    CHECK(breaker.snapshot().totals->successes == 4);
}

TEST_CASE("Shadow: a length that the caller passes reaches the candidates", "[policy]") {
    using Beside = Shadow<ConsecutiveFailures, CountWindow>;
    CircuitBreaker<ManualClock, Beside> breaker{{.live = {}, .candidates = {slow_above(2s)}}};
    for (int i = 0; i != 2; ++i) {
        REQUIRE(breaker.allow());
        breaker.record_success(3s);
    }
    CHECK(breaker.candidates()[0].would_have_opened == 1);
}

TEST_CASE("Shadow: a probe is slow by the live limit alone", "[policy]") {
    ManualClock clock;
    CircuitBreaker<ManualClock, Slow> breaker{
        {.live = {}, .candidates = {slow_above(2s), ConsecutiveFailures{}}},
        {.reset_timeout = 10s},
        clock};
    breaker.trip();
    clock.advance(10s);
    auto probe = breaker.try_acquire();
    clock.advance(5s);
    CHECK(probe.success());
    CHECK(breaker.state() == State::closed);
}

TEST_CASE("Shadow: a changed candidate counts from zero, another goes on", "[policy]") {
    CircuitBreaker<ManualClock, Runs> breaker{runs_of(9, 2, 3)};
    fail(breaker, 4);
    REQUIRE(breaker.candidates()[0].would_have_opened == 2);
    REQUIRE(breaker.candidates()[1] == CandidateNumbers{1, Counts{.calls = 1, .failures = 1}});
    breaker.reconfigure(runs_of(8, 2, 5), {});
    CHECK(breaker.snapshot().failures == 4);
    CHECK(breaker.candidates()[0].would_have_opened == 2);
    CHECK(breaker.candidates()[1] == CandidateNumbers{0, Counts{.calls = 1, .failures = 1}});
    breaker.reset();
    CHECK(breaker.candidates()[0].would_have_opened == 2);
}

} // namespace tests::policy_shadow
