// SPDX-License-Identifier: MIT
// How many probes pass, and what their outcomes decide.
#include "catch.hpp"
#include "field_cases/forms.hpp"

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

namespace tests::field_cases_half_open {

using namespace field;

// joshrotenberg/tower-resilience#382, App-vNext/Polly#216
TEMPLATE_TEST_CASE("CircuitBreaker: slow probes keep others out while they run", "", TwoStep, Permits,
                   Entries) {
    const auto probes = GENERATE(1U, 2U, 7U);
    const auto answered_before = GENERATE(false, true);
    TestType form{with_probes(probes)};
    REQUIRE(open_and_wait(form));
    std::vector<decltype(form.take())> asked;
    for (int i = 0; i != 20; ++i) {
        asked.push_back(form.take());
        if (i == 0 && answered_before && probes > 1)
            asked.front().success(); // an answer makes no new place
    }
    const auto granted =
        std::count_if(asked.begin(), asked.end(), [](const auto& each) { return bool(each); });
    const bool one_is_answered = answered_before && probes > 1 && !bool(asked.front());
    CHECK(granted + (one_is_answered ? 1 : 0) == static_cast<std::ptrdiff_t>(probes));
    CHECK(form.breaker.snapshot().refused == 20 - probes);
    CHECK(form.breaker.state() == State::half_open);
}

// projectbeskar/virtrigaud#96
TEMPLATE_TEST_CASE("CircuitBreaker: the call that makes it half open is one of the probes", "", TwoStep,
                   Permits, Entries) {
    const auto probes = GENERATE(1U, 2U, 4U);
    TestType form{with_probes(probes)};
    REQUIRE(open_and_wait(form));
    std::vector<decltype(form.take())> taken;
    for (std::uint32_t i = 0; i != probes; ++i) {
        taken.push_back(form.take());
        REQUIRE(taken.back());
        CHECK(form.breaker.snapshot().probes_in_flight == i + 1);
    }
    CHECK_FALSE(form.take());
    for (std::uint32_t i = 0; i != probes; ++i) {
        CHECK(form.breaker.state() == State::half_open);
        taken[i].success();
    }
    CHECK(form.breaker.state() == State::closed);
}

// projectbeskar/virtrigaud#96
TEMPLATE_TEST_CASE(
    "CircuitBreaker: exactly the given number of successes closes it, one probe after the other", "",
    TwoStep, Permits, Entries, Calls) {
    const auto [probes, successes] = GENERATE(table<std::uint32_t, std::uint32_t>(
        {{1, 1}, {3, 1}, {3, 2}, {3, 3}, {10, 1}, {10, 9}, {10, 10}}));
    auto options = with_probes(probes);
    options.half_open.successes_to_close = successes;
    TestType form{options};
    REQUIRE(open_and_wait(form));
    for (std::uint32_t i = 1; i != successes; ++i) {
        CHECK(succeed(form));
        CHECK(form.breaker.state() == State::half_open);
    }
    CHECK(succeed(form));
    CHECK(form.breaker.state() == State::closed);
}

// nodeshift/opossum#119, kora-projects/kora#306
TEMPLATE_TEST_CASE("CircuitBreaker: a failed probe opens it at once, however healthy calls were before",
                   "", TwoStep, Permits, Entries, Calls) {
    const auto threshold = GENERATE(1, 3, 50); // the threshold is CLOSED's
    TestType form{with_probes(1), {static_cast<std::uint32_t>(threshold)}};
    for (int i = 0; i != 100; ++i) REQUIRE(succeed(form));
    REQUIRE(open_and_wait(form, threshold));
    CHECK(fail(form));
    CHECK(form.breaker.state() == State::open);
    CHECK(form.breaker.retry_after() == 10s);
}

// nodeshift/opossum#119
TEMPLATE_TEST_CASE(
    "CircuitBreaker: it opens again as soon as enough successes are out of reach, not sooner", "",
    TwoStep, Permits, Entries, Calls) {
    const auto [probes, successes] = GENERATE(
        table<std::uint32_t, std::uint32_t>({{1, 1}, {3, 1}, {3, 2}, {3, 3}, {5, 1}, {5, 3}, {5, 5}}));
    auto options = with_probes(probes);
    options.half_open.successes_to_close = successes;
    TestType form{options};
    REQUIRE(open_and_wait(form));
    const std::uint32_t bearable = probes - successes;
    for (std::uint32_t i = 0; i != bearable; ++i) {
        CHECK(fail(form));
        CHECK(form.breaker.state() == State::half_open);
    }
    CHECK(fail(form));
    CHECK(form.breaker.state() == State::open);
}

// nodeshift/opossum#119
TEMPLATE_TEST_CASE("CircuitBreaker: with failures that can be borne, the rest of the probes close it",
                   "", TwoStep, Permits, Entries, Calls) {
    auto options = with_probes(5);
    options.half_open.successes_to_close = 3;
    TestType form{options};
    REQUIRE(open_and_wait(form));
    CHECK(fail(form));
    CHECK(succeed(form));
    CHECK(fail(form));
    CHECK(succeed(form));
    CHECK(form.breaker.state() == State::half_open);
    CHECK(form.breaker.snapshot().calls == 4);
    CHECK(form.breaker.snapshot().failures == 2);
    CHECK(succeed(form));
    CHECK(form.breaker.state() == State::closed);
}

// cockroachdb/cockroach#68419
TEST_CASE("CircuitBreaker: a call within a call is refused like any other, and a later plain call "
          "closes it") {
    Calls form{with_probes(1)};
    REQUIRE(open_and_wait(form));
    for (int attempt = 0; attempt != 3; ++attempt) {
        bool inner_ran = false;
        const auto outer =
            form.breaker.call([&] { return form.breaker.call([&] { return inner_ran = true; }); });
        REQUIRE(outer);
        REQUIRE_FALSE(*outer);
        CHECK(outer->error() == Refusal{Error::probes_in_flight});
        CHECK_FALSE(inner_ran);
        CHECK(form.breaker.state() ==
              State::half_open); // a refusal further in says nothing about the target
        CHECK(form.breaker.snapshot().probes_in_flight == 0);
        form.clock.advance(10s);
    }
    CHECK(succeed(form));
    CHECK(form.breaker.state() == State::closed);
}

// cockroachdb/cockroach#68419
TEST_CASE("CircuitBreaker: a call within a call, its refusal thrown, gives the probe back as well") {
    Calls form{with_probes(1)};
    REQUIRE(open_and_wait(form));
    CHECK_THROWS_AS(form.breaker.call([&] { return form.breaker.call([] { return 1; }).value(); }),
                    BadResultAccess);
    CHECK(form.breaker.state() == State::half_open);
    CHECK(form.breaker.snapshot().probes_in_flight == 0);
    CHECK(succeed(form));
    CHECK(form.breaker.state() == State::closed);
}

// cockroachdb/cockroach#68419
TEST_CASE(
    "CircuitBreaker: with probes enough for both, a call within a call is let in and both count") {
    Calls form{with_probes(2)};
    REQUIRE(open_and_wait(form));
    const auto outer = form.breaker.call([&] { return form.breaker.call([] { return 1; }); });
    REQUIRE(outer);
    CHECK(outer->has_value());
    CHECK(form.breaker.state() == State::closed);
}

// resilience4j/resilience4j#736, resilience4j/resilience4j#1869
TEMPLATE_TEST_CASE("CircuitBreaker: the policy's numbers play no part in the decision on probes", "",
                   TwoStep, Permits, Entries, Calls) {
    const auto threshold = GENERATE(1, 2, 10);
    const auto probes = GENERATE(3U, 4U);
    TestType form{with_probes(probes), {static_cast<std::uint32_t>(threshold)}};
    REQUIRE(open_and_wait(form, threshold));
    for (std::uint32_t i = 1; i != probes; ++i) {
        CHECK(succeed(form));
        CHECK(form.breaker.state() == State::half_open);
    }
    CHECK(succeed(form));
    CHECK(form.breaker.state() == State::closed);
}

namespace {

struct NotFound : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// A missing page is an answer, not trouble.
Outcome judge(const std::exception_ptr& thrown) {
    try {
        std::rethrow_exception(thrown);
    } catch (const NotFound&) {
        return Outcome::success;
    } catch (...) {
        return Outcome::failure;
    }
}

} // namespace

// smallrye/smallrye-fault-tolerance#320, svroonland/rezilience#325
TEST_CASE("CircuitBreaker: the classifier judges probes as it judges other calls") {
    const auto probes = GENERATE(1U, 2U);
    Calls form{with_probes(probes), {2}};
    Entries compartment{with_probes(probes), {2}};
    const auto not_found = [](auto& guard) {
        CHECK_THROWS_AS(guard.call([]() -> std::string { throw NotFound{"no such account"}; }, judge),
                        NotFound);
    };
    const auto trouble = [](auto& guard) {
        CHECK_THROWS_AS(guard.call([]() -> std::string { throw Trouble{}; }, judge), Trouble);
    };
    const auto try_out = [&](auto& guard, Breaker& breaker, ManualClock& clock) {
        for (int i = 0; i != 5; ++i) not_found(guard);
        CHECK(breaker.state() == State::closed);
        trouble(guard);
        not_found(guard); // a success: it ends the run
        trouble(guard);
        CHECK(breaker.state() == State::closed);
        trouble(guard);
        REQUIRE(breaker.state() == State::open);
        clock.advance(10s);
        for (std::uint32_t i = 0; i != probes; ++i) not_found(guard);
        CHECK(breaker.state() == State::closed);
        trouble(guard);
        trouble(guard);
        clock.advance(10s);
        trouble(guard);
        CHECK(breaker.state() == State::open);
    };
    try_out(form.breaker, form.breaker, form.clock);
    try_out(compartment.target, compartment.breaker, compartment.clock);
}

// smallrye/smallrye-fault-tolerance#320
TEST_CASE("CircuitBreaker: the classifier of values judges probes as it judges other calls") {
    Calls form{with_probes(1), {1}};
    const auto by_status = [](int status) {
        if (status == 429) return Outcome::ignored;
        return status >= 500 ? Outcome::failure : Outcome::success;
    };
    const auto answers = [&](int status) {
        return form.breaker.call([=] { return status; }, by_status).has_value();
    };
    CHECK(answers(404));
    CHECK(form.breaker.state() == State::closed);
    CHECK(answers(503));
    REQUIRE(form.breaker.state() == State::open);
    form.clock.advance(10s);
    CHECK(answers(429));
    CHECK(form.breaker.state() == State::half_open);
    CHECK(answers(500));
    CHECK(form.breaker.state() == State::open);
    form.clock.advance(10s);
    CHECK(answers(404));
    CHECK(form.breaker.state() == State::closed);
}

} // namespace tests::field_cases_half_open
