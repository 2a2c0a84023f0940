// SPDX-License-Identifier: MIT
// Whether a breaker could be replaced by a new one, and nobody would see it.
#include <dashpot/guard/circuit_breaker.hpp>
#include <dashpot/policy/count_window.hpp>
#include <dashpot/policy/time_window.hpp>

#include "guard/breaker_support.hpp"

#include <chrono>

namespace tests::guard_circuit_breaker_as_new {

using namespace std::chrono_literals;
using dashpot::CircuitBreaker;
using dashpot::CountWindow;
using dashpot::State;
using dashpot::TimeWindow;
using dashpot::Transition;
using dashpot::testing::ManualClock;
using support::Breaker;

TEST_CASE("is_as_new: until a call is remembered, and again when it is forgotten", "[breaker]") {
    Breaker breaker{{.threshold = 2}, {}, ManualClock{}};
    CHECK(breaker.is_as_new());
    support::succeed(breaker);
    CHECK(breaker.is_as_new());
    support::fail(breaker);
    CHECK_FALSE(breaker.is_as_new());
    support::succeed(breaker);
    CHECK(breaker.is_as_new());
    support::fail(breaker);
    breaker.reset();
    CHECK(breaker.is_as_new());
}

TEST_CASE("is_as_new: in CLOSED only, and only if it began there", "[breaker]") {
    ManualClock clock;
    const State state = GENERATE(State::open, State::half_open, State::disabled, State::forced_open,
                                 State::metrics_only);
    CAPTURE(to_string(state));
    Breaker breaker{{}, {}, clock};
    support::bring(breaker, clock, state);
    CHECK_FALSE(breaker.is_as_new());
    breaker.reset();
    CHECK(breaker.is_as_new());
    if (state == State::open || state == State::half_open) return;
    Breaker other{{}, {.initial_state = state}, clock};
    CHECK_FALSE(other.is_as_new());
    other.reset();
    CHECK_FALSE(other.is_as_new());
}

TEST_CASE("is_as_new: sees successes that were put off", "[breaker]") {
    CircuitBreaker<ManualClock, CountWindow> breaker{{}, {}, ManualClock{}};
    (void)breaker.snapshot(); // from now on this thread's successes are put off
    support::succeed(breaker);
    CHECK_FALSE(breaker.is_as_new());
    CHECK(breaker.snapshot().calls == 1); // and lost none by looking
    support::succeed(breaker);
    CHECK(breaker.snapshot().calls == 2);
}

TEST_CASE("is_as_new: a time window forgets at the end of its length, not a tick before", "[breaker]") {
    ManualClock clock;
    CircuitBreaker<ManualClock, TimeWindow> breaker{{.length = 10s, .buckets = 10}, {}, clock};
    support::succeed(breaker);
    clock.advance(10s - 1ns);
    CHECK_FALSE(breaker.is_as_new());
    clock.advance(1ns);
    CHECK(breaker.is_as_new());
}

TEST_CASE("is_as_new: not after it was given another policy or other options", "[breaker]") {
    Breaker breaker{{.threshold = 2}, {}, ManualClock{}};
    breaker.reconfigure({.threshold = 2}, {});
    CHECK(breaker.is_as_new());
    const bool is_policy = GENERATE(false, true);
    breaker.reconfigure({.threshold = is_policy ? 3U : 2U}, {.reset_timeout = is_policy ? 10s : 20s});
    CHECK_FALSE(breaker.is_as_new());
    breaker.reset();
    CHECK_FALSE(breaker.is_as_new());
}

TEST_CASE("listeners: are those whose subscriptions live", "[breaker]") {
    Breaker breaker{{}, {}, ManualClock{}};
    CHECK(breaker.listeners() == 0);
    auto one = breaker.on_transition([](const Transition&) {});
    {
        const auto two = breaker.on_transition([](const Transition&) {});
        CHECK(breaker.listeners() == 2);
    }
    CHECK(breaker.listeners() == 1);
    one.cancel();
    CHECK(breaker.listeners() == 0);
}

} // namespace tests::guard_circuit_breaker_as_new
