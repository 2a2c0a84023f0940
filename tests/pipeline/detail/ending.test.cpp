// SPDX-License-Identifier: MIT
#include <dashpot/pipeline/detail/ending.hpp>

#include "catch.hpp"

#include <chrono>

namespace tests::pipeline_detail_ending {

using namespace std::chrono_literals;
using dashpot::Error;
using dashpot::Outcome;
using dashpot::Verdict;
using dashpot::detail::Ending;
using dashpot::detail::JudgedAttempt;

TEST_CASE("Ending: an attempt is a failure until it is judged", "[pipeline]") {
    Ending ending;
    CHECK(ending.is_failure());
    JudgedAttempt attempt{ending};
    CHECK(ending.is_failure());
    CHECK(attempt.success());
    CHECK(ending.is_success());
    CHECK_FALSE(attempt.ignore()); // judged once
    CHECK(ending.is_success());
}

TEST_CASE("Ending: keeps what the target asked for", "[pipeline]") {
    Ending ending;
    CHECK(JudgedAttempt{ending}.record(Verdict{Outcome::failure, 2s}));
    CHECK(ending.verdict == Verdict{Outcome::failure, 2s});
    CHECK(JudgedAttempt{ending}.ignore());
    CHECK(ending.verdict.outcome == Outcome::ignored);
}

TEST_CASE("Ending: a refusal is ignored, and the next attempt forgets it", "[pipeline]") {
    Ending ending;
    ending.refuse({Error::rate_limited, 3s});
    CHECK(ending.was_refused());
    CHECK(ending.refused_by == Error::rate_limited);
    CHECK(ending.verdict == Verdict{Outcome::ignored, 3s});
    ending.is_answered = true;
    ending.is_thrown_by_handler = true;
    ending.begin_attempt();
    CHECK_FALSE(ending.was_refused());
    CHECK_FALSE(ending.is_answered);
    CHECK_FALSE(ending.is_thrown_by_handler);
    CHECK(ending.verdict == Verdict{Outcome::failure});
}

TEST_CASE("Ending: counts the calls of the function over all attempts", "[pipeline]") {
    Ending ending;
    CHECK(ending.calls == 0);
    (void)JudgedAttempt{ending};
    ending.begin_attempt();
    (void)JudgedAttempt{ending};
    CHECK(ending.calls == 2);
}

} // namespace tests::pipeline_detail_ending
