// SPDX-License-Identifier: MIT
#include <dashpot/guard/bulkhead.hpp>
#include <dashpot/pipeline/detail/piece.hpp>
#include <dashpot/pipeline/pipeline.hpp>

#include "catch.hpp"

#include <memory>
#include <stdexcept>
#include <type_traits>

namespace tests::pipeline_detail_piece {

using dashpot::Bulkhead;
using dashpot::Refusal;
using dashpot::Retry;
using dashpot::Timeout;
using dashpot::detail::GuardStage;
using dashpot::detail::is_guard_or_pipeline;
using dashpot::detail::NestedPipeline;
using dashpot::detail::RetryStage;
using dashpot::detail::stage_of;
using dashpot::detail::StageOf;
using dashpot::detail::Strategy;
using dashpot::detail::TimeoutStage;

TEST_CASE("stage_of: a strategy is a value, a guard is held by reference or shared", "[pipeline]") {
    STATIC_REQUIRE(std::is_same_v<StageOf<Retry>, RetryStage>);
    STATIC_REQUIRE(std::is_same_v<StageOf<const Timeout&>, TimeoutStage>);
    STATIC_REQUIRE(std::is_same_v<StageOf<Bulkhead&>, GuardStage<Bulkhead, Bulkhead*>>);
    using Shared = std::shared_ptr<Bulkhead>;
    STATIC_REQUIRE(std::is_same_v<StageOf<Shared>, GuardStage<Bulkhead, Shared>>);
    STATIC_REQUIRE(std::is_same_v<StageOf<const Shared&>, GuardStage<Bulkhead, Shared>>);
}

TEST_CASE("stage_of: knows strategies, guards and pipelines apart", "[pipeline]") {
    const auto handler = [](const Refusal&) { return 1; };
    using Inner = decltype(dashpot::pipeline(Retry{}));
    STATIC_REQUIRE(Strategy<Retry>);
    STATIC_REQUIRE(Strategy<dashpot::Fallback<decltype(handler)>>);
    STATIC_REQUIRE_FALSE(Strategy<Bulkhead>);
    STATIC_REQUIRE(NestedPipeline<Inner>);
    STATIC_REQUIRE_FALSE(NestedPipeline<Bulkhead>);
    STATIC_REQUIRE(is_guard_or_pipeline<Bulkhead>);
    STATIC_REQUIRE(is_guard_or_pipeline<const Inner>);
    STATIC_REQUIRE_FALSE(is_guard_or_pipeline<int>);
}

TEST_CASE("stage_of: refuses a shared_ptr that holds nothing", "[pipeline]") {
    CHECK_THROWS_AS(stage_of(std::shared_ptr<Bulkhead>{}), std::invalid_argument);
}

} // namespace tests::pipeline_detail_piece
