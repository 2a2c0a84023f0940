// SPDX-License-Identifier: MIT
#include <dashpot/guard/detail/shared_machine.hpp>

#include <dashpot/policy/consecutive_failures.hpp>
#include <dashpot/policy/count_window.hpp>
#include <dashpot/policy/time_window.hpp>
#include <dashpot/testing/transition_recorder.hpp>

#include "catch.hpp"

#include <chrono>
#include <cstdint>
#include <functional>

namespace tests::guard_detail_shared_machine {

using namespace std::chrono_literals;
using dashpot::ConsecutiveFailures;
using dashpot::CountWindow;
using dashpot::Instant;
using dashpot::Reason;
using dashpot::State;
using dashpot::TimeWindow;
using dashpot::detail::SharedMachine;
using dashpot::detail::Wait;

namespace {

using Run = SharedMachine<ConsecutiveFailures>;
using Window = SharedMachine<CountWindow>;

template <class Shared>
auto record(Shared& shared, bool failed, Instant at = {}) {
    return shared.change(shared.word(), [&](auto& machine) {
        return machine.record(machine.any_generation, {.failed = failed, .at = at});
    });
}

} // namespace

TEST_CASE("SharedMachine: publishes a change before it returns", "[guard]") {
    Run shared{{.threshold = 2}, {.reset_timeout = 10s}, Instant{}};
    CHECK(shared.word().is_closed_and_quiet());
    CHECK(record(shared, true)->was_taken);
    CHECK(shared.word().is_closed());
    CHECK_FALSE(shared.word().is_closed_and_quiet());
    CHECK(record(shared, true, Instant{3s})->moved_by == Reason::consecutive_failures);
    CHECK(shared.word().state() == State::open);
    CHECK(shared.wait_of(shared.word()) == Wait{Instant{3s}, 10s});
}

TEST_CASE("SharedMachine: changes nothing in another generation than the one that was seen",
          "[guard]") {
    Run shared{{.threshold = 1}, {}, Instant{}};
    const auto seen = shared.word();
    REQUIRE(record(shared, true));
    bool was_called = false;
    const auto effect = shared.change(seen, [&](Run::Machine&) {
        was_called = true;
        return Run::Effect{true};
    });
    CHECK_FALSE(effect.has_value());
    CHECK_FALSE(was_called);
    CHECK(shared.word().state() == State::open);
}

TEST_CASE("SharedMachine: the machine records what was left before anything else", "[guard]") {
    Window shared{{.size = 10, .minimum_calls = 1}, {}, Instant{}};
    CHECK_FALSE(shared.leave_success(1, {})); // no stripe is open yet
    REQUIRE(record(shared, false));
    for (int i = 0; i != 3; ++i) CHECK(shared.leave_success(1, {}));
    CHECK_FALSE(shared.leave_success(2, {})); // of another generation
    CHECK(shared.look([](const Window::Machine& machine) { return machine.snapshot({}).calls; }) == 4);
    CHECK(shared.leave_success(Window::Machine::any_generation, {})); // reading opens the stripe again
    std::uint64_t held = 0;
    (void)shared.change(shared.word(), [&](Window::Machine& machine) {
        held = machine.snapshot({}).calls;
        return Window::Effect{true};
    });
    CHECK(held == 5);
}

TEST_CASE("SharedMachine: leaves no success that may open the circuit, or that changes nothing",
          "[guard]") {
    Window shared{{.size = 4, .minimum_calls = 3}, {}, Instant{}};
    REQUIRE(record(shared, true));
    CHECK_FALSE(shared.leave_success(1, {})); // it may be the call that is enough
    Window clean{{.size = 1, .minimum_calls = 1}, {}, Instant{}};
    REQUIRE(record(clean, false));
    CHECK(clean.word().is_closed_and_quiet());
    CHECK_FALSE(clean.leave_success(1, {}));
}

TEST_CASE("SharedMachine: leaves a success of a time window only within its bucket", "[guard]") {
    SharedMachine<TimeWindow> shared{{.length = 10s, .buckets = 10}, {}, Instant{}};
    REQUIRE(record(shared, false, Instant{500ms}));
    CHECK(shared.leave_success(1, {.at = Instant{1s - 1ns}, .is_timed = true}));
    CHECK_FALSE(shared.leave_success(1, {.at = Instant{1s}, .is_timed = true}));
}

TEST_CASE("SharedMachine: leaves no success that is slow, or whose length is not known", "[guard]") {
    Window shared{{.size = 10, .minimum_calls = 1, .slow_calls = dashpot::SlowCalls{.longer_than = 1s}},
                  {},
                  Instant{}};
    CHECK(shared.quick_up_to() == 1s);
    REQUIRE(record(shared, false));
    CHECK(shared.leave_success(1, {.timing = {1s}}));
    CHECK_FALSE(shared.leave_success(1, {.timing = {1s + 1ns}}));
    CHECK_FALSE(shared.leave_success(1, {.timing = {0s, true}}));
}

TEST_CASE("SharedMachine: announces a transition outside the lock", "[guard]") {
    Run shared{{.threshold = 1}, {}, Instant{}};
    State state_within{};
    std::uint64_t generation_within = 0;
    const auto subscription = shared.subscribe([&](const dashpot::Transition& transition) {
        generation_within = shared.snapshot({}).generation; // takes the lock
        state_within = transition.to;
    });
    CHECK(shared.listeners() == 1);
    REQUIRE(record(shared, true));
    CHECK(state_within == State::open);
    CHECK(generation_within == 2);
}

TEST_CASE("SharedMachine: a new policy publishes its limit for slow calls", "[guard]") {
    Window shared{{.size = 10}, {}, Instant{}};
    CHECK(shared.quick_up_to() == dashpot::detail::never);
    dashpot::detail::RuleInForce<CountWindow> rule{
        {.size = 10, .slow_calls = dashpot::SlowCalls{.longer_than = 2s}}};
    (void)shared.change(shared.word(), [&](Window::Machine&) {
        return shared.reconfigure_locked(rule, {}, Instant{});
    });
    CHECK(shared.quick_up_to() == 2s);
}

TEST_CASE("SharedMachine: snapshots have the counters that the machine does not see", "[guard]") {
    Run shared{{}, {.history = 3}, Instant{}};
    CHECK(shared.keeps_history());
    CHECK(shared.history_size() == 3);
    shared.count_refused();
    shared.count_refused();
    shared.count_ignored();
    CHECK(shared.snapshot({}).refused == 2);
    CHECK(shared.snapshot({}).ignored == 1);
}

} // namespace tests::guard_detail_shared_machine
