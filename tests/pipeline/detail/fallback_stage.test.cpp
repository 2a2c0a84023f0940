// SPDX-License-Identifier: MIT
#include <dashpot/pipeline/detail/call_scope.hpp>
#include <dashpot/pipeline/detail/fallback_stage.hpp>
#include <dashpot/testing/manual_clock.hpp>

#include "catch.hpp"

#include <exception>
#include <stop_token>

namespace tests::pipeline_detail_fallback_stage {

using dashpot::Error;
using dashpot::Fallback;
using dashpot::Refusal;
using dashpot::Result;
using dashpot::detail::Answers;
using dashpot::detail::CallScope;
using dashpot::detail::Ending;
using dashpot::detail::FallbackStage;
using dashpot::testing::ManualClock;
using Scope = CallScope<ManualClock>;

namespace {

constexpr auto nine = [](const Refusal&) { return 9; };

struct Rig {
    ManualClock clock{};
    std::stop_token stop{};
    Ending ending{};
    Scope scope{&clock, &ending, &stop};
};

} // namespace

TEST_CASE("FallbackStage: notes that it has answered", "[pipeline]") {
    Rig rig;
    const FallbackStage stage{Fallback{nine}};
    CHECK(stage.run<int>(rig.scope, [](const Scope& at) -> Result<int> {
        return at.refuse({Error::throttled});
    }) == Result<int>{9});
    CHECK(rig.ending.is_answered);
    CHECK_FALSE(rig.ending.is_thrown_by_handler);
    CHECK(rig.ending.refused_by == Error::throttled); // what is outside records how the call ended
}

TEST_CASE("FallbackStage: notes that its handler has thrown", "[pipeline]") {
    Rig rig;
    const FallbackStage stage{Fallback{[](const Refusal&) -> int { throw 7; }}};
    CHECK_THROWS_AS(
        stage.run<int>(rig.scope,
                       [](const Scope& at) -> Result<int> { return at.refuse({Error::throttled}); }),
        int);
    CHECK(rig.ending.is_thrown_by_handler);
    CHECK_FALSE(rig.ending.is_answered);
}

TEST_CASE("FallbackStage: knows what a handler takes", "[pipeline]") {
    const auto all = [](const auto&) { return 9; };
    STATIC_REQUIRE(Answers<decltype(nine), Refusal>);
    STATIC_REQUIRE_FALSE(Answers<decltype(nine), std::exception_ptr>);
    STATIC_REQUIRE_FALSE(Answers<decltype(nine), int>);
    STATIC_REQUIRE(Answers<decltype(all), std::exception_ptr>);
}

} // namespace tests::pipeline_detail_fallback_stage
