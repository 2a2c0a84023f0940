// SPDX-License-Identifier: MIT
#include <dashpot/guard/circuit_breaker.hpp>
#include <dashpot/testing/transition_recorder.hpp>

#include "guard/breaker_support.hpp"

#include <chrono>
#include <functional>

namespace tests::guard_circuit_breaker_metrics_only {

using namespace std::chrono_literals;
using namespace support;
using dashpot::State;

namespace {

struct Rig {
    Rig() { breaker.metrics_only(); }

    ManualClock clock;
    Breaker breaker{{.threshold = 3}, {.reset_timeout = 10s}, clock};
};

} // namespace

TEST_CASE("METRICS_ONLY: admits everything, and counts how often it would have opened", "[guard]") {
    Rig rig;
    dashpot::testing::TransitionRecorder heard;
    const auto subscription = rig.breaker.on_transition(std::ref(heard));
    fail(rig.breaker, 2);
    CHECK(rig.breaker.snapshot().would_have_opened == 0);
    fail(rig.breaker);
    CHECK(rig.breaker.snapshot().would_have_opened == 1);
    CHECK(rig.breaker.state() == State::metrics_only);
    CHECK(rig.breaker.allow());
    CHECK(rig.breaker.snapshot().refused == 0);
    CHECK(rig.breaker.retry_after() == 0ns);
    CHECK(heard.entries().empty());
}

TEST_CASE("METRICS_ONLY: judges from the start after each time that it would have opened", "[guard]") {
    Rig rig;
    fail(rig.breaker, 3);
    CHECK(rig.breaker.snapshot().failures == 0);
    fail(rig.breaker, 2);
    CHECK(rig.breaker.snapshot().failures == 2);
    CHECK(rig.breaker.snapshot().would_have_opened == 1);
    fail(rig.breaker);
    CHECK(rig.breaker.snapshot().would_have_opened == 2);
}

TEST_CASE("METRICS_ONLY: a success ends the run, an ignored call does not", "[guard]") {
    Rig rig;
    fail(rig.breaker, 2);
    CHECK(rig.breaker.try_acquire().ignore());
    CHECK(rig.breaker.snapshot().failures == 2);
    CHECK(rig.breaker.snapshot().ignored == 1);
    succeed(rig.breaker);
    CHECK(rig.breaker.snapshot().failures == 0);
    fail(rig.breaker, 2);
    CHECK(rig.breaker.snapshot().would_have_opened == 0);
}

TEST_CASE("METRICS_ONLY: judges the two-step form too", "[guard]") {
    Rig rig;
    for (int i = 0; i != 3; ++i) {
        REQUIRE(rig.breaker.allow());
        rig.breaker.record_failure();
    }
    CHECK(rig.breaker.snapshot().would_have_opened == 1);
    rig.breaker.record_failure();
    rig.breaker.record_success();
    CHECK(rig.breaker.snapshot().failures == 0);
}

TEST_CASE("METRICS_ONLY: what is in flight does not count beyond its end", "[guard]") {
    Rig rig;
    Permit early = rig.breaker.try_acquire();
    fail(rig.breaker, 2);
    rig.breaker.reset();
    CHECK(rig.breaker.snapshot().failures == 0);
    CHECK_FALSE(early.failure());
    Permit late = rig.breaker.try_acquire();
    rig.breaker.metrics_only();
    CHECK_FALSE(late.failure());
    CHECK(rig.breaker.snapshot().failures == 0);
}

TEST_CASE("METRICS_ONLY: call() passes its function's results through", "[guard]") {
    Rig rig;
    for (int i = 0; i != 6; ++i) CHECK_THROWS_AS(rig.breaker.call([] { throw 42; }), int);
    CHECK(rig.breaker.call([] { return 42; }).value() == 42);
    CHECK(rig.breaker.snapshot().would_have_opened == 2);
}

} // namespace tests::guard_circuit_breaker_metrics_only
