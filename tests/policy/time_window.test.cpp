// SPDX-License-Identifier: MIT
#include <dashpot/policy/time_window.hpp>

#include "catch.hpp"

#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>

namespace tests::policy_time_window {

using namespace std::chrono_literals;
using dashpot::Counts;
using dashpot::FinishedCall;
using dashpot::Instant;
using dashpot::Reason;
using dashpot::SlowCalls;
using dashpot::TimeWindow;
using std::chrono::hours;
using std::chrono::nanoseconds;

namespace {

constexpr Instant at(nanoseconds time) { return Instant{time}; }
constexpr FinishedCall success(Instant when) { return {.at = when}; }
constexpr FinishedCall failure(Instant when) { return {.failed = true, .at = when}; }

constexpr std::uint32_t most = std::numeric_limits<std::uint32_t>::max();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

static_assert(dashpot::FailurePolicy<TimeWindow>);
static_assert(dashpot::detail::JudgesSlowCalls<TimeWindow>);
static_assert(!dashpot::detail::ForeseesOpening<TimeWindow::Tally>); // it places every call in time
static_assert(dashpot::detail::CountsUntil<TimeWindow::Tally>);
static_assert(!TimeWindow{}.slow_after());
static_assert(TimeWindow{.slow_calls = SlowCalls{.longer_than = 0ns}}.slow_after() == 0ns);

static_assert(TimeWindow{}.length == 10s && TimeWindow{}.buckets == 10 &&
              TimeWindow{}.minimum_calls == 10);
static_assert(TimeWindow{}.failure_rate == 0.5 && !TimeWindow{}.slow_calls);

constexpr bool is_valid(const TimeWindow& policy) {
    policy.validate(); // a refusal is no constant expression
    return true;
}
static_assert(is_valid({}) && is_valid({.length = 1ns, .buckets = 1, .minimum_calls = 1}));

// It decides and forgets in a constant expression.
static_assert([] {
    TimeWindow::Tally tally{TimeWindow{.minimum_calls = 2}};
    if (tally.record(failure(at(0s)))) return false;
    if (tally.record(failure(at(10s)))) return false; // the first is out
    return tally.record(success(at(10s))) == Reason::failure_rate;
}());

/// 10 s in ten buckets of 1 s, and no verdict.
constexpr TimeWindow only_counting{.minimum_calls = most};

std::uint64_t calls(const TimeWindow::Tally& tally, Instant now) { return tally.counts(now).calls; }

/// What validate() says; nothing if it accepts.
std::string refusal(const TimeWindow& policy) {
    try {
        policy.validate();
    } catch (const std::invalid_argument& refused) {
        return refused.what();
    }
    return {};
}

/// The field that it names, which comes first.
std::string refused_field(const TimeWindow& policy) {
    const std::string message = refusal(policy);
    return message.substr(0, message.find(' '));
}

} // namespace

TEST_CASE("TimeWindow: holds the current bucket and those before it, to the tick", "[policy]") {
    // Buckets at, before and after the clock's epoch: they are all of one length.
    const std::int64_t bucket =
        GENERATE(-1'000'000'007, -11, -10, -9, -2, -1, 0, 1, 9, 10, 1'000'000'007);
    const Instant begin = at(bucket * 1s);
    const nanoseconds into_it = GENERATE(as<nanoseconds>{}, 0ns, 1ns, 500ms, 1s - 1ns);
    CAPTURE(bucket, into_it.count());

    TimeWindow::Tally tally{only_counting};
    tally.record(failure(begin + into_it));
    CHECK(calls(tally, begin + into_it) == 1);
    CHECK(calls(tally, begin + 1s) == 1);
    CHECK(calls(tally, begin + 9s) == 1);
    CHECK(calls(tally, begin + 10s - 1ns) == 1); // the last tick of the ninth bucket after it
    CHECK(calls(tally, begin + 10s) == 0);
    CHECK(calls(tally, begin + 10s + 1ns) == 0);

    // A call recorded there meets it, or not, just as a reader does.
    TimeWindow::Tally in_time = tally;
    in_time.record(success(begin + 10s - 1ns));
    CHECK(calls(in_time, begin + 10s - 1ns) == 2);
    tally.record(success(begin + 10s));
    CHECK(calls(tally, begin + 10s) == 1);
    CHECK(tally.counts(begin + 10s).failures == 0);
}

TEST_CASE("TimeWindow: a tick before the epoch is in the bucket before the epoch's", "[policy]") {
    const TimeWindow policy{.length = 1s, .buckets = 1, .minimum_calls = most};
    TimeWindow::Tally tally{policy};
    tally.record(failure(at(-1ns)));
    CHECK(calls(tally, at(-1ns)) == 1);
    CHECK(calls(tally, at(0ns)) == 0);

    tally.clear();
    tally.record(failure(at(-1s)));
    CHECK(calls(tally, at(-1ns)) == 1); // from one edge to the tick before the next
    CHECK(calls(tally, at(0ns)) == 0);

    tally.clear();
    tally.record(failure(at(-1s - 1ns)));
    CHECK(calls(tally, at(-1s)) == 0);
}

TEST_CASE("TimeWindow: counts an event on the edge of a bucket once, at that very instant",
          "[policy]") {
    const nanoseconds edge = GENERATE(as<nanoseconds>{}, -20s, -1s, 0s, 1s, 1000s);
    const nanoseconds off = GENERATE(as<nanoseconds>{}, -1ns, 0ns, 1ns);
    TimeWindow::Tally tally{{.minimum_calls = 2}};
    CHECK_FALSE(tally.record(failure(at(edge + off))));
    CHECK(calls(tally, at(edge + off)) == 1);
    CHECK(tally.record(failure(at(edge + off))) == Reason::failure_rate);
    CHECK(calls(tally, at(edge + off)) == 2);
}

TEST_CASE("TimeWindow: opens at the rate, not one call before", "[policy]") {
    struct Edge {
        std::uint32_t calls, failures;
        double rate;
    };
    const auto edge = GENERATE(values<Edge>({{1, 1, 1.0},
                                             {10, 3, 0.3},
                                             {10, 5, 0.5},
                                             {100, 7, 0.07},
                                             {200, 100, 0.5},
                                             {3, 2, 2.0 / 3},
                                             {1000, 1000, 1.0}}));
    CAPTURE(edge.calls, edge.failures, edge.rate);
    TimeWindow::Tally tally{{.minimum_calls = edge.calls, .failure_rate = edge.rate}};
    std::uint32_t early = 0;
    for (std::uint32_t i = edge.failures; i != edge.calls; ++i)
        early += tally.record(success(at(1s))) ? 1U : 0U;
    for (std::uint32_t i = 1; i != edge.failures; ++i) early += tally.record(failure(at(9s))) ? 1U : 0U;
    CHECK(early == 0);
    TimeWindow::Tally one_less = tally;
    CHECK_FALSE(one_less.record(success(at(9s))));
    CHECK(tally.record(failure(at(9s))) == Reason::failure_rate);
}

TEST_CASE("TimeWindow: judges after a success too, as when the good ones before it have faded",
          "[policy]") {
    TimeWindow::Tally tally{{.minimum_calls = 4}};
    for (int i = 0; i != 4; ++i) CHECK_FALSE(tally.record(success(at(0s))));
    for (int i = 0; i != 3; ++i) CHECK_FALSE(tally.record(failure(at(5s))));
    CHECK_FALSE(TimeWindow::Tally{tally}.record(success(at(10s - 1ns)))); // three of eight
    CHECK(tally.record(success(at(10s))) == Reason::failure_rate);        // three of four
}

TEST_CASE("TimeWindow: the minimum is of the calls that are still in it", "[policy]") {
    TimeWindow::Tally tally{{.minimum_calls = 4}};
    for (int i = 0; i != 3; ++i) CHECK_FALSE(tally.record(failure(at(0s))));
    CHECK(tally.counts(at(0s)).calls == 3);
    CHECK_FALSE(tally.record(failure(at(10s))));
    CHECK_FALSE(tally.counts(at(10s)).failure_rate); // shown only once it is judged
    for (int i = 0; i != 2; ++i) CHECK_FALSE(tally.record(failure(at(12s))));
    CHECK(tally.record(failure(at(20s - 1ns))) == Reason::failure_rate);
    CHECK(tally.counts(at(20s - 1ns)).failure_rate == 1.0);
    CHECK_FALSE(tally.counts(at(20s)).failure_rate); // and no longer when calls have gone
}

TEST_CASE("TimeWindow: forgets bucket by bucket, each call for what it was", "[policy]") {
    TimeWindow::Tally tally{
        {.minimum_calls = most, .slow_calls = SlowCalls{.longer_than = 1s, .rate = 1.0}}};
    tally.record({.failed = true, .slow = true, .at = at(0s)});
    tally.record({.failed = true, .at = at(1s)});
    tally.record({.slow = true, .at = at(2s)});
    tally.record({.at = at(9s)});
    CHECK(tally.counts(at(9s)) == Counts{.calls = 4, .failures = 2, .slow = 2});
    CHECK(tally.counts(at(10s)) == Counts{.calls = 3, .failures = 1, .slow = 1});
    CHECK(tally.counts(at(11s)) == Counts{.calls = 2, .failures = 0, .slow = 1});
    CHECK(tally.counts(at(12s)) == Counts{.calls = 1});
    CHECK(tally.counts(at(18s)) == Counts{.calls = 1});
    CHECK(tally.counts(at(19s)) == Counts{});
}

TEST_CASE("TimeWindow: the reason says which rate was reached, or both", "[policy]") {
    TimeWindow::Tally tally{
        {.minimum_calls = 4, .slow_calls = SlowCalls{.longer_than = 1s, .rate = 0.5}}};
    const auto record = [&](bool failed, bool slow) {
        return tally.record({.failed = failed, .slow = slow, .at = at(3s)});
    };
    record(false, false);
    SECTION("failures alone") {
        record(false, false);
        record(true, false);
        CHECK(record(true, false) == Reason::failure_rate);
    }
    SECTION("slow calls alone") {
        record(false, false);
        record(false, true);
        CHECK(record(false, true) == Reason::slow_rate);
    }
    SECTION("both by one call, which adds one to each number") {
        record(false, false);
        record(true, true);
        CHECK(tally.counts(at(3s)) == Counts{.calls = 3, .failures = 1, .slow = 1});
        CHECK(record(true, true) == Reason::failure_rate_and_slow_rate);
        CHECK(tally.counts(at(3s)).failure_rate == 0.5);
        CHECK(tally.counts(at(3s)).slow_rate == 0.5);
    }
}

TEST_CASE("TimeWindow: a read changes nothing, whatever time it asks for", "[policy]") {
    TimeWindow::Tally read{only_counting};
    TimeWindow::Tally left_alone{only_counting};
    const nanoseconds steps[] = {-30s, -2s, -1ns, 0ns, 1s, 9s, 10s, 11s, 25s, 26s, 27s};
    for (const nanoseconds step : steps) {
        read.record(failure(at(step)));
        left_alone.record(failure(at(step)));
        for (const Instant when :
             {Instant::max(), at(step + 5s), at(step), at(step - 100s), Instant::min()}) {
            const Counts seen = read.counts(when);
            CHECK(seen == read.counts(when));
            CHECK(seen == left_alone.counts(when));
        }
    }
}

TEST_CASE("TimeWindow: is empty after a pause of its length or more, and right after it", "[policy]") {
    const nanoseconds pause = GENERATE(as<nanoseconds>{}, 9s, 10s - 1ns, 10s, 10s + 1ns, 11s, 20s,
                                       1000s, 1'000'000'000s, nanoseconds::max());
    TimeWindow::Tally tally{{.minimum_calls = 4}};
    for (int i = 0; i != 3; ++i) tally.record(failure(at(0s)));
    const Instant then = at(pause);
    const std::uint64_t left = pause < 10s ? 3 : 0;
    CAPTURE(pause.count());
    CHECK(tally.counts(then) == Counts{.calls = left, .failures = left});
    const std::optional<Reason> verdict = tally.record(failure(then));
    CHECK(verdict.has_value() == (left == 3));
    CHECK(calls(tally, then) == left + 1);
}

TEST_CASE("TimeWindow: works from one end of time to the other", "[policy]") {
    struct Shape {
        nanoseconds length;
        std::uint32_t buckets;
    };
    const auto shape =
        GENERATE(values<Shape>({{1ns, 1}, {2ns, 2}, {10s, 10}, {10s, 1}, {nanoseconds::max(), 7}}));
    TimeWindow::Tally tally{{.length = shape.length, .buckets = shape.buckets, .minimum_calls = most}};
    CAPTURE(shape.length.count(), shape.buckets);

    tally.record(failure(Instant::min()));
    CHECK(calls(tally, Instant::min()) == 1);
    CHECK(calls(tally, Instant::max()) == 0);
    tally.record(failure(Instant::max()));
    CHECK(calls(tally, Instant::max()) == 1);
    tally.record(failure(Instant::min())); // stepped back: held at the end
    CHECK(calls(tally, Instant::min()) == 2);
    CHECK(calls(tally, Instant::max()) == 2);
    tally.clear();
    tally.record(failure(Instant::min())); // and free again
    CHECK(calls(tally, Instant::max()) == 0);
}

TEST_CASE("TimeWindow: a window as long as time forgets nothing within it", "[policy]") {
    TimeWindow::Tally tally{{.length = hours::max(), .buckets = 1, .minimum_calls = most}};
    tally.record(failure(at(0s)));
    CHECK(calls(tally, Instant::max() - 1ns) == 1);
    CHECK(calls(tally, Instant::max()) == 0); // by then its length has passed
}

TEST_CASE("TimeWindow: a clock that steps back is held at the latest time it showed", "[policy]") {
    const nanoseconds back = GENERATE(as<nanoseconds>{}, 1ns, 1s, 5s, 9s, 10s, 11s, 1'000'000s);
    TimeWindow::Tally tally{{.minimum_calls = 4}};
    CAPTURE(back.count());
    for (int i = 0; i != 2; ++i) CHECK_FALSE(tally.record(failure(at(100s))));
    CHECK_FALSE(tally.record(failure(at(100s - back))));
    CHECK(calls(tally, at(100s - back)) == 3); // nothing is lost
    CHECK(calls(tally, at(109s)) == 3);        // what came late is as young as the newest
    CHECK(calls(tally, at(110s)) == 0);
    CHECK(tally.record(failure(at(100s - back))) == Reason::failure_rate);
}

TEST_CASE("TimeWindow: one bucket starts again at each edge", "[policy]") {
    TimeWindow::Tally tally{{.length = 1s, .buckets = 1, .minimum_calls = 2}};
    for (nanoseconds now = 0s; now != 100s; now += 1s) {
        CHECK_FALSE(tally.record(success(at(now))));
        CHECK(tally.counts(at(now)) == Counts{.calls = 1});
        CHECK(calls(tally, at(now + 1s - 1ns)) == 1);
        CHECK(calls(tally, at(now + 1s)) == 0);
    }
    CHECK_FALSE(tally.record(failure(at(100s))));
    CHECK(tally.record(failure(at(101s - 1ns))) == Reason::failure_rate);
}

TEST_CASE("TimeWindow: slides, it does not tumble", "[policy]") {
    TimeWindow::Tally tally{{}};
    for (nanoseconds now = 1s; now != 10s; now += 100ms) CHECK_FALSE(tally.record(success(at(now))));
    for (int i = 0; i != 10; ++i) CHECK_FALSE(tally.record(failure(at(10s + 500ms))));
    CHECK(tally.counts(at(10s + 500ms)) == Counts{.calls = 100, .failures = 10, .failure_rate = 0.1});
}

TEST_CASE("TimeWindow: means the same in every unit", "[policy]") {
    const TimeWindow in_seconds{.length = 2s, .buckets = 4, .minimum_calls = 3};
    const TimeWindow in_milliseconds{.length = 2000ms, .buckets = 4, .minimum_calls = 3};
    const TimeWindow in_microseconds{.length = 2'000'000us, .buckets = 4, .minimum_calls = 3};
    CHECK((in_seconds == in_milliseconds && in_seconds == in_microseconds));

    TimeWindow::Tally one{in_seconds}, two{in_milliseconds}, three{in_microseconds};
    for (int i = 0; i != 200; ++i) {
        const FinishedCall call{.failed = i % 3 == 0, .at = at(i * 137ms)};
        const std::optional<Reason> reason = one.record(call);
        CHECK(two.record(call) == reason);
        CHECK(three.record(call) == reason);
        CHECK(two.counts(call.at + 700ms) == one.counts(call.at + 700ms));
        CHECK(three.counts(call.at + 700ms) == one.counts(call.at + 700ms));
    }
}

TEST_CASE("TimeWindow: cleared, it is as good as new, the time included", "[policy]") {
    TimeWindow::Tally used{{.minimum_calls = 3}};
    for (int i = 0; i != 20; ++i)
        used.record({.failed = true, .slow = true, .at = at(i * 700ms + 5000s)});
    used.clear();
    CHECK(used.counts(at(5014s)) == Counts{});
    CHECK(used.counts(at(-5000s)) == Counts{});

    TimeWindow::Tally fresh{{.minimum_calls = 3}};
    for (int i = 0; i != 30; ++i) { // earlier than anything it had seen
        const FinishedCall call{.failed = i % 3 == 0, .at = at(i * 900ms - 7s)};
        CHECK(used.record(call) == fresh.record(call));
        CHECK(used.counts(call.at + 4s) == fresh.counts(call.at + 4s));
    }
}

TEST_CASE("TimeWindow: skips no success, because each counts and leaves later", "[policy]") {
    TimeWindow::Tally tally{{.minimum_calls = 1}};
    CHECK(tally.next_success() == dashpot::NextSuccess::record());
    tally.record(success(at(0s)));
    CHECK(tally.next_success() == dashpot::NextSuccess::count_until(at(1s)));
}

TEST_CASE("TimeWindow: refuses what makes no sense, and names the field", "[policy]") {
    CHECK(refused_field({.buckets = 0}) == "TimeWindow::buckets");
    CHECK(refused_field({.minimum_calls = 0}) == "TimeWindow::minimum_calls");
    for (const nanoseconds length : {0ns, -1ns, nanoseconds{-10s}, nanoseconds::min(), 1ns, 9ns, 11ns,
                                     nanoseconds{10s} + 1ns, nanoseconds{10s} - 1ns}) {
        CAPTURE(length.count());
        CHECK(refused_field({.length = length, .buckets = 10}) == "TimeWindow::length");
    }
    CHECK(refused_field({.length = hours::max()}) == "TimeWindow::length"); // does not divide by ten
    CHECK(refused_field({.length = hours::min(), .buckets = 1}) == "TimeWindow::length");
    CHECK(refused_field({.length = 5us, .buckets = 10'000}) ==
          "TimeWindow::length"); // half a tick each
    CHECK(refused_field({.slow_calls = SlowCalls{.longer_than = -1ns}}) == "SlowCalls::longer_than");
    CHECK(refused_field({.slow_calls = SlowCalls{.longer_than = 1s, .rate = 50}}) == "SlowCalls::rate");

    CHECK(refusal({.buckets = 0}) == "TimeWindow::buckets is 0, must be 1 or more");
    CHECK(refusal({.minimum_calls = 0}) == "TimeWindow::minimum_calls is 0, must be 1 or more");
    CHECK(refusal({.length = 1500ms, .buckets = 7}) ==
          "TimeWindow::length is 1500ms, must be longer than 0s and divide into 7 buckets of whole "
          "nanoseconds; change length or buckets");
    CHECK(refusal({.failure_rate = infinity}) ==
          "TimeWindow::failure_rate is inf, must be in (0, 1]; for 50 % write 0.5");

    const double rate = GENERATE(as<double>{}, 0.0, -0.0, -0.5, -1.0, 1.0000001, 50.0, 100.0,
                                 not_a_number, infinity, -infinity);
    CHECK(refused_field({.failure_rate = rate}) == "TimeWindow::failure_rate");
    CHECK(refusal({.failure_rate = rate}).find("must be in (0, 1]; for 50 % write 0.5") !=
          std::string::npos);
}

TEST_CASE("TimeWindow: takes the ends of its ranges at their word", "[policy]") {
    CHECK(refusal({.length = 1ns, .buckets = 1}).empty());
    CHECK(refusal({.length = 10ns, .buckets = 10}).empty());
    CHECK(refusal({.length = 5ms, .buckets = 10}).empty()); // half a millisecond is a whole number here
    CHECK(refusal({.length = hours::max(), .buckets = 1}).empty());
    CHECK(refusal({.length = nanoseconds::max(), .buckets = 7}).empty());
    CHECK(refusal({.minimum_calls = most}).empty());
    CHECK(refusal({.failure_rate = 1.0}).empty());
    CHECK(refusal({.slow_calls = SlowCalls{.longer_than = 0ns, .rate = 1.0}}).empty());
}

TEST_CASE("TimeWindow: equals another when every field does", "[policy]") {
    const TimeWindow policy{.slow_calls = SlowCalls{.longer_than = 1s}};
    const auto but = [&](auto change) {
        TimeWindow other = policy;
        change(other);
        return other;
    };
    CHECK(policy == but([](TimeWindow&) {}));
    CHECK_FALSE(policy == but([](TimeWindow& p) { p.length = 11s; }));
    CHECK_FALSE(policy == but([](TimeWindow& p) { p.buckets = 5; }));
    CHECK_FALSE(policy == but([](TimeWindow& p) { p.minimum_calls = 6; }));
    CHECK_FALSE(policy == but([](TimeWindow& p) { p.failure_rate = 0.26; }));
    CHECK_FALSE(policy == but([](TimeWindow& p) { p.slow_calls->longer_than = 2s; }));
    CHECK_FALSE(policy == but([](TimeWindow& p) { p.slow_calls.reset(); }));
}

} // namespace tests::policy_time_window
