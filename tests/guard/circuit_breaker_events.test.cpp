// SPDX-License-Identifier: MIT
#include <dashpot/guard/circuit_breaker.hpp>
#include <dashpot/testing/transition_recorder.hpp>

#include "guard/breaker_support.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace tests::guard_circuit_breaker_events {

using namespace std::chrono_literals;
using namespace support;
using dashpot::Instant;
using dashpot::Reason;
using dashpot::State;
using dashpot::Subscription;
using dashpot::Transition;
using dashpot::testing::TransitionRecorder;

namespace {

struct Rig {
    ManualClock clock{Instant{100s}};
    Breaker breaker{{.threshold = 1}, {.reset_timeout = 10s}, clock};
    TransitionRecorder heard;
};

} // namespace

TEST_CASE("on_transition: delivers each change of state once and in order", "[guard]") {
    Rig rig;
    const Subscription subscription = rig.breaker.on_transition(std::ref(rig.heard));
    fail(rig.breaker);
    rig.clock.advance(10s);
    fail(rig.breaker);
    rig.clock.advance(10s);
    succeed(rig.breaker);
    CHECK(rig.heard.path() ==
          "CLOSED->OPEN OPEN->HALF_OPEN HALF_OPEN->OPEN OPEN->HALF_OPEN HALF_OPEN->CLOSED");
}

TEST_CASE("on_transition: says why, when and in which generation", "[guard]") {
    Rig rig;
    const Subscription subscription = rig.breaker.on_transition(std::ref(rig.heard));
    fail(rig.breaker);
    rig.clock.advance(10s);
    Permit probe = rig.breaker.try_acquire();
    rig.clock.advance(1s);
    CHECK(probe.failure());
    rig.clock.advance(10s);
    succeed(rig.breaker);
    rig.breaker.trip();
    rig.breaker.force_open();
    rig.breaker.disable();
    rig.breaker.reset();

    const std::vector<std::pair<Reason, Instant>> expected = {
        {Reason::consecutive_failures, Instant{100s}},
        {Reason::reset_timeout, Instant{110s}},
        {Reason::probes_failed, Instant{111s}},
        {Reason::reset_timeout, Instant{121s}},
        {Reason::probes_succeeded, Instant{121s}},
        {Reason::trip, Instant{121s}},
        {Reason::force_open, Instant{121s}},
        {Reason::disable, Instant{121s}},
        {Reason::reset, Instant{121s}},
    };
    const auto events = rig.heard.entries();
    REQUIRE(events.size() == expected.size());
    std::uint64_t generation = 1;
    State from = State::closed;
    for (std::size_t i = 0; i != events.size(); ++i) {
        const Transition& transition = events[i].transition;
        CHECK(transition.reason == expected[i].first);
        CHECK(transition.at == expected[i].second);
        CHECK(transition.generation == ++generation);
        CHECK(transition.from == from);
        from = transition.to;
    }
}

TEST_CASE("on_transition: the event has been delivered when the call that caused it returns",
          "[guard]") {
    Rig rig;
    const Subscription subscription = rig.breaker.on_transition(std::ref(rig.heard));
    rig.breaker.record_failure();
    CHECK(rig.heard.path() == "CLOSED->OPEN");
    rig.clock.advance(10s);
    CHECK(rig.breaker.allow());
    CHECK(rig.heard.path() == "CLOSED->OPEN OPEN->HALF_OPEN");
}

TEST_CASE("on_transition: what is no transition is no event", "[guard]") {
    Rig rig;
    const Subscription subscription = rig.breaker.on_transition(std::ref(rig.heard));
    rig.breaker.reset();
    succeed(rig.breaker, 3);
    CHECK(rig.heard.entries().empty());
    fail(rig.breaker);
    rig.breaker.trip();
    rig.breaker.record_failure();
    rig.breaker.record_success();
    CHECK_FALSE(rig.breaker.allow());
    CHECK(rig.heard.path() == "CLOSED->OPEN");
}

TEST_CASE("on_transition: every listener is called, in the order in which they subscribed", "[guard]") {
    Rig rig;
    std::string order;
    const Subscription a = rig.breaker.on_transition([&](const Transition&) { order += 'a'; });
    const Subscription b = rig.breaker.on_transition([&](const Transition&) { order += 'b'; });
    const Subscription c = rig.breaker.on_transition([&](const Transition&) { order += 'c'; });
    rig.breaker.trip();
    rig.breaker.reset();
    CHECK(order == "abcabc");
}

TEST_CASE("on_transition: a subscriber receives only what happens later", "[guard]") {
    Rig rig;
    rig.breaker.trip();
    const Subscription subscription = rig.breaker.on_transition(std::ref(rig.heard));
    CHECK(rig.heard.entries().empty());
    rig.breaker.reset();
    CHECK(rig.heard.path() == "OPEN->CLOSED");
}

TEST_CASE("on_transition: an ended subscription receives nothing more, the others do", "[guard]") {
    Rig rig;
    TransitionRecorder other;
    Subscription first = rig.breaker.on_transition(std::ref(rig.heard));
    const Subscription second = rig.breaker.on_transition(std::ref(other));
    rig.breaker.trip();
    first.cancel();
    rig.breaker.reset();
    CHECK(rig.heard.path() == "CLOSED->OPEN");
    CHECK(other.path() == "CLOSED->OPEN OPEN->CLOSED");
}

TEST_CASE("on_transition: one that throws is contained, and the others are still called", "[guard]") {
    Rig rig;
    int thrown = 0;
    const Subscription throwing = rig.breaker.on_transition([&](const Transition&) {
        ++thrown;
        throw std::runtime_error{"the log is full"};
    });
    const Subscription throwing_int = rig.breaker.on_transition([](const Transition&) { throw 42; });
    const Subscription after = rig.breaker.on_transition(std::ref(rig.heard));
    Permit permit = rig.breaker.try_acquire();
    CHECK(permit.failure()); // its own result
    rig.clock.advance(10s);
    CHECK(rig.breaker.call([] { return 42; }).value() == 42);
    rig.breaker.trip();
    CHECK(thrown == 4);
    CHECK(rig.heard.path() == "CLOSED->OPEN OPEN->HALF_OPEN HALF_OPEN->CLOSED CLOSED->OPEN");
}

TEST_CASE("on_transition: a throwing listener does not replace the exception of a call", "[guard]") {
    Rig rig;
    const Subscription throwing = rig.breaker.on_transition([](const Transition&) { throw 42; });
    CHECK_THROWS_AS(rig.breaker.call([]() -> int { throw std::runtime_error{"reset by peer"}; }),
                    std::runtime_error);
    CHECK(rig.breaker.state() == State::open);
}

TEST_CASE("on_transition: a listener may run while an exception unwinds the stack", "[guard]") {
    Rig rig;
    const Subscription subscription = rig.breaker.on_transition(std::ref(rig.heard));
    const Subscription throwing = rig.breaker.on_transition([](const Transition&) { throw 42; });
    try {
        const Permit unwound = rig.breaker.try_acquire();
        throw std::runtime_error{"reset by peer"};
    } catch (const std::runtime_error&) {}
    CHECK(rig.heard.path() == "CLOSED->OPEN");
}

TEST_CASE("on_transition: refuses an empty function", "[guard]") {
    Rig rig;
    CHECK_THROWS_WITH((void)rig.breaker.on_transition(nullptr),
                      "on_transition: the listener must not be empty");
    CHECK_THROWS_AS((void)rig.breaker.on_transition({}), std::invalid_argument);
    rig.breaker.trip();
    CHECK(rig.breaker.state() == State::open);
}

TEST_CASE("on_transition: what a listener holds lives as long as its subscription", "[guard]") {
    Rig rig;
    const auto held = std::make_shared<int>(0);
    Subscription subscription = rig.breaker.on_transition([held](const Transition&) { ++*held; });
    CHECK(held.use_count() == 2);
    rig.breaker.trip();
    CHECK(*held == 1);
    CHECK(held.use_count() == 2);
    subscription.cancel();
    CHECK(held.use_count() == 1);
    rig.breaker.reset();
    CHECK(*held == 1);
}

TEST_CASE("on_transition: a subscription may outlive its breaker", "[guard]") {
    const auto held = std::make_shared<int>(0);
    Subscription subscription;
    {
        Rig rig;
        subscription = rig.breaker.on_transition([held](const Transition&) { ++*held; });
        rig.breaker.trip();
    }
    CHECK(*held == 1);
    CHECK(subscription);
    CHECK(held.use_count() == 2);
    subscription.cancel();
    CHECK(held.use_count() == 1);
}

TEST_CASE("on_transition: a breaker may outlive its subscriptions", "[guard]") {
    Rig rig;
    { const Subscription subscription = rig.breaker.on_transition(std::ref(rig.heard)); }
    rig.breaker.trip();
    CHECK(rig.heard.entries().empty());
    const Subscription again = rig.breaker.on_transition(std::ref(rig.heard));
    rig.breaker.reset();
    CHECK(rig.heard.path() == "OPEN->CLOSED");
}

TEST_CASE("on_transition: a permit that is dropped or released causes events like any answer",
          "[guard]") {
    Rig rig;
    const Subscription subscription = rig.breaker.on_transition(std::ref(rig.heard));
    rig.breaker.trip();
    rig.clock.advance(10s);
    { const Permit dropped = rig.breaker.try_acquire(); }
    CHECK(rig.heard.path() == "CLOSED->OPEN OPEN->HALF_OPEN");
    std::optional<Permit> probe{rig.breaker.try_acquire()};
    try {
        const Permit unwound = std::move(*probe);
        throw 42;
    } catch (int) {}
    CHECK(rig.heard.path() == "CLOSED->OPEN OPEN->HALF_OPEN HALF_OPEN->OPEN");
}

} // namespace tests::guard_circuit_breaker_events
