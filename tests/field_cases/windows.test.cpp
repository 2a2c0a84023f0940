// SPDX-License-Identifier: MIT
// How windows of other breakers have failed their users, replayed on ours, with other numbers too.
#include <dashpot/guard/circuit_breaker.hpp>
#include <dashpot/policy/count_window.hpp>
#include <dashpot/policy/time_window.hpp>
#include <dashpot/testing/manual_clock.hpp>
#include <dashpot/testing/transition_recorder.hpp>

#include "catch.hpp"

#include <chrono>
#include <cstdint>
#include <fstream>
#include <functional>
#include <limits>
#include <string>
#include <vector>

namespace tests::field_cases_windows {

using namespace std::chrono_literals;
using dashpot::BreakerOptions;
using dashpot::CircuitBreaker;
using dashpot::CountWindow;
using dashpot::HalfOpen;
using dashpot::Instant;
using dashpot::Reason;
using dashpot::SlowCalls;
using dashpot::Snapshot;
using dashpot::State;
using dashpot::TimeWindow;
using dashpot::testing::ManualClock;
using dashpot::testing::TransitionRecorder;
using std::chrono::nanoseconds;

namespace {

template <class P>
struct Case {
    explicit Case(P policy, BreakerOptions options = {}, Instant start = Instant{1000s})
        : clock{start}, breaker{policy, options, clock},
          subscription{breaker.on_transition(std::ref(heard))} {}

    void succeed(int times = 1) {
        for (int i = 0; i != times; ++i) REQUIRE(breaker.try_acquire().success());
    }
    void fail(int times = 1) {
        for (int i = 0; i != times; ++i) REQUIRE(breaker.try_acquire().failure());
    }
    [[nodiscard]] State state() const { return breaker.state(); }
    [[nodiscard]] Snapshot seen() const { return breaker.snapshot(); }

    ManualClock clock;
    CircuitBreaker<ManualClock, P> breaker;
    TransitionRecorder heard;
    dashpot::Subscription subscription;
};

/// 10 s in ten buckets, at least `minimum` calls, half of them.
TimeWindow ten_seconds(std::uint32_t minimum = 4) { return {.minimum_calls = minimum}; }

#if defined(__linux__)
/// Pages of memory in use.
long resident_pages() {
    std::ifstream statm{"/proc/self/statm"};
    long size = 0, resident = 0;
    statm >> size >> resident;
    return resident;
}
#endif

} // namespace

TEST_CASE("Field case: after an idle spell a probe is judged, however few calls the window holds",
          "[field]") {
    // nodeshift/opossum#276: too few calls in the window, so no verdict, so half open for ever.
    const nanoseconds idle = GENERATE(as<nanoseconds>{}, 20s, 30s, 3600s, 1'000'000'000s);
    Case<TimeWindow> c{ten_seconds(), {.reset_timeout = 20s}};
    c.fail(4);
    c.clock.advance(idle);
    CHECK(c.breaker.try_acquire().failure());
    CHECK(c.state() == State::open);
    c.clock.advance(20s);
    CHECK(c.breaker.try_acquire().success());
    CHECK(c.state() == State::closed);
}

TEST_CASE("Field case: a failed probe re-opens at once, whatever the closed state's formula says",
          "[field]") {
    // nodeshift/opossum#119, kora-projects/kora#306: the emptied window was below the threshold.
    const std::uint32_t minimum = GENERATE(1U, 4U, 100U);
    Case<TimeWindow> c{ten_seconds(minimum), {.reset_timeout = 20s}};
    c.fail(static_cast<int>(minimum));
    c.clock.advance(30s);
    CHECK(c.breaker.try_acquire().failure());
    CHECK(c.state() == State::open);
    CHECK(c.breaker.retry_after() == 20s);
}

TEST_CASE("Field case: the minimum of calls is nothing to the probes", "[field]") {
    // resilience4j/resilience4j#736, #903, #1351, #1869: fewer probes than the minimum never decided,
    // or too early.
    const std::uint32_t minimum = GENERATE(1U, 2U, 10U);
    const std::uint32_t probes = GENERATE(1U, 3U, 4U, 12U);
    Case<CountWindow> c{{.size = 20, .minimum_calls = minimum},
                        {.half_open = HalfOpen{.probes = probes}}};
    c.fail(static_cast<int>(minimum));
    c.clock.advance(10s);
    for (std::uint32_t i = 0; i != probes; ++i) {
        CHECK(c.state() == (i == 0 ? State::open : State::half_open));
        c.succeed();
    }
    CHECK(c.state() == State::closed);
}

TEST_CASE("Field case: sparse failures do not creep into one window", "[field]") {
    // Shopify/semian#24: the window moved forward with each error. Three failures within five seconds
    // open.
    const nanoseconds offset = GENERATE(as<nanoseconds>{}, 0ns, 1ns, 999ms, -1ns);
    Case<TimeWindow> c{{.length = 5s, .buckets = 5, .minimum_calls = 3, .failure_rate = 1.0}};
    c.clock.set(Instant{1000s + offset});
    c.fail();
    c.clock.advance(5s);
    c.fail();
    c.clock.advance(1s);
    c.fail();
    CHECK(c.state() == State::closed);
    CHECK(c.seen().failures == 2);
    c.clock.advance(1s);
    c.fail();
    CHECK(c.state() == State::open);
}

TEST_CASE("Field case: a window of a single part turns over forever", "[field]") {
    // resilience4j/resilience4j#2379: null dereference on the second rotation of a one-slice ring.
    SECTION("by time") {
        Case<TimeWindow> c{{.length = 1s, .buckets = 1, .minimum_calls = 2}};
        for (int i = 0; i != 100; ++i) {
            c.clock.advance(1s);
            c.succeed();
            CHECK(c.seen().calls == 1);
        }
        c.clock.advance(1s);
        c.fail(2);
        CHECK(c.state() == State::open);
    }
    SECTION("by count") {
        Case<CountWindow> c{{.size = 1, .minimum_calls = 1, .failure_rate = 1.0}};
        c.succeed(100);
        CHECK(c.seen().calls == 1);
        c.fail();
        CHECK(c.state() == State::open);
    }
}

TEST_CASE("Field case: statistics do not freeze over an idle spell", "[field]") {
    // Netflix/Hystrix#1392: rotation lost track after a long gap.
    const nanoseconds gap = GENERATE(as<nanoseconds>{}, 9s, 10s - 1ns, 10s, 10s + 1ns, 11s, 1000s,
                                     1'000'000'000s, nanoseconds::max());
    Case<TimeWindow> c{ten_seconds(), {}, Instant{0s}};
    c.fail(3);
    c.clock.advance(gap);
    const std::uint64_t left = gap < 10s ? 3 : 0;
    CHECK((c.seen().calls == left && c.seen().failures == left));
    c.fail();
    CHECK(c.seen().failures == left + 1);
    CHECK((c.state() == State::open) == (left == 3));
}

TEST_CASE("Field case: a call on the edge of a bucket is seen at that very instant", "[field]") {
    // bolshakov/stoplight#778: writes and reads rounded the time differently.
    const nanoseconds edge = GENERATE(as<nanoseconds>{}, -1000s, -1s, 0s, 1s, 10s, 1'000'000s);
    const nanoseconds off = GENERATE(as<nanoseconds>{}, -1ns, 0ns, 1ns);
    Case<TimeWindow> c{ten_seconds(2), {}, Instant{edge + off}};
    c.fail();
    CHECK(c.seen().calls == 1);
    c.fail();
    CHECK(c.state() == State::open);
}

TEST_CASE("Field case: the rate does not swing when an interval ends, for the window slides",
          "[field]") {
    // sony/gobreaker#21: all counts were dropped at once.
    const nanoseconds phase =
        GENERATE(as<nanoseconds>{}, 0s, 1s, 4s, 9s); // wherever an interval might begin
    Case<TimeWindow> c{ten_seconds(10), {}, Instant{1000s + phase}};
    for (int second = 1; second != 10; ++second) {
        c.clock.advance(1s);
        c.succeed(10);
    }
    c.clock.advance(1500ms);
    c.fail(10);
    CHECK(c.state() == State::closed);
    CHECK(c.seen().failures == 10);
    CHECK(c.seen().calls >= 90);
}

#if defined(__linux__)
TEST_CASE("Field case: memory does not grow with the calls, read or not", "[field][long]") {
    // vert-x3/vertx-circuit-breaker#17: one entry per call, dropped only by a reader.
    Case<TimeWindow> c{ten_seconds(std::numeric_limits<std::uint32_t>::max())};
    c.succeed(1000);
    const long before = resident_pages();
    std::uint32_t not_taken = 0;
    for (int i = 0; i != 1'000'000; ++i) {
        c.clock.advance(100us);
        c.breaker.record_failure();
    }
    CHECK(c.seen().calls == 90'001); // nine buckets and the first call of the tenth
    c.breaker.trip();
    for (int i = 0; i != 1'000'000; ++i) {
        c.breaker.record_failure();
        if (!c.breaker.try_acquire()) ++not_taken;
    }
    CHECK(not_taken == 1'000'000);
    CHECK(resident_pages() - before < 1000); // 4 MB; an entry of eight bytes per call would be 16
}
#endif

TEST_CASE("Field case: one failure after the recovery does not open again", "[field]") {
    // redis-rb/redis-client#247, Shopify/semian#264: what happened before the outage still counted.
    SECTION("by count") {
        Case<CountWindow> c{{.size = 10, .minimum_calls = 4}};
        c.fail(4);
        c.clock.advance(10s);
        c.succeed();
        c.fail();
        CHECK(c.state() == State::closed);
        CHECK(c.seen().calls == 1);
    }
    SECTION("by time, the window being longer than the outage") {
        Case<TimeWindow> c{{.length = 100s, .minimum_calls = 4}};
        c.fail(4);
        c.clock.advance(10s);
        c.succeed();
        c.fail(3);
        CHECK(c.state() == State::closed);
        CHECK(c.seen().calls == 3);
    }
}

TEST_CASE("Field case: every duration means the same in every unit", "[field]") {
    // AxonIQ/AxonFramework#1140, DataDog/datadog-agent#43323: nanoseconds read as milliseconds, or as
    // hits.
    const auto trace = [](auto two, auto one) {
        const TimeWindow policy{.length = two,
                                .buckets = 4,
                                .minimum_calls = 3,
                                .slow_calls = SlowCalls{.longer_than = one, .rate = 0.5}};
        Case<TimeWindow> c{policy, {.reset_timeout = two, .half_open = HalfOpen{.probe_timeout = one}}};
        std::vector<std::uint64_t> steps;
        for (std::uint64_t i = 0; i != 300; ++i) {
            auto permit = c.breaker.try_acquire();
            c.clock.advance(i * i % 17 * 100ms);
            if (permit && i % 5 != 4)
                (void)permit.record(i % 3 == 0 ? dashpot::Outcome::failure : dashpot::Outcome::success);
            if (i % 29 == 28) (void)permit.ignore();
            const Snapshot seen = c.seen();
            for (const std::uint64_t step :
                 {static_cast<std::uint64_t>(seen.state), seen.generation, seen.calls, seen.failures,
                  seen.slow, seen.refused, static_cast<std::uint64_t>(seen.retry_after.count())}) {
                steps.push_back(step);
            }
        }
        CHECK(c.heard.entries().size() > 10); // it has something to say
        return steps;
    };
    const auto in_seconds = trace(2s, 1s);
    CHECK(in_seconds == trace(2000ms, 1000ms));
    CHECK(in_seconds == trace(2'000'000us, 1'000'000us));
}

TEST_CASE("Field case: the rate is judged on the success that makes the minimum", "[field]") {
    // lerouxrgd/recloser#10: judged on failures only.
    const int failures = GENERATE(2, 3, 7);
    const auto minimum = static_cast<std::uint32_t>(failures) + 1;
    Case<CountWindow> c{{.size = minimum, .minimum_calls = minimum}};
    c.fail(failures);
    CHECK(c.state() == State::closed);
    c.succeed();
    CHECK(c.state() == State::open);
}

TEST_CASE("Field case: the ring's position never leaves it, however many calls there were",
          "[field][long]") {
    // Netflix/servo#384: a signed counter taken modulo the size. Ours has no counter that only grows.
    const std::uint32_t size = GENERATE(1U, 3U, 31U, 64U, 65U);
    Case<CountWindow> c{{.size = size, .minimum_calls = 1, .failure_rate = 1.0}};
    c.succeed();
    for (int i = 0; i != 300'000; ++i) { // in turn, so that none is skipped as quiet
        if (size > 1) c.breaker.record_failure();
        c.breaker.record_success();
    }
    CHECK(c.state() == State::closed);
    CHECK(c.seen().calls == size);
    CHECK(c.seen().failures == size / 2);
}

TEST_CASE("Field case: a clock that steps back loses nothing, and nothing wraps", "[field]") {
    // alibaba/sentinel-golang#409: window reads failed, unsigned differences wrapped.
    const nanoseconds back = GENERATE(as<nanoseconds>{}, 1ns, 1s, 5s, 10s, 1'000'000s);
    Case<TimeWindow> c{ten_seconds()};
    c.fail(2);
    c.clock.advance(-back);
    CHECK(c.seen().calls == 2);
    c.fail(2);
    CHECK(c.state() == State::open);
    CHECK_FALSE(c.breaker.allow());
    CHECK(c.breaker.retry_after() == 10s);
    c.clock.advance(-back);
    CHECK_FALSE(c.breaker.allow());
    CHECK(c.breaker.retry_after() > 0ns);
    CHECK(c.breaker.retry_after() <= 10s + back);
}

TEST_CASE("Field case: without calls there is no rate, and no division by zero", "[field]") {
    // envoyproxy/envoy#13545, ballerina-platform/ballerina-lang#22174
    Case<TimeWindow> c{ten_seconds(1)};
    const auto nothing = [&] {
        CHECK((c.seen().calls == 0 && !c.seen().failure_rate && !c.seen().slow_rate));
    };
    nothing(); // before any call
    c.succeed();
    CHECK(c.seen().failure_rate == 0.0);
    c.breaker.reset();
    nothing();
    c.succeed();
    c.clock.advance(10s);
    nothing(); // after an idle window
    c.breaker.trip();
    nothing();
    Case<TimeWindow> fine{
        {.length = 5ms, .buckets = 10, .minimum_calls = 1}}; // half a millisecond each
    fine.succeed();
    CHECK(fine.seen().calls == 1);
}

TEST_CASE("Field case: a threshold opens at, not above", "[field]") {
    // yammer/circuitbox#116, arrow-kt/arrow#3344, arlyon/aiobreaker#13
    SECTION("the rate") {
        const int half = GENERATE(1, 5, 50);
        const auto minimum = static_cast<std::uint32_t>(2 * half);
        Case<CountWindow> c{{.size = minimum, .minimum_calls = minimum}};
        c.succeed(half);
        c.fail(half - 1);
        CHECK(c.state() == State::closed);
        c.fail();
        CHECK(c.state() == State::open);
    }
    SECTION("the minimum") {
        Case<CountWindow> c{{.size = 10, .minimum_calls = 5}};
        c.fail(4);
        CHECK(c.state() == State::closed);
        c.fail();
        CHECK(c.state() == State::open);
    }
}

TEST_CASE("Field case: the decision is taken when the outcome is recorded, not at the next admission",
          "[field]") {
    // yammer/circuitbox#118: crossed at the very end of a window, it stayed closed.
    Case<TimeWindow> c{ten_seconds(), {}, Instant{1009s + 999ms}};
    c.fail(4);
    CHECK(c.state() == State::open);
    CHECK(c.seen().opened_at == Instant{1009s + 999ms});
    c.clock.advance(9s);
    CHECK(c.breaker.retry_after() == 1s);
}

TEST_CASE("Field case: a first call that fails is not enough to open", "[field]") {
    // nodeshift/opossum#217, #288: one of one is 100 %.
    Case<CountWindow> c{{.size = 10, .minimum_calls = 5}};
    c.fail();
    CHECK(c.state() == State::closed);
    CHECK_FALSE(c.seen().failure_rate); // not enough calls
}

TEST_CASE("Field case: both rates reached by one call are one event that names both", "[field]") {
    // resilience4j/resilience4j#1437: each branch published both.
    const std::uint32_t calls = GENERATE(1U, 4U, 40U);
    Case<CountWindow> c{{.size = calls,
                         .minimum_calls = calls,
                         .slow_calls = SlowCalls{.longer_than = 5s, .rate = 0.5}}};
    for (std::uint32_t i = 0; i != calls; ++i) c.breaker.record_failure(5s + 1ns);
    CHECK(c.heard.path() == "CLOSED->OPEN");
    CHECK(c.heard.entries().at(0).transition.reason == Reason::failure_rate_and_slow_rate);
    CHECK((c.seen().calls == calls && c.seen().failures == calls && c.seen().slow == calls));
}

TEST_CASE("Field case: refused calls are no failures and leave the window alone", "[field]") {
    // nodeshift/opossum#45: refusals kept the circuit open.
    Case<CountWindow> c{{.size = 10, .minimum_calls = 4}};
    c.fail(4);
    for (int i = 0; i != 100; ++i) CHECK_FALSE(c.breaker.allow());
    CHECK(c.seen().failures == 4);
    CHECK(c.seen().calls == 4);
    CHECK(c.seen().refused == 100);
    c.clock.advance(10s);
    c.succeed();
    CHECK(c.state() == State::closed);
    CHECK(c.seen().calls == 0);
}

} // namespace tests::field_cases_windows
