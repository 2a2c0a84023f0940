// SPDX-License-Identifier: MIT
// A RetryBudget as pipelines use it.
#include <dashpot/pipeline/pipeline.hpp>

#include "catch.hpp"
#include "pipeline/script.hpp"

namespace tests::pipeline_retry_budget {

using namespace support;
using dashpot::Error;
using dashpot::pipeline;
using dashpot::Retry;
using dashpot::RetryBudget;
using dashpot::Verdict;

namespace {

struct Rig {
    ManualClock clock;
    RetryBudget budget{{.ratio = 0.5, .capacity = 2}};

    Retry retry(std::uint32_t max_attempts = 3) {
        return {.max_attempts = max_attempts, .wait = 100ms, .budget = &budget};
    }
    template <class Protect>
    std::size_t calls_of(const Protect& protect, std::vector<Step> steps) const {
        Script script{clock, std::move(steps)};
        (void)ending_of([&] { return protect.with(clock).call(script); });
        return script.calls();
    }
};

} // namespace

TEST_CASE("Retry: withdraws a token for each extra attempt, and deposits for a success", "[pipeline]") {
    Rig rig;
    CHECK(rig.calls_of(pipeline(rig.retry()), {fails(), gives(1)}) == 2);
    CHECK(rig.budget.balance() == 1.5); // 2 - 1 + 0.5
    CHECK(rig.calls_of(pipeline(rig.retry()), {fails()}) == 2);
    CHECK(rig.budget.balance() == 0.5); // a call that fails earns nothing
    CHECK(rig.budget.refused() == 1);
}

TEST_CASE("Retry: an empty budget ends the call at once, without a wait", "[pipeline]") {
    Rig rig;
    while (rig.budget.try_withdraw()) {}
    const auto before = rig.clock.now();
    CHECK(rig.calls_of(pipeline(rig.retry()), {fails(), gives(1)}) == 1);
    CHECK(rig.clock.now() == before);
    CHECK(rig.calls_of(pipeline(rig.retry()), {gives(1)}) == 1);
    CHECK(rig.calls_of(pipeline(rig.retry()), {gives(1)}) == 1);
    CHECK(rig.budget.balance() == 1.0);
    CHECK(rig.calls_of(pipeline(rig.retry()), {fails(), gives(1)}) == 2);
}

TEST_CASE("Retry: an attempt that will not be made withdraws nothing", "[pipeline]") {
    Rig rig;
    CHECK(rig.calls_of(pipeline(rig.retry(1)), {fails()}) == 1);
    CHECK(rig.calls_of(pipeline(dashpot::Timeout{100ms}, rig.retry()), {fails()}) == 1);
    CHECK(rig.budget.balance() == 2.0);
    CHECK(rig.budget.refused() == 0);
}

TEST_CASE("Retry: an ignored ending neither withdraws nor deposits", "[pipeline]") {
    Rig rig;
    REQUIRE(rig.budget.try_withdraw());
    CHECK(pipeline(rig.retry()).call([] { return 1; }, [](int) { return Outcome::ignored; }));
    CHECK(rig.budget.balance() == 1.0);
}

TEST_CASE("Retry: the token of an attempt that a guard refused is given back", "[pipeline]") {
    Rig rig;
    std::string text;
    Journal guard{'a', text};
    Script script{rig.clock, {fails()}};
    const auto refuse_next = [&](const dashpot::Attempt& attempt) {
        guard.refuses = Refusal{Error::throttled};
        return script(attempt);
    };
    CHECK(pipeline(rig.retry(), guard).with(rig.clock).call(refuse_next).error() == Error::throttled);
    CHECK(rig.budget.balance() == 2.0);

    guard.refuses.reset();
    Retry persistent = rig.retry(5);
    persistent.retry_refusals = true;
    CHECK(pipeline(persistent, guard).with(rig.clock).call(refuse_next).error() == Error::throttled);
    CHECK(rig.budget.balance() == 2.0); // each refused attempt gives its own back
}

TEST_CASE("Retry: nested ones that share a budget pay for every attempt, and deposit once",
          "[pipeline]") {
    Rig rig;
    const auto nested = pipeline(rig.retry(), rig.retry());
    CHECK(rig.calls_of(nested, {fails()}) == 3);
    CHECK(rig.budget.balance() == 0.0);
    CHECK(rig.calls_of(nested, {gives(1)}) == 1);
    CHECK(rig.budget.balance() == 0.5);

    RetryBudget other{{.ratio = 0.5, .capacity = 2}};
    REQUIRE(other.try_withdraw());
    const auto inner = pipeline(Retry{.budget = &other}, rig.retry());
    CHECK(rig.calls_of(pipeline(rig.retry(), inner), {gives(1)}) == 1);
    CHECK(rig.budget.balance() == 1.0);
    CHECK(other.balance() == 1.5);
}

TEST_CASE("Retry: an outer attempt whose inner Retry called the function keeps its token spent",
          "[pipeline]") {
    Rig rig;
    const auto protect = pipeline(rig.retry(2), Retry{.max_attempts = 2, .wait = 0s});
    CHECK(rig.calls_of(protect, {fails()}) == 4);
    CHECK(rig.budget.balance() == 1.0);
}

} // namespace tests::pipeline_retry_budget
