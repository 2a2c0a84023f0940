// SPDX-License-Identifier: MIT
#include <dashpot/pipeline/pipeline.hpp>
#include <dashpot/pipeline/retry_stats.hpp>

#include "catch.hpp"
#include "pipeline/script.hpp"

#include <array>
#include <sstream>
#include <stop_token>

namespace tests::pipeline_retry_stats {

using namespace support;
using dashpot::Error;
using dashpot::GaveUp;
using dashpot::pipeline;
using dashpot::Retry;
using dashpot::RetryBudget;
using dashpot::RetryStats;
using dashpot::Verdict;

namespace {

/// attempts, retries, then how often it gave up: attempts, deadline, budget, stop, retry_after.
using Numbers = std::array<std::uint64_t, 7>;

Numbers numbers_of(const RetryStats& stats) {
    return {stats.attempts(),
            stats.retries(),
            stats.gave_up(GaveUp::attempts),
            stats.gave_up(GaveUp::deadline),
            stats.gave_up(GaveUp::budget),
            stats.gave_up(GaveUp::stop),
            stats.gave_up(GaveUp::retry_after)};
}

struct Rig {
    ManualClock clock;
    RetryStats stats;

    Numbers after(Retry retry, std::vector<Step> steps, const dashpot::CallOptions& options = {}) {
        retry.stats = &stats;
        Script script{clock, std::move(steps)};
        (void)ending_of([&] { return pipeline(retry).with(clock).call(options, script); });
        return numbers_of(stats);
    }
};

} // namespace

TEST_CASE("RetryStats: counts attempts, retries and why calls were given up", "[pipeline]") {
    Rig rig;
    CHECK(rig.after({}, {gives(1)}) == Numbers{1});
    CHECK(rig.after({.wait = 1s}, {fails(), gives(1)}) == Numbers{3, 1});
    CHECK(rig.after({.wait = 1s}, {fails()}) == Numbers{6, 3, 1});
    CHECK(rig.after({.wait = 1s}, {fails()}, {.timeout = 1s}) == Numbers{7, 3, 1, 1});
    RetryBudget budget{{.capacity = 1}};
    CHECK(rig.after({.wait = 1s, .budget = &budget}, {fails()}) == Numbers{9, 4, 1, 1, 1});
    std::stop_source source;
    (void)ending_of([&] {
        return pipeline(Retry{.stats = &rig.stats})
            .with(rig.clock)
            .call({.stop = source.get_token()}, [&]() -> int {
                source.request_stop();
                throw Trouble{};
            });
    });
    CHECK(numbers_of(rig.stats) == Numbers{10, 4, 1, 1, 1, 1});
    CHECK(pipeline(Retry{.stats = &rig.stats})
              .call([] { return 1; }, [](int) { return Verdict{Outcome::failure, 2min}; }));
    CHECK(numbers_of(rig.stats) == Numbers{11, 4, 1, 1, 1, 1, 1});
}

TEST_CASE("RetryStats: a call that ends by itself is not given up", "[pipeline]") {
    Rig rig;
    CHECK(rig.after({}, {gives(1)}) == Numbers{1});
    CHECK_THROWS_AS(pipeline(Retry{.stats = &rig.stats})
                        .call([]() -> int { throw Trouble{}; },
                              [](std::exception_ptr) { return Outcome::ignored; }),
                    Trouble);
    CHECK(numbers_of(rig.stats) == Numbers{2});
}

TEST_CASE("RetryStats: the names of the reasons", "[pipeline]") {
    CHECK(to_string(GaveUp::attempts) == "attempts");
    CHECK(to_string(GaveUp::deadline) == "deadline");
    CHECK(to_string(GaveUp::budget) == "budget");
    CHECK(to_string(GaveUp::stop) == "stop");
    CHECK(to_string(GaveUp::retry_after) == "retry_after");
    CHECK(to_string(static_cast<GaveUp>(99)) == "unknown");
    std::ostringstream text;
    text << GaveUp::budget;
    CHECK(text.str() == "budget");
}

} // namespace tests::pipeline_retry_stats
