// SPDX-License-Identifier: MIT
#include <dashpot/guard/circuit_breaker.hpp>
#include <dashpot/testing/transition_recorder.hpp>

#include "guard/breaker_support.hpp"

#include <chrono>
#include <functional>
#include <string>

namespace tests::guard_circuit_breaker_commands {

using namespace std::chrono_literals;
using namespace support;
using dashpot::Error;
using dashpot::Reason;
using dashpot::Refusal;
using dashpot::State;
using dashpot::testing::TransitionRecorder;

namespace {

struct Rig {
    ManualClock clock;
    Breaker breaker{{.threshold = 2}, {.reset_timeout = 10s}, clock};
};

using Command = void (Breaker::*)();

/// One command in one state: where it leads, whether anybody hears of it, whether calls that are in
/// flight still count.
struct Case {
    State from;
    Command command;
    Reason reason;
    State to;
    bool is_event;
    bool is_new_generation;
};

constexpr bool event = true;
constexpr bool new_generation = true;

const Case all_cases[] = {
    {State::closed, &Breaker::reset, Reason::reset, State::closed, !event, new_generation},
    {State::closed, &Breaker::trip, Reason::trip, State::open, event, new_generation},
    {State::closed, &Breaker::force_open, Reason::force_open, State::forced_open, event,
     new_generation},
    {State::closed, &Breaker::disable, Reason::disable, State::disabled, event, new_generation},
    {State::closed, &Breaker::metrics_only, Reason::metrics_only, State::metrics_only, event,
     new_generation},

    {State::open, &Breaker::reset, Reason::reset, State::closed, event, new_generation},
    {State::open, &Breaker::trip, Reason::trip, State::open, !event, !new_generation},
    {State::open, &Breaker::force_open, Reason::force_open, State::forced_open, event, new_generation},
    {State::open, &Breaker::disable, Reason::disable, State::disabled, event, new_generation},
    {State::open, &Breaker::metrics_only, Reason::metrics_only, State::metrics_only, event,
     new_generation},

    {State::half_open, &Breaker::reset, Reason::reset, State::closed, event, new_generation},
    {State::half_open, &Breaker::trip, Reason::trip, State::open, event, new_generation},
    {State::half_open, &Breaker::force_open, Reason::force_open, State::forced_open, event,
     new_generation},
    {State::half_open, &Breaker::disable, Reason::disable, State::disabled, event, new_generation},
    {State::half_open, &Breaker::metrics_only, Reason::metrics_only, State::metrics_only, event,
     new_generation},

    {State::disabled, &Breaker::reset, Reason::reset, State::closed, event, new_generation},
    {State::disabled, &Breaker::trip, Reason::trip, State::disabled, !event, !new_generation},
    {State::disabled, &Breaker::force_open, Reason::force_open, State::forced_open, event,
     new_generation},
    {State::disabled, &Breaker::disable, Reason::disable, State::disabled, !event, !new_generation},
    {State::disabled, &Breaker::metrics_only, Reason::metrics_only, State::metrics_only, event,
     new_generation},

    {State::forced_open, &Breaker::reset, Reason::reset, State::closed, event, new_generation},
    {State::forced_open, &Breaker::trip, Reason::trip, State::forced_open, !event, !new_generation},
    {State::forced_open, &Breaker::force_open, Reason::force_open, State::forced_open, !event,
     !new_generation},
    {State::forced_open, &Breaker::disable, Reason::disable, State::disabled, event, new_generation},
    {State::forced_open, &Breaker::metrics_only, Reason::metrics_only, State::metrics_only, event,
     new_generation},

    {State::metrics_only, &Breaker::reset, Reason::reset, State::closed, event, new_generation},
    {State::metrics_only, &Breaker::trip, Reason::trip, State::metrics_only, !event, !new_generation},
    {State::metrics_only, &Breaker::force_open, Reason::force_open, State::forced_open, event,
     new_generation},
    {State::metrics_only, &Breaker::disable, Reason::disable, State::disabled, event, new_generation},
    {State::metrics_only, &Breaker::metrics_only, Reason::metrics_only, State::metrics_only, !event,
     !new_generation},
};

} // namespace

TEST_CASE("CircuitBreaker: obeys each command in each state", "[guard]") {
    for (const Case& each : all_cases) {
        INFO(to_string(each.reason) << " in " << to_string(each.from));
        Rig rig;
        bring(rig.breaker, rig.clock, each.from);
        TransitionRecorder heard;
        const auto subscription = rig.breaker.on_transition(std::ref(heard));
        const auto before = rig.breaker.snapshot();
        rig.clock.advance(1s);

        (rig.breaker.*each.command)();

        const auto after = rig.breaker.snapshot();
        CHECK(after.state == each.to);
        CHECK(after.generation == before.generation + (each.is_new_generation ? 1U : 0U));
        CHECK(after.since == before.since + (each.is_event ? 1s : 0s));
        const auto events = heard.entries();
        REQUIRE(events.size() == (each.is_event ? 1U : 0U));
        if (each.is_event) {
            const auto& transition = events.front().transition;
            CHECK(transition.from == each.from);
            CHECK(transition.to == each.to);
            CHECK(transition.reason == each.reason);
            CHECK(transition.generation == after.generation);
            CHECK(transition.at == rig.clock.now());
        }
    }
}

TEST_CASE("trip: opens as a deciding failure would", "[guard]") {
    Rig rig;
    rig.breaker.trip();
    CHECK(rig.breaker.try_acquire().refusal() == Refusal{Error::circuit_open, 10s});
    rig.clock.advance(10s - 1ns);
    CHECK_FALSE(rig.breaker.allow());
    rig.clock.advance(1ns);
    succeed(rig.breaker);
    CHECK(rig.breaker.state() == State::closed);
}

TEST_CASE("trip: in OPEN does not make the wait longer", "[guard]") {
    Rig rig;
    rig.breaker.trip();
    rig.clock.advance(6s);
    rig.breaker.trip();
    CHECK(rig.breaker.retry_after() == 4s);
}

TEST_CASE("trip: in HALF_OPEN takes the probe's vote and starts a new wait", "[guard]") {
    Rig rig;
    rig.breaker.trip();
    rig.clock.advance(10s);
    Permit probe = rig.breaker.try_acquire();
    rig.clock.advance(3s);
    rig.breaker.trip();
    CHECK(rig.breaker.retry_after() == 10s);
    CHECK_FALSE(probe.success());
    CHECK(rig.breaker.state() == State::open);
}

TEST_CASE("reset: closes from OPEN before the wait is over", "[guard]") {
    Rig rig;
    fail(rig.breaker, 2);
    rig.breaker.reset();
    CHECK(rig.breaker.state() == State::closed);
    CHECK(rig.breaker.retry_after() == 0ns);
    fail(rig.breaker);
    CHECK(rig.breaker.state() == State::closed);
    fail(rig.breaker);
    CHECK(rig.breaker.state() == State::open);
}

TEST_CASE("reset: in CLOSED forgets the run, and what is in flight no longer counts", "[guard]") {
    Rig rig;
    Permit in_flight = rig.breaker.try_acquire();
    fail(rig.breaker);
    rig.breaker.reset();
    CHECK(rig.breaker.snapshot().calls == 0);
    CHECK_FALSE(in_flight.failure());
    fail(rig.breaker);
    CHECK(rig.breaker.state() == State::closed);
    CHECK(rig.breaker.snapshot().failures == 1);
}

TEST_CASE("reset: in CLOSED lets a success count again", "[guard]") {
    Rig rig;
    fail(rig.breaker);
    rig.breaker.reset();
    CHECK(rig.breaker.try_acquire().success());
    fail(rig.breaker, 2);
    CHECK(rig.breaker.state() == State::open);
}

TEST_CASE("reset: in HALF_OPEN takes the probe's vote", "[guard]") {
    Rig rig;
    rig.breaker.trip();
    rig.clock.advance(10s);
    Permit probe = rig.breaker.try_acquire();
    rig.breaker.reset();
    CHECK_FALSE(probe.failure());
    CHECK(rig.breaker.state() == State::closed);
}

TEST_CASE("force_open: refuses everything until reset, and knows no wait", "[guard]") {
    Rig rig;
    rig.breaker.force_open();
    CHECK(rig.breaker.retry_after() == 0ns);
    CHECK(rig.breaker.try_acquire().refusal() == Refusal{Error::circuit_open});
    rig.clock.advance((std::chrono::hours::max)());
    CHECK_FALSE(rig.breaker.allow());
    CHECK(rig.breaker.snapshot().refused == 2);
    CHECK(rig.breaker.state() == State::forced_open);
    rig.breaker.reset();
    CHECK(rig.breaker.allow());
}

TEST_CASE("force_open: after OPEN leaves nothing of the wait", "[guard]") {
    Rig rig;
    fail(rig.breaker, 2);
    rig.breaker.force_open();
    CHECK(rig.breaker.retry_after() == 0ns);
    CHECK(rig.breaker.snapshot().retry_after == 0ns);
    CHECK_FALSE(rig.breaker.snapshot().opened_at.has_value());
    rig.clock.advance(10s);
    CHECK_FALSE(rig.breaker.allow());
    CHECK(rig.breaker.state() == State::forced_open);
}

TEST_CASE("disable: admits everything and records nothing", "[guard]") {
    Rig rig;
    rig.breaker.disable();
    for (int i = 0; i != 10; ++i) {
        CHECK(rig.breaker.allow());
        rig.breaker.record_failure();
        Permit permit = rig.breaker.try_acquire();
        CHECK(permit);
        CHECK_FALSE(permit.failure()); // it did not count
        CHECK_FALSE(permit);
        { const Permit dropped = rig.breaker.try_acquire(); }
    }
    CHECK(rig.breaker.state() == State::disabled);
    const auto seen = rig.breaker.snapshot();
    CHECK(seen.calls == 0);
    CHECK(seen.failures == 0);
    CHECK(seen.ignored == 0);
    CHECK(seen.refused == 0);
}

TEST_CASE("disable: a permit may still be ignored in its own generation", "[guard]") {
    Rig rig;
    rig.breaker.disable();
    Permit permit = rig.breaker.try_acquire();
    CHECK(permit.ignore());
    Permit stale = rig.breaker.try_acquire();
    rig.breaker.reset();
    CHECK_FALSE(stale.ignore());
}

TEST_CASE("disable: what was counted before is gone after the reset", "[guard]") {
    Rig rig;
    fail(rig.breaker);
    Permit old = rig.breaker.try_acquire();
    rig.breaker.disable();
    Permit meanwhile = rig.breaker.try_acquire();
    rig.breaker.reset();
    CHECK_FALSE(old.failure());
    CHECK_FALSE(meanwhile.failure());
    fail(rig.breaker);
    CHECK(rig.breaker.state() == State::closed);
}

TEST_CASE("CircuitBreaker: many commands in a row end where the last one leads", "[guard]") {
    Rig rig;
    TransitionRecorder heard;
    const auto subscription = rig.breaker.on_transition(std::ref(heard));
    rig.breaker.trip();
    rig.breaker.disable();
    rig.breaker.force_open();
    rig.breaker.disable();
    rig.breaker.reset();
    rig.breaker.trip();
    rig.breaker.reset();
    CHECK(heard.path() == "CLOSED->OPEN OPEN->DISABLED DISABLED->FORCED_OPEN FORCED_OPEN->DISABLED "
                          "DISABLED->CLOSED CLOSED->OPEN OPEN->CLOSED");
    std::uint64_t generation = 1;
    for (const auto& entry : heard.entries()) CHECK(entry.transition.generation == ++generation);
}

} // namespace tests::guard_circuit_breaker_commands
