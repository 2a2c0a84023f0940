// SPDX-License-Identifier: MIT
#include <dashpot/pipeline/detail/guard_stage.hpp>
#include <dashpot/pipeline/pipeline.hpp>

#include "catch.hpp"
#include "pipeline/script.hpp"

#include <optional>
#include <stop_token>

namespace tests::pipeline_detail_guard_stage {

/// A guard that lets calls wait.
struct Queue {
    struct Pass {
        explicit operator bool() const { return true; }
        dashpot::Refusal refusal() const { return {dashpot::Error::queue_full}; }
    };
    Pass try_acquire() { return {}; }
    Pass acquire(dashpot::Deadline until, std::stop_token token) {
        deadline = until;
        stop = token;
        return {};
    }
    std::optional<dashpot::Deadline> deadline{};
    std::stop_token stop{};
};

} // namespace tests::pipeline_detail_guard_stage

namespace dashpot::inline DASHPOT_ABI::detail {
template <>
inline constexpr bool lets_calls_wait<tests::pipeline_detail_guard_stage::Queue> = true;
}

namespace tests::pipeline_detail_guard_stage {

using namespace support;
using dashpot::Bulkhead;
using dashpot::Deadline;
using dashpot::detail::AnswerAtExit;
using dashpot::detail::Ending;
using dashpot::detail::Guard;

TEST_CASE("GuardStage: a guard that lets calls wait receives the deadline and the stop token",
          "[pipeline]") {
    ManualClock clock;
    Queue queue;
    std::stop_source source;
    CHECK(dashpot::pipeline(dashpot::Timeout{2s}, queue)
              .with(clock)
              .call({.stop = source.get_token()}, [] { return 1; }));
    CHECK(queue.deadline == Deadline{clock.now() + 2s});
    CHECK(queue.stop == source.get_token());
    CHECK(dashpot::pipeline(queue).call([] { return 1; }));
    CHECK(queue.deadline == Deadline{});
}

TEST_CASE("AnswerAtExit: records the ending, or releases after a refusal", "[pipeline]") {
    std::string text;
    Journal journal{'a', text};
    Ending ending;
    auto permit = journal.try_acquire();
    { const AnswerAtExit answer{permit, ending}; }
    ending.verdict = {Outcome::success};
    { const AnswerAtExit answer{permit, ending}; }
    ending.refuse({dashpot::Error::throttled});
    { const AnswerAtExit answer{permit, ending}; }
    CHECK(text == "afasara");
}

TEST_CASE("Guard: needs a permit that tests true and a refusal()", "[pipeline]") {
    struct NoRefusal {
        bool try_acquire() { return true; }
    };
    struct NoTest {
        struct Pass {
            Refusal refusal() const { return {dashpot::Error::throttled}; }
        };
        Pass try_enter() { return {}; }
    };
    STATIC_REQUIRE(Guard<Bulkhead>);
    STATIC_REQUIRE(Guard<dashpot::Target<>>);
    STATIC_REQUIRE(Guard<Queue>);
    STATIC_REQUIRE_FALSE(Guard<const Bulkhead>);
    STATIC_REQUIRE_FALSE(Guard<NoRefusal>);
    STATIC_REQUIRE_FALSE(Guard<NoTest>);
    STATIC_REQUIRE_FALSE(Guard<int>);
}

} // namespace tests::pipeline_detail_guard_stage
