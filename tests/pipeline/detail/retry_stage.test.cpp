// SPDX-License-Identifier: MIT
#include <dashpot/pipeline/detail/call_scope.hpp>
#include <dashpot/pipeline/detail/retry_stage.hpp>
#include <dashpot/testing/manual_clock.hpp>

#include "catch.hpp"

#include <chrono>
#include <memory>
#include <stdexcept>
#include <stop_token>

namespace tests::pipeline_detail_retry_stage {

using namespace std::chrono_literals;
using dashpot::Outcome;
using dashpot::Result;
using dashpot::detail::CallScope;
using dashpot::detail::Ending;
using dashpot::detail::JudgedAttempt;
using dashpot::detail::RetryStage;
using dashpot::testing::ManualClock;
using Scope = CallScope<ManualClock>;

TEST_CASE("RetryStage: runs what is inside until it ends, and destroys the value before",
          "[pipeline]") {
    const ManualClock clock;
    const std::stop_token stop;
    Ending ending;
    const RetryStage stage{{.max_attempts = 3, .wait = 1s}};
    std::weak_ptr<int> before;
    const auto result = stage.run<std::shared_ptr<int>>(
        Scope{&clock, &ending, &stop}, [&](const Scope& scope) -> Result<std::shared_ptr<int>> {
            CHECK(before.expired());
            auto value = std::make_shared<int>(static_cast<int>(scope.attempt));
            before = value;
            JudgedAttempt{ending}.record(scope.attempt == 3 ? Outcome::success : Outcome::failure);
            return value;
        });
    CHECK(**result == 3);
    CHECK(clock.now() == dashpot::Instant{2s});
}

TEST_CASE("RetryStage: refuses options out of range", "[pipeline]") {
    CHECK_THROWS_AS(RetryStage{{.max_attempts = 0}}, std::invalid_argument);
}

} // namespace tests::pipeline_detail_retry_stage
