// SPDX-License-Identifier: MIT
#include <dashpot/guard/detail/machine_state.hpp>

#include <dashpot/policy/consecutive_failures.hpp>
#include <dashpot/policy/count_window.hpp>

#include "catch.hpp"

#include <chrono>

namespace tests::guard_detail_machine_state {

using namespace std::chrono_literals;
using dashpot::BreakerOptions;
using dashpot::ConsecutiveFailures;
using dashpot::Counts;
using dashpot::CountWindow;
using dashpot::Instant;
using dashpot::NextSuccess;
using dashpot::Reason;
using dashpot::State;
using dashpot::detail::judges_calls;
using dashpot::detail::MachineState;
using dashpot::detail::Wait;

namespace {

using Run = MachineState<ConsecutiveFailures>;

Run made(const BreakerOptions& options = {}) { return {ConsecutiveFailures{3}, options, Instant{}, 1}; }

} // namespace

TEST_CASE("MachineState: outcomes count only where calls are judged", "[guard]") {
    STATIC_REQUIRE(judges_calls(State::closed));
    STATIC_REQUIRE(judges_calls(State::half_open));
    STATIC_REQUIRE(judges_calls(State::metrics_only));
    STATIC_REQUIRE_FALSE(judges_calls(State::open));
    STATIC_REQUIRE_FALSE(judges_calls(State::disabled));
    STATIC_REQUIRE_FALSE(judges_calls(State::forced_open));
}

TEST_CASE("MachineState: to enter a state starts a generation and empties the window", "[guard]") {
    Run here = made();
    (void)here.rule.record({.failed = true});
    here.enter(State::open, Instant{4s}, Reason::trip);
    CHECK(here.state == State::open);
    CHECK(here.generation == 2);
    CHECK(here.since == Instant{4s});
    CHECK(here.counts({}).failures == 1); // as it was
    CHECK(here.rule.tally().counts({}) == Counts{});
    CHECK(here.wait() == Wait{Instant{4s}, 10s});
    here.enter(State::half_open, Instant{14s}, Reason::reset_timeout);
    CHECK(here.generation == 3);
    CHECK(here.counts({}) == Counts{});
    CHECK(here.wait() == Wait{});
    CHECK(here.snapshot(Instant{14s}).opened_at == Instant{4s});
    here.enter(State::closed, Instant{15s}, Reason::probes_succeeded);
    CHECK_FALSE(here.snapshot(Instant{15s}).opened_at.has_value());
}

TEST_CASE("MachineState: skips a success only if nothing needs it", "[guard]") {
    CHECK(made().next_success() == NextSuccess::skip());
    CHECK(made({.count_totals = true}).next_success() == NextSuccess::count());
    CHECK(made({.initial_state = State::metrics_only}).next_success() == NextSuccess::count());
    for (const State state : {State::disabled, State::forced_open}) {
        CHECK(made({.initial_state = state}).next_success() == NextSuccess::record());
    }
    Run here = made();
    (void)here.rule.record({.failed = true});
    CHECK(here.next_success() == NextSuccess::record());

    MachineState<CountWindow> timed{
        {.size = 1, .minimum_calls = 1, .slow_calls = dashpot::SlowCalls{.longer_than = 1s}},
        {},
        Instant{},
        1};
    CHECK(timed.next_success() == NextSuccess::count());
    (void)timed.rule.record({});
    CHECK(timed.rule.next_success() == NextSuccess::skip());
    CHECK(timed.next_success() == NextSuccess::count()); // the length of each call matters
}

TEST_CASE("MachineState: is as new while it was made CLOSED and holds no call", "[guard]") {
    Run here = made();
    CHECK(here.is_as_new({}));
    (void)here.rule.record({.failed = true});
    CHECK_FALSE(here.is_as_new({}));
    here.rule.clear();
    CHECK(here.is_as_new({}));
    here.is_as_made = false;
    CHECK_FALSE(here.is_as_new({}));
    CHECK_FALSE(made({.initial_state = State::disabled}).is_as_new({}));
}

} // namespace tests::guard_detail_machine_state
