// SPDX-License-Identifier: MIT
#include <dashpot/pipeline/call_options.hpp>
#include <dashpot/pipeline/pipeline.hpp>

#include "catch.hpp"
#include "pipeline/script.hpp"

#include <optional>
#include <stop_token>

namespace tests::pipeline_call_options {

using namespace support;
using dashpot::CallOptions;
using dashpot::Deadline;
using dashpot::Error;
using dashpot::Fallback;
using dashpot::Instant;
using dashpot::pipeline;
using dashpot::Retry;
using dashpot::Timeout;

namespace {

struct Rig {
    ManualClock clock;
    std::string journal{};
    Journal guard{'a', journal};
    Script script{clock, {gives(1)}};
    CallOptions expired() const { return {.deadline = Deadline{clock.now()}}; }
};

CallOptions stopped() {
    std::stop_source source;
    source.request_stop();
    return {.stop = source.get_token()};
}

} // namespace

TEST_CASE("CallOptions: by default nothing limits or stops the call", "[pipeline]") {
    const CallOptions none;
    CHECK(none.deadline.is_never());
    CHECK_FALSE(none.timeout);
    CHECK_FALSE(none.stop.stop_possible());
}

TEST_CASE("CallOptions: a timeout is a deadline from now on the pipeline's clock", "[pipeline]") {
    Rig rig;
    rig.clock.advance(1h);
    const auto protect = pipeline(rig.guard).with(rig.clock);
    CHECK(protect.call(CallOptions{.timeout = 7ms}, rig.script));
    CHECK(protect.call(CallOptions{.deadline = Deadline{rig.clock.now() + 5ms}, .timeout = 7ms},
                       rig.script));
    CHECK(protect.call(CallOptions{.deadline = Deadline{rig.clock.now() + 9ms}, .timeout = 7ms},
                       rig.script));
    CHECK(rig.script.remaining == Times{7ms, 5ms, 7ms});
}

TEST_CASE("CallOptions: the longest timeout is no deadline", "[pipeline]") {
    Rig rig;
    rig.clock.advance(1h);
    CHECK(
        pipeline().with(rig.clock).call(CallOptions{.timeout = std::chrono::hours::max()}, rig.script));
    CHECK(rig.script.remaining == Times{(std::chrono::nanoseconds::max)()});
}

TEST_CASE("CallOptions: the function receives the deadline and the stop token", "[pipeline]") {
    Rig rig;
    std::stop_source source;
    const Deadline deadline{rig.clock.now() + 5ms};
    std::optional<dashpot::Attempt> seen;
    CHECK(pipeline(rig.guard).with(rig.clock).call({.deadline = deadline, .stop = source.get_token()},
                                                   [&](const dashpot::Attempt& attempt) {
                                                       seen = attempt;
                                                       return 1;
                                                   }));
    REQUIRE(seen);
    CHECK(seen->deadline == deadline);
    CHECK_FALSE(seen->stop.stop_requested());
    source.request_stop();
    CHECK(seen->stop.stop_requested());
}

TEST_CASE("CallOptions: a call whose deadline has passed asks no guard and calls nothing",
          "[pipeline]") {
    Rig rig;
    rig.clock.advance(1s);
    const auto protect = pipeline(rig.guard).with(rig.clock);
    CHECK(ending_of([&] { return protect.call(rig.expired(), rig.script); }) == "deadline_exceeded");
    CHECK(ending_of([&] { return protect.call({.timeout = 0s}, rig.script); }) == "deadline_exceeded");
    CHECK(ending_of([&] { return protect.call({.timeout = -1s}, rig.script); }) == "deadline_exceeded");
    CHECK(rig.journal.empty());
    CHECK(rig.script.calls() == 0);
    CHECK(ending_of([&] { return protect.call({.timeout = 1ns}, rig.script); }) == "value 1");
}

TEST_CASE("CallOptions: a deadline that has passed is refused with a Timeout and without",
          "[pipeline]") {
    Rig rig;
    CHECK(ending_of([&] {
              return pipeline(Timeout{1s}, rig.guard).with(rig.clock).call(rig.expired(), rig.script);
          }) == "deadline_exceeded");
    CHECK(ending_of([&] {
              return pipeline(Retry{}, Timeout{1s}).with(rig.clock).call(rig.expired(), rig.script);
          }) == "deadline_exceeded");
    CHECK(ending_of([&] { return pipeline().with(rig.clock).call(rig.expired(), rig.script); }) ==
          "deadline_exceeded");
    CHECK(rig.script.calls() == 0);
}

TEST_CASE("CallOptions: a stopped call is cancelled, and nothing is asked", "[pipeline]") {
    Rig rig;
    const auto protect =
        pipeline(Fallback{[](const auto&) { return 9; }}, Retry{}, rig.guard, Timeout{1s})
            .with(rig.clock);
    CHECK(ending_of([&] { return protect.call(stopped(), rig.script); }) == "cancelled");
    CHECK(rig.journal.empty());
    CHECK(rig.script.calls() == 0);
}

TEST_CASE("CallOptions: stopped and past the deadline at once, a call is cancelled", "[pipeline]") {
    Rig rig;
    CallOptions both = stopped();
    both.deadline = Deadline{rig.clock.now()};
    const auto protect =
        pipeline(Fallback{[](const Refusal&) { return 9; }}, rig.guard).with(rig.clock);
    CHECK(ending_of([&] { return protect.call(both, rig.script); }) == "cancelled");
}

TEST_CASE("CallOptions: fallbacks before the first guard answer a deadline that has passed",
          "[pipeline]") {
    Rig rig;
    std::optional<Error> heard;
    const Fallback cached{[&](const Refusal& refusal) {
        heard = refusal.reason;
        return 9;
    }};
    const auto ending = [&](const auto& protect) {
        heard.reset();
        return ending_of([&] { return protect.with(rig.clock).call(rig.expired(), rig.script); });
    };
    CHECK(ending(pipeline(cached, rig.guard)) == "value 9");
    CHECK(heard == Error::deadline_exceeded);
    CHECK(ending(pipeline(cached)) == "value 9");
    CHECK(ending(pipeline(Retry{}, cached, rig.guard)) == "value 9");
    const auto nested = pipeline(cached, rig.guard);
    CHECK(ending(pipeline(nested)) == "value 9");
    CHECK(ending(pipeline(rig.guard, cached)) == "deadline_exceeded");
    CHECK(ending(pipeline(Timeout{1s}, cached)) == "deadline_exceeded");
    const auto guard_first = pipeline(rig.guard, cached);
    CHECK(ending(pipeline(guard_first, cached)) == "deadline_exceeded");
    CHECK_FALSE(heard);
    CHECK(rig.journal.empty());
    CHECK(rig.script.calls() == 0);
}

TEST_CASE("CallOptions: without exceptions to the rule, both forms of call() end alike", "[pipeline]") {
    Rig rig;
    const auto protect = pipeline(rig.guard).with(rig.clock);
    CHECK(protect.call(CallOptions{}, [] { return 3; }).value() == 3);
    CHECK(protect.call(
                     CallOptions{}, [] { return 3; }, [](int) { return Outcome::failure; })
              .value() == 3);
    CHECK(rig.journal == "asaafa");
}

} // namespace tests::pipeline_call_options
