// SPDX-License-Identifier: MIT
#include <dashpot/pipeline/detail/timeout_stage.hpp>

#include "catch.hpp"

#include <chrono>

namespace tests::pipeline_detail_timeout_stage {

using namespace std::chrono_literals;
using dashpot::Deadline;
using dashpot::Instant;
using dashpot::detail::deadline_after;

TEST_CASE("deadline_after: is exact, and never where the time line ends", "[pipeline]") {
    CHECK(deadline_after(Instant{1s}, 2s) == Deadline{Instant{3s}});
    CHECK(deadline_after(Instant{1s}, -2s) == Deadline{Instant{-1s}});
    CHECK(deadline_after((Instant::max)() - 1ns, 1ns).is_never());
    CHECK(deadline_after((Instant::max)() - 2ns, 1ns) == Deadline{(Instant::max)() - 1ns});
    CHECK(deadline_after(Instant{1ns}, (std::chrono::nanoseconds::max)()).is_never());
    CHECK(deadline_after(Instant{-1ns}, (std::chrono::nanoseconds::max)()) ==
          Deadline{(Instant::max)() - 1ns});
}

TEST_CASE("TimeoutStage: refuses a limit out of range", "[pipeline]") {
    CHECK_THROWS_AS(dashpot::detail::TimeoutStage{dashpot::Timeout{0s}}, std::invalid_argument);
}

} // namespace tests::pipeline_detail_timeout_stage
