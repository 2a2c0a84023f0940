// SPDX-License-Identifier: MIT
// A circuit breaker that judges by a window: what the window decides, and what becomes of its numbers.
#include <dashpot/guard/circuit_breaker.hpp>
#include <dashpot/policy/count_window.hpp>
#include <dashpot/policy/time_window.hpp>
#include <dashpot/testing/manual_clock.hpp>
#include <dashpot/testing/transition_recorder.hpp>

#include "catch.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>

namespace tests::guard_circuit_breaker_windows {

using namespace std::chrono_literals;
using dashpot::BreakerOptions;
using dashpot::CircuitBreaker;
using dashpot::CountWindow;
using dashpot::HalfOpen;
using dashpot::Instant;
using dashpot::Outcome;
using dashpot::Reason;
using dashpot::SlowCalls;
using dashpot::Snapshot;
using dashpot::State;
using dashpot::TimeWindow;
using dashpot::testing::ManualClock;
using dashpot::testing::TransitionRecorder;
using std::chrono::nanoseconds;

namespace {

/// A breaker on a clock of its own, and all that it announced.
template <class P>
struct Watched {
    explicit Watched(P policy, BreakerOptions options = {})
        : breaker{policy, options, clock}, subscription{breaker.on_transition(std::ref(heard))} {}

    void succeed(int times = 1) {
        for (int i = 0; i != times; ++i) REQUIRE(breaker.try_acquire().success());
    }
    void fail(int times = 1) {
        for (int i = 0; i != times; ++i) REQUIRE(breaker.try_acquire().failure());
    }
    /// A call that takes `length` on the clock.
    void take(nanoseconds length, Outcome outcome = Outcome::success) {
        auto permit = breaker.try_acquire();
        REQUIRE(permit);
        clock.advance(length);
        REQUIRE(permit.record(outcome));
    }
    [[nodiscard]] std::uint64_t calls() const { return breaker.snapshot().calls; }

    ManualClock clock{Instant{1000s}};
    CircuitBreaker<ManualClock, P> breaker;
    TransitionRecorder heard;
    dashpot::Subscription subscription;
};

template <class P>
P four_calls() { // judges at four calls, at half of them
    P policy{};
    policy.minimum_calls = 4;
    return policy;
}

template <class P>
P slow_above(nanoseconds limit, double rate = 0.5) {
    P policy = four_calls<P>();
    policy.slow_calls = SlowCalls{.longer_than = limit, .rate = rate};
    return policy;
}

template <class P>
std::string refused_field(P policy) {
    try {
        const CircuitBreaker<ManualClock, P> breaker{policy, {}, ManualClock{}};
    } catch (const std::invalid_argument& refused) {
        const std::string message = refused.what();
        return message.substr(0, message.find(' '));
    }
    return {};
}

} // namespace

TEMPLATE_TEST_CASE(
    "CircuitBreaker with a window: opens at the rate, when the deciding call is recorded", "[guard]",
    CountWindow, TimeWindow) {
    Watched<TestType> w{four_calls<TestType>()};
    w.succeed(2);
    w.fail();
    auto deciding = w.breaker.try_acquire();
    CHECK(w.breaker.state() == State::closed);
    CHECK(deciding.failure());
    CHECK(w.breaker.state() == State::open);
    CHECK(w.heard.path() == "CLOSED->OPEN");
    CHECK(w.heard.entries()[0].transition.reason == Reason::failure_rate);
    const Snapshot told = w.heard.entries()[0].transition.snapshot;
    CHECK(told.calls == 4);
    CHECK(told.failures == 2);
    CHECK(told.failure_rate == 0.5);
    CHECK_FALSE(told.slow_rate);
}

TEMPLATE_TEST_CASE("Windowed breaker: a success can be the deciding call, in every form", "[guard]",
                   CountWindow, TimeWindow) {
    Watched<TestType> w{four_calls<TestType>()};
    w.fail(3);
    REQUIRE(w.breaker.state() == State::closed);
    SECTION("permit") { CHECK(w.breaker.try_acquire().success()); }
    SECTION("two steps") {
        CHECK(w.breaker.allow());
        w.breaker.record_success();
    }
    SECTION("call") {
        CHECK(w.breaker.call([] { return 1; }).has_value());
    }
    CHECK(w.breaker.state() == State::open);
    CHECK(w.heard.entries().at(0).transition.snapshot.failure_rate == 0.75);
}

TEMPLATE_TEST_CASE("Windowed breaker: an ignored call counts nowhere, in every form", "[guard]",
                   CountWindow, TimeWindow) {
    Watched<TestType> w{four_calls<TestType>()};
    const auto ignore_some = [&] {
        CHECK(w.breaker.try_acquire().ignore());
        { auto dropped = w.breaker.try_acquire(); }
        { w.breaker.try_acquire().release(); }
        CHECK(w.breaker.allow());
        w.breaker.record_ignored();
        CHECK(w.breaker.call([] { return 1; }, [](int) { return Outcome::ignored; }).has_value());
    };
    for (std::uint64_t failures = 1; failures != 4; ++failures) {
        w.fail();
        ignore_some();
        CHECK(w.calls() == failures); // not in the minimum
        CHECK(w.breaker.state() == State::closed);
    }
    w.breaker.reset();
    w.succeed(5);
    w.fail(4); // of nine
    for (int i = 0; i != 20; ++i) ignore_some();
    CHECK(w.calls() == 9); // none was pushed out
    CHECK(w.breaker.snapshot().failures == 4);
    w.fail();
    CHECK(w.breaker.state() == State::open);
}

TEMPLATE_TEST_CASE("Windowed breaker: a call is slow when it took longer than the limit", "[guard]",
                   CountWindow, TimeWindow) {
    const nanoseconds limit = GENERATE(as<nanoseconds>{}, 0ns, 1ns, 1s);
    Watched<TestType> w{slow_above<TestType>(limit)};
    w.take(limit);
    w.take(0ns);
    CHECK(w.breaker.snapshot().slow == 0);
    w.take(limit + 1ns);
    CHECK(w.breaker.snapshot().slow == 1);
    CHECK(w.breaker.state() == State::closed);
    w.take(limit + 1ns);
    CHECK(w.breaker.state() == State::open);
    CHECK(w.heard.entries().at(0).transition.reason == Reason::slow_rate);
    CHECK(w.heard.entries().at(0).transition.snapshot.slow_rate == 0.5);
    CHECK(w.heard.entries().at(0).transition.snapshot.failures == 0);
}

TEMPLATE_TEST_CASE("Windowed breaker: takes a duration at its word instead of measuring", "[guard]",
                   CountWindow, TimeWindow) {
    Watched<TestType> w{slow_above<TestType>(1s, 1.0)};
    const auto slow = [&] { return w.breaker.snapshot().slow; };
    auto permit = w.breaker.try_acquire();
    w.clock.advance(1h);
    CHECK(permit.success(1s));
    CHECK(slow() == 0);
    CHECK(w.breaker.try_acquire().success(1s + 1ns));
    CHECK(slow() == 1);
    CHECK(w.breaker.try_acquire().failure(std::chrono::hours::max()));
    CHECK(slow() == 2);
    w.breaker.reset();
    w.breaker.record_success(1s + 1ns);
    w.breaker.record_failure(1001ms);
    CHECK(w.breaker.try_acquire().record(Outcome::success, 2s));
    CHECK(slow() == 3);
    w.breaker.reset();
    w.breaker.record_success();
    w.breaker.record_success(1s);
    w.breaker.record_success(-1h);
    CHECK(slow() == 0);
}

TEMPLATE_TEST_CASE(
    "CircuitBreaker with a window: no clock makes a call slow by stepping back, nor overflows",
    "[guard]", CountWindow, TimeWindow) {
    Watched<TestType> w{slow_above<TestType>(0ns, 1.0)};
    w.take(-5s);
    w.take(nanoseconds::min());
    CHECK(w.breaker.snapshot().slow == 0);
    w.clock.set(Instant::min());
    auto permit = w.breaker.try_acquire();
    w.clock.set(Instant::max());
    CHECK(permit.success());
    CHECK(w.breaker.snapshot().slow == 1);
}

TEMPLATE_TEST_CASE("Windowed breaker: a limit of forever makes no call slow", "[guard]", CountWindow,
                   TimeWindow) {
    Watched<TestType> w{slow_above<TestType>(nanoseconds::max())};
    w.clock.set(Instant::min());
    w.take(nanoseconds::max());
    CHECK(w.breaker.try_acquire().success(std::chrono::hours::max()));
    CHECK(w.breaker.snapshot().slow == 0);
}

TEMPLATE_TEST_CASE("Windowed breaker: slow failed calls reach both rates with one event", "[guard]",
                   CountWindow, TimeWindow) {
    Watched<TestType> w{slow_above<TestType>(1s)};
    for (int i = 0; i != 4; ++i) w.take(1500ms, Outcome::failure);
    CHECK(w.heard.path() == "CLOSED->OPEN");
    const auto event = w.heard.entries().at(0).transition;
    CHECK(event.reason == Reason::failure_rate_and_slow_rate);
    CHECK(event.snapshot.calls == 4);
    CHECK(event.snapshot.failures == 4);
    CHECK(event.snapshot.slow == 4);
    CHECK(event.snapshot.failure_rate == 1.0);
    CHECK(event.snapshot.slow_rate == 1.0);
}

TEMPLATE_TEST_CASE("Windowed breaker: a slow probe failed, where slow calls are judged", "[guard]",
                   CountWindow, TimeWindow) {
    const nanoseconds over = GENERATE(as<nanoseconds>{}, 0ns, 1ns);
    Watched<TestType> w{slow_above<TestType>(1s, 1.0)};
    w.breaker.trip();
    w.clock.advance(10s);
    w.take(1s + over);
    CHECK(w.breaker.state() == (over > 0ns ? State::open : State::closed));

    Watched<TestType> blind{four_calls<TestType>()};
    blind.breaker.trip();
    blind.clock.advance(10s);
    blind.take(9s + over);
    CHECK(blind.breaker.state() == State::closed);
}

TEMPLATE_TEST_CASE(
    "CircuitBreaker with a window: the numbers that opened it stand still while it is open", "[guard]",
    CountWindow, TimeWindow) {
    Watched<TestType> w{slow_above<TestType>(1s), {.reset_timeout = 1h}};
    auto late = w.breaker.try_acquire();
    auto also_late = w.breaker.try_acquire();
    w.succeed(2);
    w.fail();
    w.take(1500ms, Outcome::failure);
    REQUIRE(w.breaker.state() == State::open);
    const auto check = [&] {
        const Snapshot seen = w.breaker.snapshot();
        CHECK(seen.calls == 4);
        CHECK(seen.failures == 2);
        CHECK(seen.slow == 1);
        CHECK(seen.failure_rate == 0.5);
        CHECK(seen.slow_rate == 0.25);
    };
    check();
    for (const nanoseconds step :
         {nanoseconds{1ns}, nanoseconds{8s}, nanoseconds{50min}, nanoseconds{-2h}}) {
        w.clock.advance(step); // across the window's length, too
        check();
    }
    CHECK_FALSE(late.failure());
    CHECK_FALSE(also_late.success());
    w.breaker.record_failure();
    CHECK_FALSE(w.breaker.allow());
    check();
    w.breaker.force_open();
    check();
}

TEMPLATE_TEST_CASE("Windowed breaker: is empty after every way to CLOSED and HALF_OPEN", "[guard]",
                   CountWindow, TimeWindow) {
    Watched<TestType> w{four_calls<TestType>(), {.half_open = HalfOpen{.probes = 2}}};
    w.fail(4);
    SECTION("by probes") {
        w.clock.advance(10s);
        auto probe = w.breaker.try_acquire();
        CHECK(w.calls() == 0);
        CHECK_FALSE(w.breaker.snapshot().failure_rate);
        CHECK(probe.success());
        w.succeed();
    }
    SECTION("by command, from OPEN or by way of another") {
        const State by_way_of = GENERATE(State::open, State::disabled, State::forced_open);
        if (by_way_of == State::disabled) w.breaker.disable();
        if (by_way_of == State::forced_open) w.breaker.force_open();
        CHECK(w.breaker.state() == by_way_of);
        w.breaker.reset();
    }
    CHECK(w.breaker.state() == State::closed);
    CHECK(w.calls() == 0);
    w.fail(3);
    CHECK(w.breaker.state() == State::closed);
    CHECK(w.calls() == 3);
    w.breaker.reset(); // from CLOSED to CLOSED
    CHECK(w.calls() == 0);
    w.fail(3);
    CHECK(w.breaker.state() == State::closed);
}

TEMPLATE_TEST_CASE("Windowed breaker: DISABLED records nothing", "[guard]", CountWindow, TimeWindow) {
    Watched<TestType> w{four_calls<TestType>()};
    w.breaker.disable();
    auto permit = w.breaker.try_acquire();
    CHECK(permit);
    CHECK_FALSE(permit.failure());
    for (int i = 0; i != 10; ++i) w.breaker.record_failure();
    CHECK(w.calls() == 0);
    w.breaker.reset();
    CHECK(w.calls() == 0);
}

TEMPLATE_TEST_CASE("Windowed breaker: shows no rate until there are calls enough", "[guard]",
                   CountWindow, TimeWindow) {
    Watched<TestType> w{four_calls<TestType>()};
    for (int i = 0; i != 4; ++i) {
        CHECK_FALSE(w.breaker.snapshot().failure_rate);
        w.succeed();
    }
    CHECK(w.breaker.snapshot().failure_rate == 0.0);
}

TEST_CASE("Windowed breaker: successes that change nothing do not distort it", "[guard]") {
    Watched<CountWindow> w{
        {.size = 4, .minimum_calls = 4, .slow_calls = SlowCalls{.longer_than = 1s, .rate = 0.5}}};
    w.succeed(1000);
    SECTION("two failures of four") {
        w.fail();
        CHECK(w.breaker.state() == State::closed);
        CHECK(w.breaker.snapshot().failure_rate == 0.25);
        w.fail();
        CHECK(w.breaker.state() == State::open);
    }
    SECTION("a slow success is no such success") {
        w.breaker.record_success(2s);
        CHECK(w.breaker.snapshot().slow == 1);
        w.take(2s);
        CHECK(w.breaker.state() == State::open);
    }
    SECTION("a failure leaves after as many calls as the window holds") {
        w.fail();
        w.succeed(3);
        CHECK(w.breaker.snapshot().failures == 1);
        w.succeed();
        CHECK(w.breaker.snapshot().failures == 0);
    }
}

TEST_CASE("Windowed breaker: forgets on read, and a read changes nothing", "[guard]") {
    Watched<TimeWindow> w{{.minimum_calls = 4}};
    w.fail(3);
    w.clock.advance(10s - 1ns);
    CHECK(w.calls() == 3);
    w.clock.advance(1ns);
    for (int i = 0; i != 5; ++i) CHECK(w.calls() == 0);
    w.clock.advance(-1ns); // the reads above left no trace
    CHECK(w.calls() == 3);
    w.fail();
    CHECK(w.breaker.state() == State::open);
}

TEST_CASE("Windowed breaker: places a call at its end, not at its beginning", "[guard]") {
    Watched<TimeWindow> w{{.minimum_calls = 4}};
    w.take(100s, Outcome::failure);
    CHECK(w.calls() == 1);
    w.clock.advance(9s);
    CHECK(w.calls() == 1);
    w.clock.advance(1s);
    CHECK(w.calls() == 0);
}

TEST_CASE("Windowed breaker: refuses a bad one by name", "[guard]") {
    CHECK(refused_field(CountWindow{.size = 0}) == "CountWindow::size");
    CHECK(refused_field(CountWindow{.size = 5}) == "CountWindow::minimum_calls");
    CHECK(refused_field(CountWindow{.failure_rate = 50}) == "CountWindow::failure_rate");
    CHECK(refused_field(TimeWindow{.length = 0s}) == "TimeWindow::length");
    CHECK(refused_field(TimeWindow{.length = 10s, .buckets = 3}) == "TimeWindow::length");
    CHECK(refused_field(TimeWindow{.buckets = 0}) == "TimeWindow::buckets");
    CHECK(refused_field(TimeWindow{.minimum_calls = 0}) == "TimeWindow::minimum_calls");
    CHECK(refused_field(TimeWindow{.failure_rate = std::numeric_limits<double>::quiet_NaN()}) ==
          "TimeWindow::failure_rate");
    CHECK(refused_field(TimeWindow{.slow_calls = SlowCalls{.longer_than = -1s}}) ==
          "SlowCalls::longer_than");
    CHECK(refused_field(CountWindow{}).empty());
    CHECK(refused_field(TimeWindow{}).empty());
}

} // namespace tests::guard_circuit_breaker_windows
