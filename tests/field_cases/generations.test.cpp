// SPDX-License-Identifier: MIT
// Answers that come too late: from before the circuit opened, from a lost period, from a sibling that
// failed.
#include "catch.hpp"
#include "field_cases/forms.hpp"

#include <dashpot/testing/transition_recorder.hpp>

#include <functional>
#include <vector>

namespace tests::field_cases_generations {

using namespace field;

// nodeshift/opossum#381, vert-x3/vertx-circuit-breaker#14
TEMPLATE_TEST_CASE("CircuitBreaker: a success from before the opening does not close it", "", TwoStep,
                   Permits, Entries) {
    const auto after = GENERATE(Nanoseconds{0ns}, Nanoseconds{1s}, Nanoseconds{10s - 1ns});
    const auto how_many = GENERATE(1, 3);
    TestType form;
    std::vector<decltype(form.take())> late;
    for (int i = 0; i != how_many; ++i) late.push_back(form.take());
    REQUIRE(open(form));
    form.clock.advance(after);
    for (auto& each : late) each.success();
    CHECK(form.breaker.state() == State::open);
    CHECK_FALSE(form.take());
    form.clock.set(start + 10s - 1ns);
    CHECK_FALSE(form.take());
    form.clock.set(start + 10s);
    CHECK(form.take());
}

// nodeshift/opossum#381
TEMPLATE_TEST_CASE(
    "CircuitBreaker: a late failure while it is open neither prolongs nor renews the wait", "", TwoStep,
    Permits, Entries) {
    TestType form;
    auto late = form.take();
    REQUIRE(open(form));
    const Snapshot before = form.breaker.snapshot();
    form.clock.advance(9s);
    late.failure();
    const Snapshot after = form.breaker.snapshot();
    CHECK(after.opened_at == before.opened_at);
    CHECK(after.generation == before.generation);
    CHECK(after.failures == before.failures);
    CHECK(after.calls == before.calls);
    CHECK(after.retry_after == 1s);
    form.clock.advance(1s);
    CHECK(form.take());
}

// awolden/brakes#95
TEMPLATE_TEST_CASE("CircuitBreaker: failures from before an outage do not count after it", "", Permits,
                   Entries) {
    const auto how_many = GENERATE(1, 3, 10);
    TestType form;
    std::vector<decltype(form.take())> old;
    for (int i = 0; i != how_many; ++i) old.push_back(form.take());
    REQUIRE(open_and_wait(form));
    REQUIRE(succeed(form));
    REQUIRE(form.breaker.state() == State::closed);
    for (auto& each : old) CHECK_FALSE(each.failure());
    CHECK(form.breaker.state() == State::closed);
    CHECK(form.breaker.snapshot().failures == 0);
    CHECK(form.breaker.snapshot().calls == 0);
}

// awolden/brakes#95
TEMPLATE_TEST_CASE("CircuitBreaker: successes from before an outage end no run of failures after it",
                   "", Permits, Entries) {
    TestType form;
    auto old = form.take();
    REQUIRE(open_and_wait(form));
    REQUIRE(succeed(form));
    CHECK(fail(form));
    CHECK(fail(form));
    CHECK_FALSE(old.success());
    CHECK(fail(form));
    CHECK(form.breaker.state() == State::open);
}

// Netflix/Hystrix#1853, Netflix/Hystrix#1861
TEMPLATE_TEST_CASE("CircuitBreaker: giving up a call from before the opening does not touch the probe",
                   "", Permits, Entries) {
    const auto way = GENERATE(0, 1, 2, 3);
    TestType form{with_probes(1)};
    std::vector<decltype(form.take())> old;
    old.push_back(form.take());
    REQUIRE(open_and_wait(form));
    auto probe = form.take();
    REQUIRE(probe);
    if (way == 0) old.clear();
    if (way == 1) CHECK_FALSE(old.front().ignore());
    if (way == 2) old.front().release();
    if (way == 3) CHECK_FALSE(old.front().failure());
    CHECK(form.breaker.state() == State::half_open);
    CHECK(form.breaker.snapshot().probes_in_flight == 1);
    CHECK_FALSE(form.take());
    CHECK(probe.success());
    CHECK(form.breaker.state() == State::closed);
}

// Netflix/Hystrix#1853
TEMPLATE_TEST_CASE(
    "CircuitBreaker: a call from before the opening that an exception ends does not touch the probe",
    "", Permits, Entries) {
    TestType form{with_probes(1)};
    std::vector<decltype(form.take())> probes;
    const auto work = [&] {
        const auto old = form.take();
        REQUIRE(open_and_wait(form));
        probes.push_back(form.take());
        throw Trouble{};
    };
    CHECK_THROWS_AS(work(), Trouble);
    CHECK(form.breaker.state() == State::half_open);
    REQUIRE(probes.size() == 1);
    CHECK(probes.front().success());
    CHECK(form.breaker.state() == State::closed);
}

// sony/gobreaker#122
TEMPLATE_TEST_CASE("CircuitBreaker: an answer in a later generation says that it did not count", "",
                   Permits, Entries) {
    const auto outcome = GENERATE(Outcome::success, Outcome::failure, Outcome::ignored);
    TestType form;
    auto permit = form.take();
    const auto granted_in = permit.generation();
    SECTION("while open") { REQUIRE(open(form)); }
    SECTION("while half open") {
        REQUIRE(open_and_wait(form));
        auto other = form.take();
        CHECK_FALSE(permit.record(outcome));
        CHECK(other.success());
    }
    SECTION("when closed again") {
        REQUIRE(open_and_wait(form));
        REQUIRE(succeed(form));
    }
    SECTION("after a reset in CLOSED") {
        form.breaker.reset();
        CHECK(form.breaker.state() == State::closed);
    }
    SECTION("when forced open") {
        form.breaker.force_open();
        CHECK(form.breaker.state() == State::forced_open);
    }
    SECTION("when disabled") {
        form.breaker.disable();
        CHECK(form.breaker.state() == State::disabled);
    }
    SECTION("when disabled and reset") {
        form.breaker.disable();
        form.breaker.reset();
        CHECK(form.breaker.state() == State::closed);
    }
    const Snapshot before = form.breaker.snapshot();
    CHECK(before.generation > granted_in);
    CHECK(permit.generation() == granted_in);
    CHECK_FALSE(permit.record(outcome));
    CHECK_FALSE(permit);
    CHECK(form.breaker.snapshot().generation == before.generation);
    CHECK(form.breaker.snapshot().failures == before.failures);
    CHECK(form.breaker.snapshot().ignored == before.ignored);
}

// sony/gobreaker#122
TEMPLATE_TEST_CASE("CircuitBreaker: an answer in its own generation says that it counted", "", Permits,
                   Entries) {
    const auto outcome = GENERATE(Outcome::success, Outcome::failure, Outcome::ignored);
    const auto as_probe = GENERATE(false, true);
    TestType form;
    if (as_probe) REQUIRE(open_and_wait(form));
    auto permit = form.take();
    REQUIRE(permit);
    CHECK(permit.record(outcome));
    CHECK_FALSE(permit.record(outcome));
}

// sony/gobreaker#122
TEMPLATE_TEST_CASE("CircuitBreaker: an answer to a disabled breaker says that it was not recorded", "",
                   Permits, Entries) {
    TestType form;
    form.breaker.disable();
    for (int i = 0; i != 5; ++i) CHECK_FALSE(form.take().failure());
    CHECK_FALSE(form.take().success());
    CHECK(form.breaker.state() == State::disabled);
    CHECK(form.breaker.snapshot().failures == 0);
}

// denoland/std#6996, takapi327/ldbc#731
TEMPLATE_TEST_CASE("CircuitBreaker: once a probe has failed, its siblings' successes do not close it",
                   "", TwoStep, Permits, Entries) {
    const auto probes = GENERATE(2U, 3U, 5U);
    TestType form{with_probes(probes)};
    REQUIRE(open_and_wait(form));
    std::vector<decltype(form.take())> taken;
    for (std::uint32_t i = 0; i != probes; ++i) taken.push_back(form.take());
    form.clock.advance(3s); // the wait starts afresh from here
    taken.front().failure();
    REQUIRE(form.breaker.state() == State::open);
    for (std::uint32_t i = 1; i != probes; ++i) taken[i].success();
    CHECK(form.breaker.state() == State::open);
    CHECK(form.breaker.retry_after() == 10s);
    form.clock.advance(10s - 1ns);
    CHECK_FALSE(form.take());
    form.clock.advance(1ns);
    CHECK(form.take());
}

// denoland/std#6996
TEMPLATE_TEST_CASE("CircuitBreaker: a probe of one half-open period does not vote in the next", "",
                   Permits, Entries) {
    const auto outcome = GENERATE(Outcome::success, Outcome::failure, Outcome::ignored);
    TestType form{with_probes(2)};
    REQUIRE(open_and_wait(form));
    auto first = form.take();
    auto late = form.take();
    CHECK(first.failure());
    form.clock.advance(10s);
    auto next = form.take();
    REQUIRE(next);
    CHECK(next.generation() > late.generation());
    CHECK_FALSE(late.record(outcome));
    CHECK(form.breaker.state() == State::half_open);
    CHECK(form.breaker.snapshot().probes_in_flight == 1);
    CHECK(form.breaker.snapshot().calls == 0);
    CHECK(next.success());
    CHECK(form.breaker.state() == State::half_open);
    CHECK(succeed(form));
    CHECK(form.breaker.state() == State::closed);
}

// denoland/std#6996
TEMPLATE_TEST_CASE(
    "CircuitBreaker: once it is closed, a sibling probe's failure is no failure of CLOSED", "", Permits,
    Entries) {
    auto options = with_probes(3);
    options.half_open.successes_to_close = 1;
    TestType form{options, {1}};
    REQUIRE(open_and_wait(form, 1));
    auto first = form.take();
    auto second = form.take();
    auto third = form.take();
    CHECK(first.success());
    REQUIRE(form.breaker.state() == State::closed);
    CHECK_FALSE(second.failure());
    CHECK_FALSE(third.ignore());
    CHECK(form.breaker.state() == State::closed);
    CHECK(form.breaker.snapshot().failures == 0);
}

} // namespace tests::field_cases_generations
