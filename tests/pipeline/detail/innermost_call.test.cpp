// SPDX-License-Identifier: MIT
#include <dashpot/core/by_exception.hpp>
#include <dashpot/pipeline/detail/call_scope.hpp>
#include <dashpot/pipeline/detail/innermost_call.hpp>
#include <dashpot/testing/manual_clock.hpp>

#include "catch.hpp"

#include <memory>
#include <stop_token>
#include <type_traits>

namespace tests::pipeline_detail_innermost_call {

using dashpot::Attempt;
using dashpot::ByException;
using dashpot::Outcome;
using dashpot::Result;
using dashpot::detail::CallScope;
using dashpot::detail::Ending;
using dashpot::detail::InnermostCall;
using dashpot::detail::Returned;
using dashpot::detail::TakesAttemptOrNothing;
using dashpot::testing::ManualClock;

namespace {

struct Rig {
    ManualClock clock{};
    std::stop_token stop{};
    Ending ending{};
    CallScope<ManualClock> scope{&clock, &ending, &stop};
};

} // namespace

TEST_CASE("InnermostCall: judges what the function returns or throws", "[pipeline]") {
    Rig rig;
    ByException classify;
    auto good = [] { return 1; };
    CHECK(InnermostCall<decltype(good)&, ByException>{good, classify}(rig.scope) == Result<int>{1});
    CHECK(rig.ending.is_success());
    CHECK(rig.ending.calls == 1);

    rig.ending.begin_attempt();
    auto bad = []() -> int { throw 7; };
    const InnermostCall<decltype(bad)&, ByException> call{bad, classify};
    CHECK_THROWS_AS(call(rig.scope), int);
    CHECK(rig.ending.is_failure());
    CHECK(rig.ending.calls == 2);
}

TEST_CASE("InnermostCall: passes the scope's Attempt, and prefers to", "[pipeline]") {
    Rig rig;
    rig.scope.attempt = 3;
    ByException classify;
    struct Both {
        std::uint32_t operator()() const { return 0; }
        std::uint32_t operator()(const Attempt& attempt) const { return attempt.number; }
    } both;
    CHECK(InnermostCall<Both&, ByException>{both, classify}(rig.scope) == Result<std::uint32_t>{3U});
}

TEST_CASE("InnermostCall: knows what a function returns, as which it is called", "[pipeline]") {
    struct OnlyRvalue {
        int operator()() && { return 1; }
    };
    STATIC_REQUIRE(std::is_same_v<Returned<OnlyRvalue&&>, int>);
    STATIC_REQUIRE(TakesAttemptOrNothing<OnlyRvalue&&>);
    STATIC_REQUIRE_FALSE(TakesAttemptOrNothing<OnlyRvalue&>);
    STATIC_REQUIRE_FALSE(TakesAttemptOrNothing<int (*)(int)>);
    STATIC_REQUIRE(std::is_same_v<Returned<int& (*)(Attempt)>, int&>);
}

} // namespace tests::pipeline_detail_innermost_call
