// SPDX-License-Identifier: MIT
// What listeners hear, and what they may do meanwhile.
#include "catch.hpp"
#include "field_cases/forms.hpp"

#include <dashpot/policy/count_window.hpp>
#include <dashpot/policy/slow_calls.hpp>
#include <dashpot/registry/registry.hpp>
#include <dashpot/testing/transition_recorder.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace tests::field_cases_events {

using namespace field;

// sony/gobreaker#37, sony/gobreaker#39
TEMPLATE_TEST_CASE("CircuitBreaker: a listener may ask the breaker anything", "", TwoStep, Permits,
                   Entries, Calls) {
    TestType form{with_probes(1)};
    std::vector<State> seen;
    const auto subscription = form.breaker.on_transition([&](const Transition& move) {
        seen.push_back(form.breaker.state());
        CHECK(form.breaker.snapshot().generation == move.generation);
        CHECK(form.breaker.retry_after() == move.snapshot.retry_after);
        if (move.to == State::open) {
            CHECK_FALSE(form.breaker.allow());
            CHECK_FALSE(form.breaker.try_acquire());
            CHECK_FALSE(form.breaker.call([] {}).has_value());
        }
    });
    REQUIRE(open_and_wait(form));
    CHECK(succeed(form));
    CHECK(seen == std::vector{State::open, State::half_open, State::closed});
}

// sony/gobreaker#37
TEMPLATE_TEST_CASE(
    "CircuitBreaker: a listener may command the breaker, and what follows is heard in order", "",
    TwoStep, Permits, Entries, Calls) {
    TestType form;
    testing::TransitionRecorder first;
    testing::TransitionRecorder second;
    const auto before = form.breaker.on_transition(std::ref(first));
    const auto commanding = form.breaker.on_transition([&](const Transition& move) {
        if (move.to == State::open) form.breaker.reset();
        if (move.reason == Reason::reset && move.from == State::open) form.breaker.force_open();
    });
    const auto after = form.breaker.on_transition(std::ref(second));
    for (int i = 0; i != 3; ++i) CHECK(fail(form));
    CHECK(form.breaker.state() == State::forced_open);
    CHECK(first.path() == "CLOSED->OPEN OPEN->CLOSED CLOSED->FORCED_OPEN");
    CHECK(second.path() == first.path()); // though the command was given before it heard of the opening
}

// gastownhall/gascity#3318
TEST_CASE("Registry: a listener may look its target up, make others and remove it") {
    Registry<ManualClock> targets;
    std::vector<std::string> heard;
    const auto subscription = targets.on_transition([&](std::string_view name, const Transition& move) {
        heard.push_back(std::string{name} + ' ' + std::string{to_string(move.to)});
        CHECK(targets.find(name)->name() == name);
        CHECK(targets.get(name)->breaker().state() == move.to);
        targets.for_each([](auto& each) { CHECK_FALSE(each.name().empty()); });
        if (name == "CORE") targets.get("CLAIM")->breaker().trip();
        CHECK(targets.remove(name));
    });
    targets.get("CORE")->breaker().trip();
    CHECK(heard == std::vector<std::string>{"CORE OPEN", "CLAIM OPEN"});
    CHECK(targets.size() == 0);
}

// denoland/std#6996, denoland/std#6967
TEST_CASE(
    "CircuitBreaker: a listener that throws changes neither the caller's error nor what others hear") {
    Calls form;
    Entries compartment;
    const auto try_out = [](auto& guard, Breaker& breaker) {
        testing::TransitionRecorder heard;
        const auto throwing =
            breaker.on_transition([](const Transition&) { throw std::logic_error{"no"}; });
        const auto odd = breaker.on_transition([](const Transition&) { throw 7; });
        const auto recording = breaker.on_transition(std::ref(heard));
        for (int i = 0; i != 3; ++i)
            CHECK_THROWS_AS(guard.call([]() -> int { throw Trouble{}; }), Trouble);
        CHECK(breaker.state() == State::open);
        CHECK(heard.path() == "CLOSED->OPEN");
        const auto refused = guard.call([] { return 1; });
        REQUIRE_FALSE(refused);
        CHECK(refused.error() == Refusal{Error::circuit_open, 10s});
        CHECK_NOTHROW(breaker.reset());
        CHECK(heard.path() == "CLOSED->OPEN OPEN->CLOSED");
        const auto answer = guard.call([] { return 42; });
        REQUIRE(answer);
        CHECK(*answer == 42);
    };
    try_out(form.breaker, form.breaker);
    try_out(compartment.target, compartment.breaker);
}

// denoland/std#6996
TEST_CASE("CircuitBreaker: a slow listener does not make the probe a slow call") {
    ManualClock clock{start};
    const CountWindow window{.size = 2, .minimum_calls = 2, .slow_calls = SlowCalls{1s}};
    CircuitBreaker<ManualClock, CountWindow> breaker{window, with_probes(1), clock};
    const auto slow = breaker.on_transition([&](const Transition&) { clock.advance(5s); });
    CHECK(breaker.try_acquire().failure());
    CHECK(breaker.try_acquire().failure());
    REQUIRE(breaker.state() == State::open);
    clock.advance(10s);
    auto probe = breaker.try_acquire(); // the listener hears of HALF_OPEN before the call begins
    REQUIRE(probe);
    clock.advance(1s); // not longer than the limit
    CHECK(probe.success());
    CHECK(breaker.state() == State::closed);
}

// denoland/std#6996
TEST_CASE("CircuitBreaker: a listener that throws while the caller's own exception unwinds does not "
          "end the program") {
    Permits form{with_probes(1), {1}};
    int heard = 0;
    const auto throwing = form.breaker.on_transition([&](const Transition&) {
        ++heard;
        throw std::logic_error{"no"};
    });
    const auto work = [&] {
        const auto permit = form.take(); // recorded as a failure by its destructor
        throw Trouble{};
    };
    CHECK_THROWS_AS(work(), Trouble);
    CHECK(heard == 1);
    CHECK(form.breaker.state() == State::open);
}

// App-vNext/Polly#219, denoland/std#7097, resilience4j/resilience4j#646
TEMPLATE_TEST_CASE("CircuitBreaker: late failures make no second opening", "", TwoStep, Permits,
                   Entries) {
    const auto how_many = GENERATE(1, 5, 20);
    TestType form;
    testing::TransitionRecorder heard;
    const auto subscription = form.breaker.on_transition(std::ref(heard));
    std::vector<decltype(form.take())> late;
    for (int i = 0; i != how_many; ++i) late.push_back(form.take());
    REQUIRE(open(form));
    for (auto& each : late) each.failure();
    form.breaker.trip();
    CHECK(heard.path() == "CLOSED->OPEN");
}

// App-vNext/Polly#219
TEMPLATE_TEST_CASE("CircuitBreaker: probes that all fail make one opening", "", TwoStep, Permits,
                   Entries) {
    const auto probes = GENERATE(2U, 3U, 8U);
    TestType form{with_probes(probes)};
    REQUIRE(open_and_wait(form));
    std::vector<decltype(form.take())> taken;
    for (std::uint32_t i = 0; i != probes; ++i) taken.push_back(form.take());
    testing::TransitionRecorder heard;
    const auto subscription = form.breaker.on_transition(std::ref(heard));
    for (auto& each : taken) each.failure();
    CHECK(heard.path() == "HALF_OPEN->OPEN");
}

// App-vNext/Polly#219, resilience4j/resilience4j#646
TEST_CASE("CircuitBreaker: a command that changes nothing is no event") {
    Permits form;
    testing::TransitionRecorder heard;
    const auto subscription = form.breaker.on_transition(std::ref(heard));
    form.breaker.reset();
    form.breaker.reset();
    CHECK(heard.path().empty());
    form.breaker.trip();
    form.breaker.trip();
    form.breaker.force_open();
    form.breaker.force_open();
    form.breaker.trip();
    form.breaker.disable();
    form.breaker.disable();
    form.breaker.trip();
    form.breaker.reset();
    form.breaker.reset();
    CHECK(heard.path() == "CLOSED->OPEN OPEN->FORCED_OPEN FORCED_OPEN->DISABLED DISABLED->CLOSED");
}

// resilience4j/resilience4j#1115
TEST_CASE("CircuitBreaker: listeners that come and go in their own calls leave the others in peace") {
    Permits form;
    int own_calls = 0;
    std::optional<Subscription> own;
    own = form.breaker.on_transition([&](const Transition&) {
        ++own_calls;
        own.reset();
    });
    std::vector<Subscription> added;
    int added_calls = 0;
    const auto adding = form.breaker.on_transition([&](const Transition&) {
        added.push_back(form.breaker.on_transition([&](const Transition&) { ++added_calls; }));
    });
    testing::TransitionRecorder heard;
    const auto next = form.breaker.on_transition(std::ref(heard));

    form.breaker.trip();
    CHECK(own_calls == 1);
    CHECK(added_calls == 0); // it came after the event
    CHECK(heard.entries().size() == 1);
    form.breaker.reset();
    CHECK(own_calls == 1);
    CHECK(added_calls == 1);
    form.breaker.trip();
    CHECK(added_calls == 3);
    CHECK(heard.entries().size() == 3);
    added.clear();
    form.breaker.reset();
    CHECK(added_calls == 3);
}

// resilience4j/resilience4j#1115
TEST_CASE("CircuitBreaker: a listener that is gone leaves nothing behind") {
    auto held = std::make_shared<int>(1);
    Permits form;
    for (int i = 0; i != 1000; ++i) {
        const auto passing = form.breaker.on_transition([held](const Transition&) {});
        CHECK(held.use_count() == 2);
    }
    CHECK(held.use_count() == 1);
    Registry<ManualClock> targets;
    for (int i = 0; i != 1000; ++i) {
        const auto passing = targets.on_transition([held](std::string_view, const Transition&) {});
        (void)targets.get("CORE");
    }
    CHECK(held.use_count() == 1);
}

// yammer/circuitbox#117
TEMPLATE_TEST_CASE(
    "CircuitBreaker: closing is announced when the probes have succeeded, not when one begins", "",
    TwoStep, Permits, Entries) {
    TestType form{with_probes(2)};
    testing::TransitionRecorder heard;
    const auto subscription = form.breaker.on_transition(std::ref(heard));
    REQUIRE(open_and_wait(form));
    CHECK(heard.path() == "CLOSED->OPEN");
    auto first = form.take();
    auto second = form.take();
    CHECK(heard.path() == "CLOSED->OPEN OPEN->HALF_OPEN");
    first.success();
    CHECK(heard.path() == "CLOSED->OPEN OPEN->HALF_OPEN");
    second.failure();
    CHECK(heard.path() == "CLOSED->OPEN OPEN->HALF_OPEN HALF_OPEN->OPEN");
    form.clock.advance(10s);
    CHECK(succeed(form));
    CHECK(succeed(form));
    CHECK(heard.path() ==
          "CLOSED->OPEN OPEN->HALF_OPEN HALF_OPEN->OPEN OPEN->HALF_OPEN HALF_OPEN->CLOSED");
}

// resilience4j/resilience4j#1437
TEST_CASE("CircuitBreaker: each event carries the numbers and the rule of its own change") {
    Permits form{with_probes(1)};
    testing::TransitionRecorder heard;
    const auto subscription = form.breaker.on_transition(std::ref(heard));
    REQUIRE(open_and_wait(form));
    REQUIRE(fail(form));
    form.clock.advance(10s);
    REQUIRE(succeed(form));
    const auto events = heard.entries();
    REQUIRE(events.size() == 5);
    const std::vector<Reason> reasons{Reason::consecutive_failures, Reason::reset_timeout,
                                      Reason::probes_failed, Reason::reset_timeout,
                                      Reason::probes_succeeded};
    const std::vector<std::uint64_t> calls{3, 0, 1, 0, 0};
    for (std::size_t i = 0; i != events.size(); ++i) {
        const Transition& move = events[i].transition;
        CHECK(move.reason == reasons[i]);
        CHECK(move.generation == i + 2);
        CHECK(move.snapshot.generation == move.generation);
        CHECK(move.snapshot.state == move.to);
        CHECK(move.snapshot.calls == calls[i]);
        CHECK(move.snapshot.failures == calls[i]);
        CHECK(move.snapshot.since == move.at);
    }
}

} // namespace tests::field_cases_events
