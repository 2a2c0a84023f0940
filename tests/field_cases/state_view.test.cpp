// SPDX-License-Identifier: MIT
// What can be read of a breaker: the same from every side, defined at every moment, and without a
// trace.
#include "catch.hpp"
#include "field_cases/forms.hpp"

#include <dashpot/registry/registry.hpp>
#include <dashpot/testing/transition_recorder.hpp>

#include <functional>
#include <optional>

namespace tests::field_cases_state_view {

using namespace field;

// envoyproxy/envoy#13545, ballerina-platform/ballerina-lang#22174
TEMPLATE_TEST_CASE(
    "CircuitBreaker: its numbers are defined before any call, after reset() and after an idle spell",
    "", TwoStep, Permits, Entries, Calls) {
    TestType form;
    const auto is_blank = [&] {
        const Snapshot seen = form.breaker.snapshot();
        return seen.calls == 0 && seen.failures == 0 && seen.slow == 0 && !seen.failure_rate &&
               !seen.slow_rate && seen.probes_in_flight == 0 && !seen.opened_at &&
               seen.retry_after == 0ns;
    };
    CHECK(is_blank());
    CHECK(form.breaker.snapshot().generation == 1);
    CHECK(form.breaker.snapshot().since == start);
    REQUIRE(fail(form));
    form.breaker.reset();
    CHECK(is_blank());
    REQUIRE(open_and_wait(form));
    REQUIRE(succeed(form));
    CHECK(is_blank());
    CHECK(form.breaker.snapshot().since == start + 10s);
    form.clock.advance(std::chrono::hours{100000});
    CHECK(is_blank());
}

namespace {

/// Every view there is of where a target stands.
void check_views(Registry<ManualClock>& targets, const testing::TransitionRecorder& heard,
                 State expected) {
    const auto target = targets.get("CORE");
    Breaker& breaker = target->breaker();
    const Snapshot seen = breaker.snapshot();
    CHECK(breaker.state() == expected);
    CHECK(seen.state == expected);
    targets.for_each([&](auto& each) { CHECK(each.breaker().state() == expected); });
    CHECK(targets.find("CORE")->breaker().state() == expected);
    if (!heard.entries().empty()) {
        const Transition last = heard.entries().back().transition;
        CHECK(last.to == expected);
        CHECK(last.generation == seen.generation);
        CHECK(last.at == seen.since);
    }
    CHECK((breaker.retry_after() > 0ns) == (expected == State::open));
    CHECK(seen.retry_after == breaker.retry_after());
    CHECK(seen.opened_at.has_value() == (expected == State::open || expected == State::half_open));
    CHECK(to_string(seen.state) == to_string(expected));
}

} // namespace

// dapr/dapr#10113
TEST_CASE("CircuitBreaker: after each step of its life all views agree") {
    ManualClock clock{start};
    Registry<ManualClock> targets{{.policy = {2}, .breaker = with_probes(1)}, {}, clock};
    testing::TransitionRecorder heard;
    const auto subscription = targets.on_transition(std::ref(heard));
    Breaker& breaker = targets.get("CORE")->breaker();
    const auto open_it = [&] {
        breaker.record_failure();
        breaker.record_failure();
    };
    check_views(targets, heard, State::closed);
    open_it();
    check_views(targets, heard, State::open);
    clock.advance(10s);
    std::optional probe{breaker.try_acquire()};
    check_views(targets, heard, State::half_open);
    probe->success();
    check_views(targets, heard, State::closed);
    open_it();
    check_views(targets, heard, State::open);
    clock.advance(10s);
    probe = breaker.try_acquire();
    check_views(targets, heard, State::half_open);
    probe->failure();
    check_views(targets, heard, State::open);
    clock.advance(10s);
    probe = breaker.try_acquire();
    check_views(targets, heard, State::half_open);
    breaker.reset();
    check_views(targets, heard, State::closed);
    breaker.trip();
    check_views(targets, heard, State::open);
    breaker.force_open();
    check_views(targets, heard, State::forced_open);
    breaker.disable();
    check_views(targets, heard, State::disabled);
    breaker.force_open();
    check_views(targets, heard, State::forced_open);
    breaker.reset();
    check_views(targets, heard, State::closed);
    CHECK(heard.entries().size() == 13);
}

// nodeshift/opossum#45
TEMPLATE_TEST_CASE("CircuitBreaker: refused calls are counted as refused, and as nothing else", "",
                   TwoStep, Permits, Entries, Calls) {
    const auto refused = GENERATE(1U, 100U);
    TestType form{with_probes(1)};
    REQUIRE(open(form));
    const Snapshot before = form.breaker.snapshot();
    for (std::uint32_t i = 0; i != refused; ++i) CHECK_FALSE(fail(form));
    Snapshot after = form.breaker.snapshot();
    CHECK(after.refused == before.refused + refused);
    CHECK(after.calls == 3);
    CHECK(after.failures == 3);
    CHECK(after.ignored == before.ignored);
    CHECK(after.generation == before.generation);
    CHECK(after.opened_at == before.opened_at);
    form.clock.advance(10s);
    CHECK(succeed(form)); // they kept nothing open
    after = form.breaker.snapshot();
    CHECK(after.state == State::closed);
    CHECK(after.refused == before.refused + refused); // over its whole life
}

// nodeshift/opossum#45
TEMPLATE_TEST_CASE("CircuitBreaker: calls refused while probes are out do not count as probes", "",
                   Permits, Entries) {
    TestType form{with_probes(2)};
    REQUIRE(open_and_wait(form));
    auto first = form.take();
    auto second = form.take();
    for (int i = 0; i != 50; ++i) CHECK_FALSE(fail(form));
    CHECK(form.breaker.snapshot().calls == 0);
    CHECK(form.breaker.snapshot().refused == 50);
    CHECK(first.success());
    CHECK(second.success());
    CHECK(form.breaker.state() == State::closed);
}

// rubyist/circuitbreaker#33, denoland/std#6926
TEMPLATE_TEST_CASE("CircuitBreaker: looking at it moves nothing, takes no probe and calls no listener",
                   "", TwoStep, Permits, Entries, Calls) {
    const auto waited =
        GENERATE(Nanoseconds{0ns}, Nanoseconds{10s - 1ns}, Nanoseconds{10s}, Nanoseconds{3600s});
    TestType form{with_probes(1)};
    REQUIRE(open(form));
    testing::TransitionRecorder heard;
    const auto subscription = form.breaker.on_transition(std::ref(heard));
    form.clock.advance(waited);
    const Snapshot before = form.breaker.snapshot();
    for (int i = 0; i != 5; ++i) {
        CHECK(form.breaker.state() == State::open);
        CHECK(form.breaker.snapshot().state == State::open);
        CHECK(form.breaker.retry_after() == (waited < 10s ? 10s - waited : 0ns));
    }
    const Snapshot after = form.breaker.snapshot();
    CHECK(after.generation == before.generation);
    CHECK(after.refused == before.refused);
    CHECK(after.failures == 3);
    CHECK(heard.entries().empty());
    CHECK(succeed(form) == (waited >= 10s));
}

// denoland/std#6926
TEMPLATE_TEST_CASE("CircuitBreaker: looking at it while half open takes no probe and prolongs none", "",
                   Permits, Entries) {
    TestType form{with_probes(1)};
    REQUIRE(open_and_wait(form));
    auto probe = form.take();
    form.clock.advance(10s);
    for (int i = 0; i != 5; ++i) {
        CHECK(form.breaker.state() == State::half_open);
        CHECK(form.breaker.snapshot().probes_in_flight == 1);
        CHECK(form.breaker.retry_after() == 0ns);
    }
    CHECK(probe.success());
    CHECK(form.breaker.state() == State::closed);
}

TEMPLATE_TEST_CASE("CircuitBreaker: the numbers that opened it stay readable while it is open", "",
                   TwoStep, Permits, Entries, Calls) {
    TestType form;
    REQUIRE(open(form));
    form.clock.advance(std::chrono::hours{5});
    form.breaker.record_success();
    form.breaker.record_failure();
    CHECK(form.breaker.snapshot().calls == 3);
    CHECK(form.breaker.snapshot().failures == 3);
    form.breaker.force_open();
    CHECK(form.breaker.snapshot().failures == 3);
}

} // namespace tests::field_cases_state_view
