// SPDX-License-Identifier: MIT
// No state but CLOSED lasts for ever, and none ends before its time.
#include "catch.hpp"
#include "field_cases/forms.hpp"

#include <dashpot/testing/transition_recorder.hpp>

#include <algorithm>
#include <functional>
#include <optional>
#include <vector>

namespace tests::field_cases_stuck_state {

using namespace field;

// nodeshift/opossum#276
TEMPLATE_TEST_CASE("CircuitBreaker: an idle spell of any length leaves it able to probe", "", TwoStep,
                   Permits, Entries, Calls) {
    const auto idle =
        GENERATE(Nanoseconds{10s}, Nanoseconds{30s}, Nanoseconds{std::chrono::hours{24 * 365}});
    TestType form{with_probes(1)};
    REQUIRE(open(form));
    form.clock.advance(idle);
    CHECK(fail(form));
    CHECK(form.breaker.state() == State::open);
    form.clock.advance(idle);
    CHECK(succeed(form));
    CHECK(form.breaker.state() == State::closed);
}

// exaring/hoglet#12
TEMPLATE_TEST_CASE("CircuitBreaker: the wait after a failed probe begins at that failure", "", TwoStep,
                   Permits, Entries) {
    const auto asked_late = GENERATE(Nanoseconds{0ns}, Nanoseconds{7s}, Nanoseconds{100s});
    const auto took = GENERATE(Nanoseconds{0ns}, Nanoseconds{4s});
    const auto failed_probes = GENERATE(1, 2, 5);
    TestType form{with_probes(1)};
    REQUIRE(open(form));
    for (int i = 0; i != failed_probes; ++i) {
        form.clock.advance(10s + asked_late);
        auto probe = form.take();
        REQUIRE(probe);
        form.clock.advance(took);
        probe.failure();
        CHECK(form.breaker.state() == State::open);
        CHECK(form.breaker.retry_after() == 10s);
    }
    form.clock.advance(9s);
    CHECK_FALSE(form.take());
    form.clock.advance(1s - 1ns);
    CHECK_FALSE(form.take());
    form.clock.advance(1ns);
    CHECK(form.take());
}

// resilience4j/resilience4j#935, getnora-io/nora#585
TEMPLATE_TEST_CASE("CircuitBreaker: a probe that never reports is given up after the probe timeout", "",
                   Permits, Entries) {
    const auto timeout = GENERATE(Nanoseconds{1ns}, Nanoseconds{3s}, Nanoseconds{30s});
    const auto probes = GENERATE(1U, 3U);
    auto options = with_probes(probes);
    options.half_open.probe_timeout = timeout;
    TestType form{options};
    testing::TransitionRecorder heard;
    REQUIRE(open_and_wait(form));
    std::vector<decltype(form.take())> lost;
    for (std::uint32_t i = 0; i != probes; ++i) lost.push_back(form.take());
    const auto subscription = form.breaker.on_transition(std::ref(heard));

    form.clock.advance(timeout - 1ns);
    CHECK_FALSE(form.take());
    form.clock.advance(1ns);
    CHECK(form.breaker.state() == State::half_open); // a look moves nothing
    CHECK(form.breaker.snapshot().generation == lost.front().generation());
    std::vector<decltype(form.take())> fresh;
    for (std::uint32_t i = 0; i != probes; ++i) {
        fresh.push_back(form.take());
        REQUIRE(fresh.back());
        CHECK(fresh.back().generation() == lost.front().generation() + 1);
    }
    CHECK_FALSE(form.take());
    CHECK(heard.path().empty()); // it was half open, and is

    for (auto& each : lost) CHECK_FALSE(each.success());
    CHECK(form.breaker.state() == State::half_open);
    for (auto& each : fresh) CHECK(each.success());
    CHECK(form.breaker.state() == State::closed);
}

// resilience4j/resilience4j#935
TEMPLATE_TEST_CASE("CircuitBreaker: lost probes are given up time and again", "", TwoStep, Permits,
                   Entries) {
    const auto explicit_timeout = GENERATE(false, true);
    auto options = with_probes(2);
    if (explicit_timeout)
        options.half_open.probe_timeout = 10s; // as long as the default: the reset timeout
    TestType form{options};
    REQUIRE(open_and_wait(form));
    std::vector<decltype(form.take())> lost;
    Nanoseconds timeout = 10s;
    for (int period = 0; period != 10; ++period) {
        for (int i = 0; i != 2; ++i) {
            lost.push_back(form.take());
            REQUIRE(lost.back());
        }
        CHECK_FALSE(form.take());
        form.clock.advance(timeout - 1ns);
        CHECK_FALSE(form.take());
        form.clock.advance(1ns);
        if (!explicit_timeout) timeout = (std::min)(Nanoseconds{timeout * 2}, Nanoseconds{10min});
    }
    CHECK(succeed(form));
    CHECK(succeed(form));
    CHECK(form.breaker.state() == State::closed);
}

// resilience4j/resilience4j#935
TEMPLATE_TEST_CASE("CircuitBreaker: the probe timeout runs from the last probe, once all are out", "",
                   Permits, Entries) {
    auto options = with_probes(2);
    options.half_open.probe_timeout = 5s;
    TestType form{options};
    REQUIRE(open_and_wait(form));
    auto first = form.take();
    form.clock.advance(100s); // not all are out: nothing expires
    auto second = form.take();
    REQUIRE(second);
    CHECK(second.generation() == first.generation());
    form.clock.advance(5s - 1ns);
    CHECK_FALSE(form.take());
    CHECK(first.success()); // late, but in time
    CHECK(form.breaker.state() == State::half_open);
    CHECK_FALSE(form.take()); // an answer prolongs nothing
    form.clock.advance(1ns);
    CHECK(form.take());
    CHECK_FALSE(second.success());
}

// resilience4j/resilience4j#935
TEMPLATE_TEST_CASE(
    "CircuitBreaker: a probe answered after its time, with nobody asking since, still counts", "",
    Permits, Entries) {
    TestType form{with_probes(1)};
    REQUIRE(open_and_wait(form));
    auto probe = form.take();
    form.clock.advance(std::chrono::hours{1});
    CHECK(probe.success());
    CHECK(form.breaker.state() == State::closed);
}

// getnora-io/nora#585
TEST_CASE("Target: a probe that never reports keeps its slot, and only that") {
    Entries form{with_probes(1)};
    REQUIRE(open_and_wait(form));
    auto lost = form.take();
    form.clock.advance(10s);
    CHECK(succeed(form));
    CHECK(form.breaker.state() == State::closed);
    CHECK(form.target.bulkhead().in_flight() == 1);
    CHECK_FALSE(lost.failure());
    CHECK(form.target.bulkhead().in_flight() == 0);
    CHECK(form.breaker.snapshot().failures == 0);
}

// resilience4j/resilience4j#1039, resilience4j/resilience4j#991
TEMPLATE_TEST_CASE("CircuitBreaker: the wait of an opening that was reset does not end the next one",
                   "", TwoStep, Permits, Entries, Calls) {
    const auto reset_after = GENERATE(Nanoseconds{0ns}, Nanoseconds{6s}, Nanoseconds{10s});
    const auto opened_by_command = GENERATE(false, true);
    TestType form;
    REQUIRE(open(form));
    form.clock.advance(reset_after);
    form.breaker.reset();
    if (opened_by_command) {
        form.breaker.trip();
    } else {
        REQUIRE(open(form));
    }
    form.clock.set(start + 10s + reset_after - 1ns);
    CHECK_FALSE(succeed(form));
    form.clock.advance(1ns);
    CHECK(succeed(form));
}

// danielfm/pybreaker#24, danielfm/pybreaker#15
TEMPLATE_TEST_CASE("CircuitBreaker: callers that find it open do not move the end of the wait", "",
                   TwoStep, Permits, Entries, Calls) {
    TestType form;
    REQUIRE(open(form));
    for (int second = 0; second != 10; ++second) {
        for (int caller = 0; caller != 4; ++caller) CHECK_FALSE(succeed(form));
        form.breaker.trip(); // nor does this, while it is open
        form.clock.advance(1s);
    }
    CHECK(succeed(form));
}

// gabrielanhaia/php-circuit-breaker#12
TEMPLATE_TEST_CASE("CircuitBreaker: when the wait is over the target gets probes, not the full load",
                   "", TwoStep, Permits, Entries) {
    const auto over_for =
        GENERATE(Nanoseconds{0ns}, Nanoseconds{std::chrono::hours{1}}, Nanoseconds{1000000h});
    TestType form{with_probes(2)};
    REQUIRE(open_and_wait(form));
    form.clock.advance(over_for);
    std::vector<decltype(form.take())> asked;
    int granted = 0;
    for (int caller = 0; caller != 10; ++caller) {
        asked.push_back(form.take());
        granted += asked.back() ? 1 : 0;
    }
    CHECK(granted == 2);
    CHECK(form.breaker.state() == State::half_open);
}

// ParentSquare/faulty#70, majiayu000/litellm-rs#1333
TEMPLATE_TEST_CASE(
    "CircuitBreaker: when the owner of the probe is gone, one other may probe, and then nobody", "",
    Permits, Entries) {
    TestType form{with_probes(1)};
    REQUIRE(open_and_wait(form));
    auto dead = form.take();
    for (int i = 0; i != 9; ++i) CHECK_FALSE(form.take());
    form.clock.advance(10s);
    auto heir = form.take();
    CHECK(heir);
    for (int i = 0; i != 9; ++i) CHECK_FALSE(form.take());
    CHECK_FALSE(dead.failure());
    CHECK(form.breaker.state() == State::half_open);
    CHECK(heir.success());
    CHECK(form.breaker.state() == State::closed);
}

} // namespace tests::field_cases_stuck_state
