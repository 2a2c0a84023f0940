// SPDX-License-Identifier: MIT
// A permission that was not given back: what other breakers lost it through.
#include "catch.hpp"
#include "field_cases/forms.hpp"

#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

namespace tests::field_cases_probe_slots {

using namespace field;

// resilience4j/resilience4j#544
TEMPLATE_TEST_CASE("CircuitBreaker: an ignored probe gives its place back", "", TwoStep, Permits,
                   Entries) {
    const auto probes = GENERATE(1U, 2U, 5U);
    const auto ignored_before_others = GENERATE(false, true);
    TestType form{with_probes(probes)};
    REQUIRE(open_and_wait(form));

    std::vector<decltype(form.take())> taken;
    for (std::uint32_t i = 0; i != probes; ++i) taken.push_back(form.take());
    for (const auto& each : taken) REQUIRE(each);
    REQUIRE_FALSE(form.take());

    if (ignored_before_others) taken.back().ignore();
    for (std::uint32_t i = 0; i + 1 != probes; ++i) taken[i].success();
    if (!ignored_before_others) taken.back().ignore();

    CHECK(form.breaker.state() == State::half_open);
    auto again = form.take();
    REQUIRE(again);
    CHECK_FALSE(form.take());
    again.success();
    CHECK(form.breaker.state() == State::closed);
}

// resilience4j/resilience4j#544
TEMPLATE_TEST_CASE("CircuitBreaker: any number of ignored probes leaves recovery possible", "", TwoStep,
                   Permits, Entries, Calls) {
    const auto probes = GENERATE(1U, 3U);
    const auto ignored = GENERATE(1, 2, 100);
    TestType form{with_probes(probes)};
    REQUIRE(open_and_wait(form));

    for (std::uint32_t i = 0; i != probes; ++i) {
        for (int each = 0; each != ignored; ++each) CHECK(ignore(form));
        CHECK(form.breaker.state() == State::half_open);
        CHECK(succeed(form));
    }
    CHECK(form.breaker.state() == State::closed);
}

// resilience4j/resilience4j#544
TEMPLATE_TEST_CASE(
    "CircuitBreaker: an ignored call in CLOSED neither ends nor extends a run of failures", "", TwoStep,
    Permits, Entries, Calls) {
    TestType form;
    CHECK(fail(form));
    CHECK(ignore(form));
    CHECK(fail(form));
    for (int i = 0; i != 5; ++i) CHECK(ignore(form));
    CHECK(form.breaker.state() == State::closed);
    CHECK(form.breaker.snapshot().failures == 2);
    CHECK(fail(form));
    CHECK(form.breaker.state() == State::open);
}

// failsafe-lib/failsafe#32
TEMPLATE_TEST_CASE(
    "CircuitBreaker: a late answer, whatever it is and whenever it comes, takes no place away", "",
    Permits, Entries) {
    const auto outcome = GENERATE(Outcome::success, Outcome::failure, Outcome::ignored);
    const auto comes_while_half_open = GENERATE(false, true);
    TestType form{with_probes(1)};
    auto late = form.take();
    REQUIRE(open(form));
    if (!comes_while_half_open) CHECK_FALSE(late.record(outcome));
    form.clock.advance(10s);
    auto probe = form.take();
    REQUIRE(probe);
    if (comes_while_half_open) CHECK_FALSE(late.record(outcome));
    CHECK(form.breaker.snapshot().probes_in_flight == 1);
    CHECK_FALSE(form.take());
    CHECK(probe.success());
    CHECK(form.breaker.state() == State::closed);
}

// failsafe-lib/failsafe#32
TEST_CASE("Target: a late answer frees its slot even though it does not count") {
    const auto outcome = GENERATE(Outcome::success, Outcome::failure, Outcome::ignored);
    Entries form{with_probes(1)};
    auto late = form.take();
    REQUIRE(open(form));
    REQUIRE(form.target.bulkhead().in_flight() == 1);
    CHECK_FALSE(late.record(outcome));
    CHECK(form.target.bulkhead().in_flight() == 0);
    CHECK_FALSE(late.record(outcome));
    CHECK(form.target.bulkhead().in_flight() == 0);
}

// twitter/finagle#524
TEMPLATE_TEST_CASE(
    "CircuitBreaker: a probe whose preparation throws is settled, and the circuit can recover", "",
    Permits, Entries) {
    TestType form{with_probes(1)};
    REQUIRE(open_and_wait(form));
    const auto prepare_and_call = [&] {
        auto probe = form.take();
        REQUIRE(probe);
        throw std::runtime_error{"no thread free"}; // before the call began
    };
    CHECK_THROWS_AS(prepare_and_call(), std::runtime_error);
    CHECK(form.breaker.state() == State::open);
    form.clock.advance(10s - 1ns);
    CHECK_FALSE(form.take());
    form.clock.advance(1ns);
    CHECK(succeed(form));
    CHECK(form.breaker.state() == State::closed);
}

namespace {

/// A function, or its result, that cannot be brought where it is needed.
struct ThrowsWhenCopied {
    ThrowsWhenCopied() = default;
    ThrowsWhenCopied(const ThrowsWhenCopied&) { throw std::bad_alloc{}; }
    ThrowsWhenCopied& operator=(const ThrowsWhenCopied&) = delete;
    ~ThrowsWhenCopied() = default;
    int operator()() const { return 42; }
};

} // namespace

// twitter/finagle#524
TEST_CASE("CircuitBreaker: call() settles its permit whatever throws, and lets it through") {
    Calls form{with_probes(1)};
    REQUIRE(open_and_wait(form));
    Breaker& breaker = form.breaker;

    SECTION("the function, as a failure") {
        CHECK_THROWS_AS(breaker.call([]() -> int { throw Trouble{}; }), Trouble);
        CHECK(breaker.state() == State::open);
    }
    SECTION("something that is no exception class, as a failure") {
        CHECK_THROWS_AS(breaker.call([]() -> int { throw 7; }), int);
        CHECK(breaker.state() == State::open);
    }
    SECTION("bringing the result to the caller, as a failure") {
        static const ThrowsWhenCopied stuck;
        CHECK_THROWS_AS(breaker.call([]() { return ThrowsWhenCopied{stuck}; }), std::bad_alloc);
        CHECK(breaker.state() == State::open);
    }
    SECTION("the classifier of a result, as ignored") {
        CHECK_THROWS_AS(
            breaker.call([] { return 1; }, [](int) -> Outcome { throw std::logic_error{"no idea"}; }),
            std::logic_error);
        CHECK(breaker.state() == State::half_open);
        CHECK(breaker.snapshot().probes_in_flight == 0);
        CHECK(breaker.snapshot().ignored == 1);
    }
    SECTION("the classifier of an exception, as ignored") {
        CHECK_THROWS_AS(
            breaker.call([]() -> int { throw Trouble{}; },
                         [](std::exception_ptr) -> Outcome { throw std::logic_error{"no idea"}; }),
            std::logic_error);
        CHECK(breaker.state() == State::half_open);
        CHECK(breaker.snapshot().probes_in_flight == 0);
    }
    form.clock.advance(10s);
    CHECK(succeed(form));
    CHECK(breaker.state() == State::closed);
}

// twitter/finagle#524
TEST_CASE("CircuitBreaker: a function that cannot be copied into the call costs no probe") {
    Calls form{with_probes(1)};
    REQUIRE(open_and_wait(form));
    const ThrowsWhenCopied function;
    const auto answer = form.breaker.call(function); // taken by reference: nothing to copy
    REQUIRE(answer);
    CHECK(*answer == 42);
    CHECK(form.breaker.state() == State::closed);
}

// svroonland/rezilience#521
TEMPLATE_TEST_CASE(
    "CircuitBreaker: an abandoned probe gives its place back at once, however it was abandoned", "",
    Permits, Entries) {
    const auto probes = GENERATE(1U, 2U);
    const auto way = GENERATE(0, 1, 2, 3, 4);
    TestType form{with_probes(probes)};
    REQUIRE(open_and_wait(form));
    std::vector<decltype(form.take())> others;
    for (std::uint32_t i = 0; i + 1 != probes; ++i) others.push_back(form.take());
    {
        auto probe = form.take();
        REQUIRE(probe);
        switch (way) {
        case 0: break; // destroyed
        case 1: {      // moved, and then destroyed
            const auto owner = std::move(probe);
            REQUIRE(owner);
            REQUIRE_FALSE(probe);
            break;
        }
        case 2: probe = form.take(); break; // assigned to: by one that was refused
        case 3: probe.release(); break;
        default: probe.ignore(); break;
        }
    }
    CHECK(form.breaker.state() == State::half_open);
    CHECK(form.breaker.snapshot().probes_in_flight == probes - 1);
    auto again = form.take();
    REQUIRE(again);
    for (auto& each : others) each.success();
    again.success();
    CHECK(form.breaker.state() == State::closed);
}

// svroonland/rezilience#521
TEMPLATE_TEST_CASE(
    "CircuitBreaker: a probe that an exception sweeps away counts as failed, wherever it was held", "",
    Permits, Entries) {
    const auto holder = GENERATE(0, 1, 2);
    TestType form{with_probes(1)};
    REQUIRE(open_and_wait(form));
    const auto work = [&] {
        auto probe = form.take();
        if (holder == 0) throw Trouble{};
        std::optional<decltype(form.take())> kept{std::move(probe)};
        if (holder == 1) throw Trouble{};
        std::vector<decltype(form.take())> many;
        many.push_back(std::move(*kept));
        throw Trouble{};
    };
    CHECK_THROWS_AS(work(), Trouble);
    CHECK(form.breaker.state() == State::open);
    CHECK(form.breaker.retry_after() == 10s);
}

namespace {

template <class Form>
struct CallsWhileUnwinding {
    Form& form;
    ~CallsWhileUnwinding() { const auto abandoned = form.take(); }
};

} // namespace

// svroonland/rezilience#521
TEMPLATE_TEST_CASE(
    "CircuitBreaker: a probe taken and abandoned within a clean-up is ignored, not failed", "", Permits,
    Entries) {
    TestType form{with_probes(1)};
    REQUIRE(open_and_wait(form));
    const auto work = [&] {
        const CallsWhileUnwinding<TestType> cleanup{form};
        throw Trouble{}; // under way before the permit is taken
    };
    CHECK_THROWS_AS(work(), Trouble);
    CHECK(form.breaker.state() == State::half_open);
    CHECK(form.breaker.snapshot().probes_in_flight == 0);
    CHECK(succeed(form));
    CHECK(form.breaker.state() == State::closed);
}

// failsafe-lib/failsafe#32
TEMPLATE_TEST_CASE("CircuitBreaker: an answer given twice gives nothing back twice", "", Permits,
                   Entries) {
    TestType form{with_probes(2)};
    REQUIRE(open_and_wait(form));
    auto first = form.take();
    auto second = form.take();
    CHECK(first.ignore());
    CHECK_FALSE(first.ignore());
    CHECK_FALSE(first.success());
    CHECK_FALSE(first.failure());
    first.release();
    CHECK_FALSE(first);
    CHECK(form.breaker.snapshot().probes_in_flight == 1);
    const auto third = form.take();
    CHECK(third);
    CHECK_FALSE(form.take());
    CHECK(second);
}

TEST_CASE("CircuitBreaker: record_ignored() without a probe out gives nothing back") {
    TwoStep form{with_probes(2)};
    REQUIRE(open_and_wait(form));
    auto probe = form.breaker.try_acquire(); // a permit's probe is not for record_*() to answer
    form.breaker.record_ignored();
    form.breaker.record_ignored();
    CHECK(form.breaker.snapshot().probes_in_flight == 1);
    CHECK(form.breaker.allow());
    CHECK_FALSE(form.breaker.allow());
    form.breaker.record_success();
    form.breaker.record_success();
    CHECK(form.breaker.state() == State::half_open);
    CHECK(probe.success());
    CHECK(form.breaker.state() == State::closed);
}

} // namespace tests::field_cases_probe_slots
