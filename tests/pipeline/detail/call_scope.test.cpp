// SPDX-License-Identifier: MIT
#include <dashpot/pipeline/detail/call_scope.hpp>
#include <dashpot/testing/manual_clock.hpp>

#include "catch.hpp"

#include <chrono>
#include <stop_token>

namespace tests::pipeline_detail_call_scope {

using namespace std::chrono_literals;
using dashpot::Deadline;
using dashpot::Error;
using dashpot::Result;
using dashpot::detail::BudgetInUse;
using dashpot::detail::CallScope;
using dashpot::detail::Ending;
using dashpot::testing::ManualClock;

TEST_CASE("CallScope: makes the Attempt that the function receives", "[pipeline]") {
    const ManualClock clock{dashpot::Instant{1s}};
    std::stop_source source;
    const std::stop_token stop = source.get_token();
    Ending ending;
    CallScope<ManualClock> scope{&clock, &ending, &stop, Deadline{dashpot::Instant{3s}}};
    scope.attempt = 2;
    const dashpot::Attempt attempt = scope.as_attempt();
    CHECK(attempt.number == 2);
    CHECK(attempt.deadline == Deadline{dashpot::Instant{3s}});
    CHECK(attempt.remaining() == 2s);
    CHECK_FALSE(scope.is_stopped());
    source.request_stop();
    CHECK(attempt.stop.stop_requested());
    CHECK(scope.is_stopped());
}

TEST_CASE("CallScope: records a refusal and returns it", "[pipeline]") {
    const ManualClock clock;
    const std::stop_token stop;
    Ending ending;
    const CallScope<ManualClock> scope{&clock, &ending, &stop};
    const Result<int> result = scope.refuse({Error::throttled, 1s});
    CHECK(result.error() == dashpot::Refusal{Error::throttled, 1s});
    CHECK(ending.refused_by == Error::throttled);
}

TEST_CASE("BudgetInUse: finds a budget at any depth", "[pipeline]") {
    int a = 0;
    int b = 0;
    int c = 0;
    const BudgetInUse outer{&a, nullptr};
    const BudgetInUse inner{&b, &outer};
    CHECK(BudgetInUse::contains(&inner, &a));
    CHECK(BudgetInUse::contains(&inner, &b));
    CHECK_FALSE(BudgetInUse::contains(&inner, &c));
    CHECK_FALSE(BudgetInUse::contains(&outer, &b));
    CHECK_FALSE(BudgetInUse::contains(nullptr, &a));
}

} // namespace tests::pipeline_detail_call_scope
