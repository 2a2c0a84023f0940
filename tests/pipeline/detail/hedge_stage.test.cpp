// SPDX-License-Identifier: MIT
#include <dashpot/pipeline/detail/hedge_stage.hpp>
#include <dashpot/pipeline/pipeline.hpp>

#include "catch.hpp"

#include <stdexcept>

namespace tests::pipeline_detail_hedge_stage {

using dashpot::Hedge;
using dashpot::detail::HedgeStage;

TEST_CASE("HedgeStageTest: ItKeepsItsOptionsAndRefusesNonsenseWhenThePipelineIsMade") {
    CHECK(HedgeStage{Hedge{.max_attempts = 5}}.options().max_attempts == 5);
    CHECK_THROWS_AS(dashpot::pipeline(Hedge{.max_attempts = 0}), std::invalid_argument);
}

TEST_CASE("HedgeStageTest: ItPassesARefusalFromBeforeTheCallOn") {
    const HedgeStage stage{Hedge{}};
    CHECK(stage.pass_refusal<int>(3, [](int given) { return dashpot::Result<int>{given + 1}; }) == 4);
    CHECK(HedgeStage::may_repeat);
}

} // namespace tests::pipeline_detail_hedge_stage
