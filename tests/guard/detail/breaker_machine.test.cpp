// SPDX-License-Identifier: MIT
#include <dashpot/guard/detail/breaker_machine.hpp>

#include <dashpot/policy/consecutive_failures.hpp>
#include <dashpot/policy/count_window.hpp>
#include <dashpot/policy/time_window.hpp>

#include "catch.hpp"

#include <chrono>
#include <cstdint>
#include <string>

namespace tests::guard_detail_breaker_machine {

using namespace std::chrono_literals;
using dashpot::BreakerOptions;
using dashpot::ConsecutiveFailures;
using dashpot::CountWindow;
using dashpot::FinishedCall;
using dashpot::HalfOpen;
using dashpot::Instant;
using dashpot::NextSuccess;
using dashpot::Reason;
using dashpot::SlowCalls;
using dashpot::Snapshot;
using dashpot::State;
using dashpot::TimeWindow;
using std::chrono::nanoseconds;

namespace {

using Machine = dashpot::detail::BreakerMachine<ConsecutiveFailures>;
using Effect = Machine::Effect;

constexpr std::uint64_t any = Machine::any_generation;
constexpr bool named = false;
constexpr bool unnamed = true;

constexpr Instant at(nanoseconds time) { return Instant{time}; }
constexpr FinishedCall success(nanoseconds when) { return {.at = at(when)}; }
constexpr FinishedCall failure(nanoseconds when) { return {.failed = true, .at = at(when)}; }

/// Opens at the first failure; waits 10 s.
constexpr Machine machine_of(const HalfOpen& half_open = {}) {
    return {ConsecutiveFailures{1}, BreakerOptions{.reset_timeout = 10s, .half_open = half_open},
            at(0s), 1};
}

/// Half open since 10 s, with one named probe out.
constexpr Machine probing(const HalfOpen& half_open = {}) {
    Machine machine = machine_of(half_open);
    machine.record(1, failure(0s));
    machine.admit(at(10s), named);
    return machine;
}

template <class Effect>
std::string told(const Effect& effect) {
    return (effect.was_taken ? "yes " : "no ") +
           (effect.moved_by ? std::string{to_string(*effect.moved_by)} : "stays");
}

// A whole life in a constant expression.
constexpr bool lives_by_the_rules() {
    Machine machine = machine_of();
    if (machine.state() != State::closed || machine.generation() != 1 ||
        machine.next_success() != NextSuccess::skip())
        return false;
    if (machine.record(1, failure(5s)).moved_by != Reason::consecutive_failures) return false;
    if (machine.admit(at(15s - 1ns), named).was_taken) return false;
    if (machine.admit(at(15s), named).moved_by != Reason::reset_timeout) return false;
    return machine.record(3, success(15s)).moved_by == Reason::probes_succeeded &&
           machine.generation() == 4;
}
static_assert(lives_by_the_rules());

} // namespace

TEST_CASE(
    "BreakerMachine: refuses until the wait has passed, then moves and takes the probe in one step",
    "[guard]") {
    Machine machine = machine_of();
    REQUIRE(told(machine.record(1, failure(3s))) == "yes consecutive_failures");
    CHECK(machine.since() == at(3s));
    for (const nanoseconds early : {nanoseconds{3s}, nanoseconds{13s} - 1ns, nanoseconds{-100s}}) {
        CHECK(told(machine.admit(at(early), named)) == "no stays");
        CHECK(machine.snapshot(at(early)).opened_at == at(3s));
    }
    CHECK(machine.state() == State::open); // however long ago, until a caller comes
    CHECK(machine.snapshot(at(5000s)).state == State::open);
    CHECK(told(machine.admit(at(5000s), named)) == "yes reset_timeout");
    CHECK(machine.state() == State::half_open);
    CHECK(machine.snapshot(at(5000s)).probes_in_flight == 1);
    CHECK(machine.since() == at(5000s));
    CHECK(machine.snapshot(at(5000s)).opened_at == at(3s));
}

TEST_CASE("BreakerMachine: hands out as many probes as its options say, in total", "[guard]") {
    const std::uint32_t probes = GENERATE(1U, 2U, 5U);
    Machine machine = probing({.probes = probes});
    for (std::uint32_t i = 1; i != probes; ++i)
        CHECK(told(machine.admit(at(10s), named)) == "yes stays");
    CHECK(told(machine.admit(at(10s), named)) == "no stays");
    if (probes > 1) {
        CHECK(told(machine.record(3, success(11s))) == "yes stays"); // an answer frees no place
        CHECK(told(machine.admit(at(11s), named)) == "no stays");
        CHECK(told(machine.give_back(3)) == "yes stays"); // a return does
        CHECK(told(machine.admit(at(11s), named)) == "yes stays");
        CHECK(told(machine.admit(at(11s), named)) == "no stays");
    }
}

TEST_CASE("BreakerMachine: closes at enough successes, re-opens once they are out of reach",
          "[guard]") {
    Machine machine = probing({.probes = 5, .successes_to_close = 3});
    for (int i = 1; i != 5; ++i) machine.admit(at(10s), named);
    SECTION("with as many failures as it can bear") {
        CHECK(told(machine.record(3, failure(11s))) == "yes stays");
        CHECK(told(machine.record(3, failure(11s))) == "yes stays");
        CHECK(told(machine.record(3, success(11s))) == "yes stays");
        CHECK(told(machine.record(3, success(11s))) == "yes stays");
        CHECK(told(machine.record(3, success(12s))) == "yes probes_succeeded");
        CHECK(machine.state() == State::closed);
        CHECK(machine.since() == at(12s));
        CHECK_FALSE(machine.snapshot(at(12s)).opened_at);
    }
    SECTION("with one more") {
        CHECK(told(machine.record(3, success(11s))) == "yes stays");
        CHECK(told(machine.record(3, success(11s))) == "yes stays");
        CHECK(told(machine.record(3, failure(11s))) == "yes stays");
        CHECK(told(machine.record(3, failure(11s))) == "yes stays");
        CHECK(told(machine.record(3, failure(12s))) == "yes probes_failed");
        CHECK(machine.state() == State::open);
        CHECK(machine.snapshot(at(13s)).retry_after == 9s); // the wait starts afresh
        CHECK(machine.snapshot(at(13s)).calls == 5);        // the probes' numbers
        CHECK(machine.snapshot(at(13s)).failures == 3);
    }
}

TEST_CASE("BreakerMachine: a sibling that answers after the decision is not recorded", "[guard]") {
    Machine machine = probing({.probes = 2});
    machine.admit(at(10s), named);
    REQUIRE(told(machine.record(3, failure(11s))) == "yes probes_failed");
    CHECK(told(machine.record(3, success(12s))) == "no stays");
    CHECK(told(machine.record(3, failure(12s))) == "no stays");
    CHECK(told(machine.give_back(3)) == "no stays");
    CHECK(machine.snapshot(at(12s)).retry_after == 9s);
}

TEST_CASE("BreakerMachine: an unanswered probe is lost when its time is up, not one tick before",
          "[guard]") {
    Machine machine = probing({.probes = 2, .probe_timeout = 4s});
    SECTION("counted from the last that was granted") {
        REQUIRE(machine.admit(at(13s), named).was_taken);
        CHECK(told(machine.admit(at(17s - 1ns), named)) == "no stays");
        CHECK(machine.generation() == 3);
        CHECK(told(machine.admit(at(17s), named)) == "yes stays"); // a new period, and no event
        CHECK(machine.generation() == 4);
        CHECK(machine.state() == State::half_open);
        CHECK(machine.since() == at(10s));
        CHECK(machine.snapshot(at(17s)).probes_in_flight == 1);
        CHECK(told(machine.record(3, success(17s))) == "no stays"); // the lost ones have no vote
        CHECK(told(machine.give_back(3)) == "no stays");
        CHECK(told(machine.admit(at(17s), named)) == "yes stays");
        CHECK(told(machine.admit(at(21s - 1ns), named)) == "no stays"); // the same patience again
        CHECK(told(machine.admit(at(21s), named)) == "yes stays");
    }
    SECTION("held where a clock steps back") {
        REQUIRE(machine.admit(at(3s), named).was_taken);
        CHECK(told(machine.admit(at(14s - 1ns), named)) == "no stays");
        CHECK(told(machine.admit(at(14s), named)) == "yes stays");
    }
    SECTION("only once all are out") {
        CHECK(told(machine.admit(at(1000s), named)) == "yes stays");
        CHECK(machine.generation() == 3);
    }
    SECTION("but an answer still counts as long as nobody has come") {
        machine.admit(at(10s), named);
        CHECK(told(machine.record(3, success(1000s))) == "yes stays");
        CHECK(told(machine.record(3, success(1000s))) == "yes probes_succeeded");
    }
    SECTION("answered ones are lost with it") {
        machine.admit(at(10s), named);
        CHECK(told(machine.record(3, success(11s))) == "yes stays");
        CHECK(told(machine.admit(at(14s), named)) == "yes stays");
        CHECK(machine.snapshot(at(14s)).calls == 0);
        CHECK(told(machine.record(4, success(14s))) == "yes stays"); // one of two, not two
    }
}

TEST_CASE("BreakerMachine: a probe is waited for as long as the circuit was open, by default",
          "[guard]") {
    const nanoseconds start = GENERATE(as<nanoseconds>{}, 0s, 7s, -1000s);
    Machine machine = machine_of();
    machine.record(1, failure(start));
    REQUIRE(machine.admit(at(start + 15s), named).was_taken);
    CHECK(told(machine.admit(at(start + 25s - 1ns), named)) == "no stays");
    CHECK(told(machine.admit(at(start + 25s), named)) == "yes stays");
}

TEST_CASE("BreakerMachine: an answer counts in its own generation", "[guard]") {
    Machine machine = machine_of();
    CHECK(told(machine.record(2, failure(0s))) == "no stays");
    CHECK(told(machine.record(1, success(0s))) == "yes stays");
    CHECK(told(machine.give_back(1)) == "yes stays");
    CHECK(told(machine.give_back(2)) == "no stays");
    machine.record(1, failure(0s));
    machine.admit(at(10s), named);
    machine.record(3, success(10s));
    REQUIRE(machine.state() == State::closed);
    for (const std::uint64_t old : {1U, 2U, 3U}) {
        CHECK(told(machine.record(old, failure(10s))) == "no stays");
        CHECK(told(machine.give_back(old)) == "no stays");
    }
    CHECK(told(machine.record(4, failure(10s))) == "yes consecutive_failures");
}

TEST_CASE("BreakerMachine: answers without a name count for as many probes as were handed out so",
          "[guard]") {
    Machine machine = probing({.probes = 3}); // the first has a name
    CHECK(told(machine.record(any, failure(10s))) == "no stays");
    CHECK(told(machine.give_back(any)) == "no stays");
    machine.admit(at(10s), unnamed);
    machine.admit(at(10s), unnamed);
    SECTION("success") {
        CHECK(told(machine.record(any, success(10s))) == "yes stays");
        CHECK(told(machine.record(any, success(10s))) == "yes stays");
        CHECK(told(machine.record(any, success(10s))) == "no stays"); // the third is somebody's own
        CHECK(told(machine.record(3, success(10s))) == "yes probes_succeeded");
    }
    SECTION("one given back is granted anew") {
        CHECK(told(machine.give_back(any)) == "yes stays");
        CHECK(told(machine.give_back(any)) == "yes stays");
        CHECK(told(machine.give_back(any)) == "no stays");
        CHECK(machine.snapshot(at(10s)).probes_in_flight == 1);
        machine.admit(at(10s), unnamed);
        CHECK(told(machine.record(any, failure(10s))) == "yes probes_failed");
    }
    SECTION("a lost one is not answered by those who come later") {
        REQUIRE(machine.admit(at(20s), named).was_taken);
        CHECK(told(machine.record(any, failure(20s))) == "no stays");
    }
}

TEST_CASE("BreakerMachine: in OPEN no answer is recorded", "[guard]") {
    Machine machine = machine_of();
    machine.record(any, failure(1s));
    const Snapshot before = machine.snapshot(at(5s));
    for (const std::uint64_t whose : {any, std::uint64_t{1}, std::uint64_t{2}}) {
        CHECK(told(machine.record(whose, failure(5s))) == "no stays");
        CHECK(told(machine.record(whose, success(5s))) == "no stays");
        CHECK(told(machine.give_back(whose)) == "no stays");
    }
    const Snapshot after = machine.snapshot(at(5s));
    CHECK(after.retry_after == before.retry_after);
    CHECK(after.calls == before.calls);
    CHECK(after.generation == before.generation);
    CHECK(machine.wait() == dashpot::detail::Wait{at(1s), 10s});
}

TEST_CASE("BreakerMachine: commands move it with their name, once, and start a generation", "[guard]") {
    Machine machine = machine_of();
    const auto command = [&](State to, Reason reason) {
        return told(machine.command(to, reason, at(1s)));
    };

    CHECK(told(machine.trip(at(1s))) == "yes trip");
    CHECK(machine.generation() == 2);
    CHECK(machine.snapshot(at(1s)).retry_after == 10s);
    CHECK(told(machine.trip(at(2s))) == "no stays"); // the wait goes on
    CHECK(machine.generation() == 2);
    CHECK(machine.snapshot(at(2s)).retry_after == 9s);

    CHECK(command(State::forced_open, Reason::force_open) == "yes force_open");
    CHECK(machine.generation() == 3);
    CHECK(command(State::forced_open, Reason::force_open) == "yes stays");
    CHECK(machine.generation() == 3);
    CHECK(told(machine.trip(at(2s))) == "no stays");
    CHECK(told(machine.admit(Instant::max(), named)) == "no stays"); // for ever
    CHECK(machine.snapshot(at(2s)).retry_after == 0ns);
    CHECK_FALSE(machine.snapshot(at(2s)).opened_at);

    CHECK(command(State::disabled, Reason::disable) == "yes disable");
    CHECK(machine.generation() == 4);
    CHECK(told(machine.admit(at(2s), named)) == "yes stays");
    CHECK(told(machine.record(4, failure(2s))) == "no stays"); // nothing is recorded
    CHECK(told(machine.record(any, failure(2s))) == "no stays");
    CHECK(told(machine.trip(at(2s))) == "no stays");
    CHECK(machine.state() == State::disabled);
    CHECK(machine.snapshot(at(2s)).calls == 0);

    CHECK(command(State::closed, Reason::reset) == "yes reset");
    CHECK(machine.generation() == 5);
    CHECK(command(State::closed, Reason::reset) == "yes stays"); // no event, but a new generation
    CHECK(machine.generation() == 6);
    CHECK(told(machine.record(5, failure(2s))) == "no stays");
    CHECK(told(machine.record(6, failure(2s))) == "yes consecutive_failures");
}

TEST_CASE("BreakerMachine: reset in CLOSED empties the window and does not move the clock of the state",
          "[guard]") {
    Machine machine{ConsecutiveFailures{3}, {}, at(0s), 1};
    machine.record(1, failure(1s));
    machine.record(1, failure(1s));
    machine.command(State::closed, Reason::reset, at(5s));
    CHECK(machine.snapshot(at(5s)).calls == 0);
    CHECK(machine.since() == at(0s));
    CHECK(told(machine.record(2, failure(5s))) == "yes stays");
}

TEST_CASE("BreakerMachine: shows the numbers that opened it, unchanged, until it closes or probes",
          "[guard]") {
    using Windowed = dashpot::detail::BreakerMachine<TimeWindow>;
    Windowed machine{TimeWindow{.minimum_calls = 4}, {.reset_timeout = 60s}, at(0s), 1};
    for (int i = 0; i != 2; ++i) machine.record(1, success(0s));
    machine.record(1, failure(1s));
    REQUIRE(told(machine.record(1, failure(9s))) == "yes failure_rate");
    for (const Instant now : {at(9s), at(30s), at(-30s), Instant::min(), Instant::max()}) {
        CHECK(machine.snapshot(now).calls == 4);
        CHECK(machine.snapshot(now).failures == 2);
        CHECK(machine.snapshot(now).failure_rate == 0.5);
    }
    machine.command(State::forced_open, Reason::force_open, at(40s));
    CHECK(machine.snapshot(at(50s)).calls == 4);
    machine.command(State::closed, Reason::reset, at(60s));
    CHECK(machine.snapshot(at(60s)).calls == 0);
    CHECK_FALSE(machine.snapshot(at(60s)).failure_rate);
}

TEST_CASE("BreakerMachine: a slow probe failed, wherever slow calls are reported", "[guard]") {
    using Windowed = dashpot::detail::BreakerMachine<CountWindow>;
    const CountWindow policy{.size = 1, .minimum_calls = 1, .slow_calls = SlowCalls{.longer_than = 1s}};
    Windowed machine{policy, {.half_open = {.probes = 2, .successes_to_close = 1}}, at(0s), 1};
    REQUIRE(told(machine.record(1, {.slow = true, .at = at(0s)})) == "yes slow_rate");
    machine.admit(at(10s), named);
    machine.admit(at(10s), named);
    CHECK(told(machine.record(3, {.slow = true, .at = at(11s)})) == "yes stays");
    CHECK(machine.snapshot(at(11s)).calls == 1);
    CHECK(machine.snapshot(at(11s)).failures == 1);
    CHECK(machine.snapshot(at(11s)).slow == 1);
    CHECK(told(machine.record(3, {.failed = true, .slow = true, .at = at(11s)})) ==
          "yes probes_failed");
    CHECK(machine.snapshot(at(11s)).calls == 2); // once each, though it was both
    CHECK(machine.snapshot(at(11s)).failures == 2);
    CHECK(machine.snapshot(at(11s)).slow == 2);
}

TEST_CASE("BreakerMachine: no value of time is special", "[guard]") {
    const Instant start =
        GENERATE(as<Instant>{}, Instant::min(), Instant::min() + 1ns, at(-10s), at(0s), at(5s));
    Machine machine{ConsecutiveFailures{1}, {.reset_timeout = 10s}, start, 1};
    machine.record(1, {.failed = true, .at = start});
    CHECK_FALSE(machine.admit(start, named).was_taken);
    CHECK_FALSE(machine.admit(Instant::min(), named).was_taken); // stepped back, or stands still
    CHECK(machine.snapshot(Instant::min()).retry_after == 10s);
    CHECK_FALSE(machine.admit(start + 10s - 1ns, named).was_taken);
    CHECK(told(machine.admit(Instant::max(), named)) == "yes reset_timeout"); // jumped
    CHECK(told(machine.record(3, {.failed = true, .at = Instant::max()})) == "yes probes_failed");
    CHECK(machine.snapshot(Instant::max()).retry_after == 10s); // the sum would be past the end of time
    CHECK_FALSE(machine.admit(Instant::max(), named).was_taken);
    CHECK_FALSE(machine.admit(start, named).was_taken);
}

TEST_CASE("BreakerMachine: METRICS_ONLY judges all calls and refuses none", "[guard]") {
    Machine machine{ConsecutiveFailures{2}, {.initial_state = State::metrics_only}, at(0s), 1};
    REQUIRE(machine.state() == State::metrics_only);
    for (int i = 0; i != 5; ++i) {
        CHECK(told(machine.admit(at(0s), named)) == "yes stays");
        CHECK(told(machine.record(i % 2 == 0 ? any : 1, failure(0s))) == "yes stays");
    }
    CHECK(machine.snapshot(at(0s)).would_have_opened == 2);
    CHECK(machine.snapshot(at(0s)).failures == 1); // the run begins anew each time
    CHECK(told(machine.record(2, failure(0s))) == "no stays");
    CHECK(told(machine.trip(at(0s))) == "no stays");
    CHECK(machine.next_success() != NextSuccess::skip());
    CHECK(told(machine.command(State::closed, Reason::reset, at(1s))) == "yes reset");
    CHECK(machine.snapshot(at(1s)).would_have_opened == 2);
    CHECK(told(machine.record(2, failure(1s))) == "yes stays"); // from nothing
}

TEST_CASE("BreakerMachine: needs the end of a call only to measure it or to open", "[guard]") {
    using dashpot::detail::CallReport;
    const CallReport success{}, failure{.failed = true};
    Machine machine{ConsecutiveFailures{2}, {}, at(0s), 1};
    CHECK_FALSE(machine.needs_end(success));
    CHECK_FALSE(machine.needs_end(failure));
    machine.record(1, {.failed = true});
    CHECK_FALSE(machine.needs_end(success));
    CHECK(machine.needs_end(failure));
    CHECK_FALSE(machine.needs_end({.failed = true, .at = at(1s), .is_timed = true}));

    dashpot::detail::BreakerMachine<CountWindow> timed{
        {.size = 2, .minimum_calls = 2, .slow_calls = SlowCalls{.longer_than = 1s}}, {}, at(0s), 1};
    CHECK_FALSE(timed.needs_end({.timing = {2s}}));     // its length is known
    CHECK(timed.needs_end({.timing = {0s, true}}));     // only its start
    CHECK(timed.finished({.timing = {1s + 1ns}}).slow); // longer than
    CHECK_FALSE(timed.finished({.timing = {1s}}).slow); // as long as
    timed.record(1, {.slow = true});
    CHECK(timed.needs_end({.timing = {2s}})); // the second of two slow calls opens

    dashpot::detail::BreakerMachine<TimeWindow> placing{TimeWindow{}, {}, at(0s), 1};
    CHECK(placing.needs_end(success)); // it places each call in time
}

TEST_CASE("BreakerMachine: is quiet only when closed with nothing to forget", "[guard]") {
    Machine machine{ConsecutiveFailures{2}, {}, at(0s), 1};
    CHECK(machine.next_success() == NextSuccess::skip());
    machine.record(1, failure(0s));
    CHECK(machine.next_success() != NextSuccess::skip());
    machine.record(1, success(0s));
    CHECK(machine.next_success() == NextSuccess::skip());
    machine.trip(at(0s));
    CHECK(machine.next_success() != NextSuccess::skip());
    machine.admit(at(10s), named);
    CHECK(machine.next_success() != NextSuccess::skip());
    machine.command(State::disabled, Reason::disable, at(10s));
    CHECK(machine.next_success() != NextSuccess::skip());
}

} // namespace tests::guard_detail_breaker_machine
