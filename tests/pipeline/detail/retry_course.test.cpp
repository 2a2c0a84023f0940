// SPDX-License-Identifier: MIT
#include <dashpot/pipeline/detail/retry_course.hpp>
#include <dashpot/testing/manual_clock.hpp>

#include "catch.hpp"

#include <chrono>
#include <optional>
#include <stop_token>

namespace tests::pipeline_detail_retry_course {

using namespace std::chrono_literals;
using dashpot::Deadline;
using dashpot::Error;
using dashpot::Instant;
using dashpot::Outcome;
using dashpot::Retry;
using dashpot::RetryBudget;
using dashpot::detail::CallScope;
using dashpot::detail::Ending;
using dashpot::detail::JudgedAttempt;
using dashpot::detail::RetryCourse;
using dashpot::testing::ManualClock;

namespace {

struct Rig {
    ManualClock clock{};
    std::stop_token stop{};
    Ending ending{};
    CallScope<ManualClock> scope{&clock, &ending, &stop};
    RetryBudget budget{{.capacity = 1}};

    void attempt(RetryCourse<ManualClock>& course, Outcome outcome) {
        (void)course.begin_attempt();
        JudgedAttempt{ending}.record(outcome);
    }
};

} // namespace

TEST_CASE("RetryCourse: plans a wait, lets the clock pass it, and begins the next attempt",
          "[pipeline]") {
    Rig rig;
    const Retry retry{.max_attempts = 2, .wait = 3s};
    RetryCourse course{retry, rig.scope};
    CHECK(course.begin_attempt().attempt == 1);
    JudgedAttempt{rig.ending}.record(Outcome::failure);
    REQUIRE(course.end_attempt());
    CHECK(course.plan_wait() == std::optional{3s + 0ns});
    CHECK(course.wait_ends() == Instant{3s});
    CHECK(rig.clock.now() == Instant{}); // asynchronous code waits by itself
    rig.clock.advance(3s);
    CHECK(course.may_begin());
    CHECK(course.begin_attempt().attempt == 2);
    JudgedAttempt{rig.ending}.record(Outcome::failure);
    REQUIRE(course.end_attempt());
    CHECK_FALSE(course.plan_wait());
}

TEST_CASE("RetryCourse: a token planned for an attempt that never begins is given back", "[pipeline]") {
    Rig rig;
    const Retry retry{.wait = 1s, .budget = &rig.budget};
    {
        RetryCourse course{retry, rig.scope};
        rig.attempt(course, Outcome::failure);
        REQUIRE(course.end_attempt());
        REQUIRE(course.plan_wait());
        CHECK(rig.budget.balance() == 0.0);
    } // for example a coroutine that is destroyed in its wait
    CHECK(rig.budget.balance() == 1.0);
}

TEST_CASE("RetryCourse: a token whose attempt called the function is spent", "[pipeline]") {
    Rig rig;
    const Retry retry{.wait = 1s, .budget = &rig.budget};
    {
        RetryCourse course{retry, rig.scope};
        rig.attempt(course, Outcome::failure);
        REQUIRE(course.end_attempt());
        REQUIRE(course.waits_for_next());
        rig.attempt(course, Outcome::failure);
        REQUIRE(course.end_attempt());
    }
    CHECK(rig.budget.balance() == 0.0);
}

TEST_CASE("RetryCourse: a refused extra attempt ends the course and gives its token back",
          "[pipeline]") {
    Rig rig;
    const Retry retry{.wait = 1s, .budget = &rig.budget};
    RetryCourse course{retry, rig.scope};
    rig.attempt(course, Outcome::failure);
    REQUIRE(course.end_attempt());
    REQUIRE(course.waits_for_next());
    (void)course.begin_attempt();
    rig.ending.refuse({Error::circuit_open});
    CHECK_FALSE(course.end_attempt());
    CHECK(rig.budget.balance() == 1.0);
}

} // namespace tests::pipeline_detail_retry_course
