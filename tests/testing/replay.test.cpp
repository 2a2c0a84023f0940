// SPDX-License-Identifier: MIT
#include <dashpot/testing/replay.hpp>

#include <dashpot/policy/consecutive_failures.hpp>
#include <dashpot/policy/count_window.hpp>
#include <dashpot/testing/transition_recorder.hpp>

#include "guard/breaker_support.hpp"

#include <chrono>
#include <functional>

namespace tests::testing_replay {

using namespace std::chrono_literals;
using namespace support;
using dashpot::BreakerOptions;
using dashpot::CircuitBreaker;
using dashpot::ConsecutiveFailures;
using dashpot::CountWindow;
using dashpot::ExponentialBackoff;
using dashpot::Instant;
using dashpot::Reason;
using dashpot::State;
using dashpot::testing::replay;

namespace {

constexpr CountWindow half{.size = 10, .minimum_calls = 10, .failure_rate = 0.5};
constexpr BreakerOptions kept{.reset_timeout = 10s, .history = 100};

} // namespace

TEST_CASE("replay: does what happened again, at the same times and for the same reasons", "[testing]") {
    ManualClock clock{Instant{5s}};
    CircuitBreaker<ManualClock, CountWindow> breaker{half, kept, clock};
    for (int i = 0; i != 5; ++i) breaker.record_success();
    for (int i = 0; i != 5; ++i) {
        clock.advance(1s);
        breaker.record_failure();
    }
    clock.advance(10s);
    fail(breaker);
    clock.advance(10s);
    succeed(breaker);

    const auto again = replay(breaker.history(), half, kept);
    CHECK(again.is_exact());
    CHECK(again.refused == 0);
    REQUIRE(again.transitions.size() == 5);
    CHECK(again.transitions[0].at == Instant{10s});
    CHECK(again.transitions[0].reason == Reason::failure_rate);
    CHECK(again.transitions[0].snapshot.failures == 5);
    CHECK(again.transitions[1].at == Instant{20s});
    CHECK(again.transitions[2].reason == Reason::probes_failed);
    CHECK(again.transitions[4].at == Instant{30s});
    CHECK(again.transitions[4].generation == breaker.snapshot().generation);
}

TEST_CASE("replay: says what another threshold would have done", "[testing]") {
    ManualClock clock;
    CircuitBreaker<ManualClock, CountWindow> breaker{half, kept, clock};
    for (int i = 0; i != 7; ++i) breaker.record_success();
    for (int i = 0; i != 3; ++i) {
        clock.advance(1s);
        breaker.record_failure();
    }
    for (int i = 0; i != 5; ++i) {
        clock.advance(1s);
        breaker.record_success();
    }
    REQUIRE(breaker.state() == State::closed);
    CHECK(replay(breaker.history(), half, kept).transitions.empty());

    CountWindow stricter = half;
    stricter.failure_rate = 0.3;
    const auto other = replay(breaker.history(), stricter, kept);
    REQUIRE(other.transitions.size() == 1);
    CHECK(other.transitions[0].to == State::open);
    CHECK(other.transitions[0].at == Instant{3s});
    CHECK(other.refused == 5);
    // With a shorter wait the calls that came later would have been its probes.
    CHECK(replay(breaker.history(), stricter, {.reset_timeout = 2s}).transitions.back().to ==
          State::closed);
}

TEST_CASE("replay: a breaker that would not have opened takes probes for calls", "[testing]") {
    ManualClock clock;
    CircuitBreaker<ManualClock> breaker{{.threshold = 1}, kept, clock};
    fail(breaker);
    clock.advance(10s);
    succeed(breaker);
    const auto other = replay(breaker.history(), ConsecutiveFailures{.threshold = 2}, kept);
    CHECK(other.transitions.empty());
    CHECK(other.refused == 0);
}

TEST_CASE("replay: says if the beginning is lost", "[testing]") {
    CircuitBreaker<ManualClock> breaker{{.threshold = 9}, {.history = 4}};
    fail(breaker, 4);
    CHECK(replay(breaker.history(), ConsecutiveFailures{9}).is_exact());
    fail(breaker);
    CHECK(replay(breaker.history(), ConsecutiveFailures{9}).lost_its_beginning);
    CHECK_FALSE(replay(breaker.history(), ConsecutiveFailures{9}).is_exact());
}

TEST_CASE("replay: says if the policy has changed meanwhile", "[testing]") {
    CircuitBreaker<ManualClock> breaker{{.threshold = 9}, {.history = 4}};
    fail(breaker);
    breaker.reconfigure({.threshold = 2}, {});
    CHECK(replay(breaker.history(), ConsecutiveFailures{9}).was_reconfigured);
}

TEST_CASE("replay: says if waits are drawn that were others, and draws the same from a seed",
          "[testing]") {
    ExponentialBackoff waits{.initial = 10s, .jitter = 0.9};
    CHECK(replay({}, ConsecutiveFailures{}, {.reset_timeout = waits}).has_other_jitter);
    waits.seed = 42;
    ManualClock clock;
    CircuitBreaker<ManualClock> breaker{{1}, {.reset_timeout = waits, .history = 100}, clock};
    fail(breaker);
    for (int i = 0; i != 5; ++i) {
        clock.advance(breaker.retry_after());
        fail(breaker);
    }
    const auto again =
        replay(breaker.history(), ConsecutiveFailures{1}, {.reset_timeout = waits, .history = 100});
    CHECK(again.is_exact());
    CHECK(again.transitions.size() == 11);
}

TEST_CASE("replay: of nothing is nothing", "[testing]") {
    CHECK(replay({}, ConsecutiveFailures{}).transitions.empty());
    CHECK(replay({}, ConsecutiveFailures{}).is_exact());
}

} // namespace tests::testing_replay
