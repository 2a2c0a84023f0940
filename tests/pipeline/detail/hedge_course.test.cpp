// SPDX-License-Identifier: MIT
#include <dashpot/pipeline/detail/hedge_course.hpp>
#include <dashpot/testing/manual_clock.hpp>

#include "catch.hpp"

#include <chrono>
#include <stop_token>

namespace tests::pipeline_detail_hedge_course {

using namespace std::chrono_literals;
using dashpot::Deadline;
using dashpot::Error;
using dashpot::Hedge;
using dashpot::Instant;
using dashpot::Outcome;
using dashpot::RetryBudget;
using dashpot::detail::CallScope;
using dashpot::detail::Ending;
using dashpot::detail::HedgeCourse;
using dashpot::testing::ManualClock;

struct Fixture {
    ManualClock clock;
    Ending ending;
    std::stop_source source;
    std::stop_token stop = source.get_token();
    CallScope<ManualClock> scope{&clock, &ending, &stop};
};

Ending made(Outcome outcome) {
    Ending ending;
    ending.calls = 1;
    ending.verdict = {outcome};
    return ending;
}

TEST_CASE("HedgeCourseTest: TheNextAttemptIsDueAfterTheLatestStart") {
    Fixture at;
    const Hedge hedge{.after = 100ms, .max_attempts = 3};
    HedgeCourse course{hedge, at.scope};
    course.begin();
    CHECK(course.next_start() == Instant{100ms});
    at.clock.advance(40ms);
    CHECK(course.try_start());
    CHECK(course.next_start() == Instant{140ms});
    CHECK(course.try_start());
    CHECK_FALSE(course.next_start());
    CHECK_FALSE(course.try_start());
    CHECK(course.started() == 3);
}

TEST_CASE("HedgeCourseTest: NoneIsDueAtTheDeadlineAfterAStopOrAWin") {
    Fixture at;
    const Hedge hedge{.after = 100ms, .max_attempts = 9};
    at.scope.deadline = Deadline{Instant{100ms}};
    HedgeCourse late{hedge, at.scope};
    late.begin();
    CHECK_FALSE(late.next_start());
    CHECK(late.try_start()); // a failure may still be followed at once
    at.clock.advance(100ms);
    CHECK_FALSE(late.try_start());
    at.scope.deadline = Deadline{};
    HedgeCourse won{hedge, at.scope};
    won.begin();
    CHECK(won.end_attempt(1, made(Outcome::ignored), false)); // an answer of the target
    CHECK(won.is_won());
    CHECK_FALSE(won.try_start());
    HedgeCourse stopped{hedge, at.scope};
    stopped.begin();
    at.source.request_stop();
    CHECK_FALSE(stopped.next_start());
    CHECK_FALSE(stopped.try_start());
}

TEST_CASE("HedgeCourseTest: TheLastFailureCountsMoreThanARefusalAndLessThanASuccess") {
    Fixture at;
    const Hedge hedge{.max_attempts = 9};
    HedgeCourse course{hedge, at.scope};
    course.begin();
    Ending refused;
    refused.refuse({Error::bulkhead_full});
    CHECK(course.end_attempt(1, refused, false));
    CHECK_FALSE(course.wants_next());
    CHECK(course.end_attempt(2, made(Outcome::failure), false));
    CHECK(course.wants_next());
    CHECK(course.end_attempt(3, made(Outcome::failure), false));
    CHECK_FALSE(course.end_attempt(4, refused, false));
    CHECK_FALSE(course.end_attempt(5, made(Outcome::ignored), true)); // it was cancelled
    CHECK_FALSE(course.is_won());
    CHECK(course.end_attempt(6, made(Outcome::success), false));
    CHECK_FALSE(course.end_attempt(7, made(Outcome::success), false)); // the first one wins
}

TEST_CASE("HedgeCourseTest: AnExtraAttemptCostsATokenUnlessItNeverCallsTheFunction") {
    Fixture at;
    RetryBudget budget{{.ratio = 0.5, .capacity = 1}};
    const Hedge hedge{.max_attempts = 9, .budget = &budget};
    HedgeCourse course{hedge, at.scope};
    course.begin();
    CHECK(budget.balance() == 1.0);
    CHECK(course.try_start());
    CHECK(budget.balance() == 0.0);
    Ending refused;
    refused.refuse({Error::bulkhead_full});
    (void)course.end_attempt(2, refused, false);
    CHECK(budget.balance() == 1.0);
    CHECK(course.try_start());
    CHECK_FALSE(course.try_start()); // empty, and not asked again
    CHECK(budget.refused() == 1);
    CHECK_FALSE(course.next_start());
    CHECK(course.end_attempt(1, made(Outcome::success), false));
    CHECK(budget.balance() == 0.5);
}

TEST_CASE("HedgeCourseTest: AnIgnoredOutcomeDecidesAndEarnsNothing") {
    Fixture at;
    RetryBudget budget{{.ratio = 0.5, .capacity = 2}};
    const Hedge hedge{.budget = &budget};
    HedgeCourse course{hedge, at.scope};
    course.begin();
    CHECK(course.try_start());
    CHECK(course.end_attempt(1, made(Outcome::ignored), false));
    CHECK(course.is_won());
    CHECK(budget.balance() == 1.0);
}

TEST_CASE("HedgeCourseTest: AnAttemptInheritsItsNumberItsEndingAndTheBudget") {
    Fixture at;
    RetryBudget budget{{.ratio = 0.5, .capacity = 2}};
    const Hedge hedge{.budget = &budget};
    HedgeCourse outer{hedge, at.scope};
    CallScope<ManualClock> inner = at.scope;
    Ending ending;
    outer.equip(inner, 2, ending);
    CHECK(inner.attempt == 2);
    CHECK(inner.ending == &ending);
    CHECK(budget.try_withdraw());
    HedgeCourse inside{hedge, inner};
    inside.begin();
    CHECK(inside.end_attempt(1, made(Outcome::success), false));
    CHECK(budget.balance() == 1.0); // the outer one deposits
}

} // namespace tests::pipeline_detail_hedge_course
