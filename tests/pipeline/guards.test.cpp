// SPDX-License-Identifier: MIT
// Guards that limit, as pieces of a pipeline.
#include "catch.hpp"
#include "pipeline/script.hpp"

namespace tests::pipeline_guards {

using namespace support;
using dashpot::AdaptiveLimiter;
using dashpot::Error;
using dashpot::pipeline;
using dashpot::RateLimiter;
using dashpot::Result;
using dashpot::Retry;
using dashpot::Timeout;

TEST_CASE("Pipeline: a rate limiter refuses and does not wait, whatever time is left", "[pipeline]") {
    const ManualClock clock;
    RateLimiter<ManualClock> limiter{{.permits = 1, .per = 1s}, clock};
    const auto protect = pipeline(Timeout{10s}, limiter).with(clock);
    CHECK(protect.call([] { return 1; }) == Result<int>{1});
    CHECK(protect.call([] { return 1; }).error() == Refusal{Error::rate_limited, 1s});
    CHECK(clock.now() == dashpot::Instant{});
    Script script{clock, {gives(1)}};
    CHECK(ending_of([&] {
              return pipeline(Retry{.wait = 1ms, .retry_refusals = true}, limiter)
                  .with(clock)
                  .call(script);
          }) == "value 1");
    CHECK(script.starts == Times{1s}); // after the refusal's own retry_after
}

TEST_CASE("Pipeline: an adaptive limiter records each attempt, and a refusal further in is none",
          "[pipeline]") {
    const ManualClock clock;
    AdaptiveLimiter<ManualClock> limiter{{.initial = 20}, clock};
    dashpot::Bulkhead full{0};
    CHECK(pipeline(limiter).with(clock).call([&] { return limiter.in_flight(); }) ==
          Result<std::uint32_t>{1U});
    CHECK(limiter.in_flight() == 0);
    CHECK(pipeline(limiter, full).with(clock).call([] { return 1; }).error() == Error::bulkhead_full);
    CHECK(limiter.in_flight() == 0);
}

} // namespace tests::pipeline_guards
