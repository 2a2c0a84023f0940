// SPDX-License-Identifier: MIT
#include <dashpot/guard/circuit_breaker.hpp>

#include "guard/breaker_support.hpp"

#include <chrono>
#include <cstdint>

namespace tests::guard_circuit_breaker_two_step {

using namespace std::chrono_literals;
using namespace support;
using dashpot::State;

namespace {

struct Rig {
    explicit Rig(std::uint32_t threshold, dashpot::HalfOpen half_open = {})
        : breaker{{.threshold = threshold}, {.reset_timeout = 10s, .half_open = half_open}, clock} {}

    void wait_out() {
        breaker.trip();
        clock.advance(10s);
    }

    ManualClock clock;
    Breaker breaker;
};

} // namespace

TEST_CASE("allow: the whole life of a breaker in two steps", "[guard]") {
    Rig rig{3};
    for (int i = 0; i != 3; ++i) {
        CHECK(rig.breaker.state() == State::closed);
        REQUIRE(rig.breaker.allow());
        rig.breaker.record_failure();
    }
    CHECK(rig.breaker.state() == State::open);
    CHECK_FALSE(rig.breaker.allow());
    rig.clock.advance(10s - 1ns);
    CHECK_FALSE(rig.breaker.allow());
    rig.clock.advance(1ns);
    REQUIRE(rig.breaker.allow());
    CHECK(rig.breaker.state() == State::half_open);
    CHECK_FALSE(rig.breaker.allow());
    rig.breaker.record_failure();
    CHECK(rig.breaker.state() == State::open);
    rig.clock.advance(10s);
    REQUIRE(rig.breaker.allow());
    rig.breaker.record_success();
    CHECK(rig.breaker.state() == State::closed);
}

TEST_CASE("record_success: ends a run of failures", "[guard]") {
    Rig rig{3};
    for (int i = 0; i != 10; ++i) {
        rig.breaker.record_failure();
        rig.breaker.record_failure();
        rig.breaker.record_success();
    }
    CHECK(rig.breaker.state() == State::closed);
}

TEST_CASE("record_ignored: neither ends nor extends a run", "[guard]") {
    Rig rig{3};
    rig.breaker.record_failure();
    rig.breaker.record_failure();
    rig.breaker.record_ignored();
    CHECK(rig.breaker.state() == State::closed);
    CHECK(rig.breaker.snapshot().failures == 2);
    CHECK(rig.breaker.snapshot().ignored == 1);
    rig.breaker.record_failure();
    CHECK(rig.breaker.state() == State::open);
}

TEST_CASE("record: an outcome in OPEN is dropped", "[guard]") {
    Rig rig{1};
    rig.breaker.record_failure();
    const auto before = rig.breaker.snapshot();
    rig.clock.advance(4s);
    rig.breaker.record_success();
    rig.breaker.record_failure();
    rig.breaker.record_ignored();
    const auto after = rig.breaker.snapshot();
    CHECK(after.state == State::open);
    CHECK(after.generation == before.generation);
    CHECK(after.failures == 1);
    CHECK(after.ignored == 0);
    CHECK(after.retry_after == 6s);
}

TEST_CASE("record: an outcome while disabled or forced open is dropped", "[guard]") {
    for (const State state : {State::disabled, State::forced_open}) {
        Rig rig{1};
        bring(rig.breaker, rig.clock, state);
        rig.breaker.record_failure();
        rig.breaker.record_success();
        rig.breaker.record_ignored();
        CHECK(rig.breaker.state() == state);
        CHECK(rig.breaker.snapshot().failures == 0);
        CHECK(rig.breaker.snapshot().ignored == 0);
        rig.breaker.reset();
        CHECK(rig.breaker.state() == State::closed);
    }
}

TEST_CASE("record: answers in HALF_OPEN at most the probes that allow() handed out", "[guard]") {
    Rig rig{1, {.probes = 3, .successes_to_close = 3}};
    rig.wait_out();
    REQUIRE(rig.breaker.allow());
    for (int i = 0; i != 10; ++i) rig.breaker.record_success();
    CHECK(rig.breaker.state() == State::half_open);
    CHECK(rig.breaker.snapshot().calls == 1);
    REQUIRE(rig.breaker.allow());
    REQUIRE(rig.breaker.allow());
    CHECK_FALSE(rig.breaker.allow());
    rig.breaker.record_success();
    CHECK(rig.breaker.state() == State::half_open);
    rig.breaker.record_success();
    CHECK(rig.breaker.state() == State::closed);
}

TEST_CASE("record: does not answer a probe that is held as a permit", "[guard]") {
    Rig rig{1};
    rig.wait_out();
    Permit probe = rig.breaker.try_acquire();
    REQUIRE(probe);
    rig.breaker.record_success();
    rig.breaker.record_failure();
    rig.breaker.record_ignored();
    CHECK(rig.breaker.state() == State::half_open);
    CHECK_FALSE(rig.breaker.allow());
    CHECK(rig.breaker.snapshot().calls == 0);
    CHECK(rig.breaker.snapshot().ignored == 0);
    CHECK(probe.success());
    CHECK(rig.breaker.state() == State::closed);
}

TEST_CASE("record: answers for its own probe where a permit holds another", "[guard]") {
    Rig rig{1, {.probes = 2, .successes_to_close = 2}};
    rig.wait_out();
    Permit probe = rig.breaker.try_acquire();
    REQUIRE(rig.breaker.allow());
    rig.breaker.record_success();
    rig.breaker.record_success(); // one too many
    CHECK(rig.breaker.state() == State::half_open);
    CHECK(probe.success());
    CHECK(rig.breaker.state() == State::closed);
}

TEST_CASE("record_ignored: gives a probe of allow() back, once", "[guard]") {
    Rig rig{1, {.probes = 2, .successes_to_close = 2}};
    rig.wait_out();
    REQUIRE(rig.breaker.allow());
    Permit held = rig.breaker.try_acquire();
    REQUIRE(held);
    CHECK_FALSE(rig.breaker.allow());
    rig.breaker.record_ignored();
    CHECK(rig.breaker.snapshot().probes_in_flight == 1);
    CHECK(rig.breaker.snapshot().ignored == 1);
    rig.breaker.record_ignored(); // there is none left to give back
    CHECK(rig.breaker.snapshot().probes_in_flight == 1);
    CHECK(rig.breaker.snapshot().ignored == 1);
    REQUIRE(rig.breaker.allow());
    CHECK_FALSE(rig.breaker.allow());
}

TEST_CASE("record: an answered probe cannot be given back, nor the other way round", "[guard]") {
    Rig rig{1, {.probes = 2, .successes_to_close = 2}};
    rig.wait_out();
    REQUIRE(rig.breaker.allow());
    rig.breaker.record_success();
    rig.breaker.record_ignored();
    CHECK(rig.breaker.snapshot().calls == 1);
    REQUIRE(rig.breaker.allow());
    CHECK_FALSE(rig.breaker.allow());
    rig.breaker.record_ignored();
    rig.breaker.record_failure();
    CHECK(rig.breaker.state() == State::half_open);
}

TEST_CASE("record: a call from before it opened answers a probe of allow(), for it has no generation",
          "[guard]") {
    Rig rig{1};
    REQUIRE(rig.breaker.allow()); // whose answer comes late
    rig.wait_out();
    REQUIRE(rig.breaker.allow());
    rig.breaker.record_failure();
    CHECK(rig.breaker.state() == State::open);
}

TEST_CASE("record: nothing is left to answer once the period of the probe is over", "[guard]") {
    Rig rig{1, {.probes = 2, .successes_to_close = 2}};
    rig.wait_out();
    REQUIRE(rig.breaker.allow());
    REQUIRE(rig.breaker.allow());
    rig.clock.advance(10s);
    Permit fresh = rig.breaker.try_acquire(); // the two are given up
    REQUIRE(fresh);
    rig.breaker.record_failure();
    rig.breaker.record_success();
    CHECK(rig.breaker.state() == State::half_open);
    CHECK(rig.breaker.snapshot().calls == 0);
    CHECK(rig.breaker.snapshot().probes_in_flight == 1);
}

TEST_CASE("allow: an unanswered probe costs its timeout, not the breaker", "[guard]") {
    Rig rig{1};
    rig.wait_out();
    REQUIRE(rig.breaker.allow());
    rig.clock.advance(10s - 1ns);
    CHECK_FALSE(rig.breaker.allow());
    rig.clock.advance(1ns);
    REQUIRE(rig.breaker.allow());
    rig.breaker.record_success();
    CHECK(rig.breaker.state() == State::closed);
}

TEST_CASE("record: elapsed does not matter where slow calls are not judged", "[guard]") {
    Rig rig{2};
    rig.breaker.record_success((std::chrono::hours::max)());
    CHECK(rig.breaker.snapshot().slow == 0);
    rig.breaker.record_failure(-1s);
    rig.breaker.record_success(1h);
    rig.breaker.record_failure(0s);
    CHECK(rig.breaker.state() == State::closed);
}

} // namespace tests::guard_circuit_breaker_two_step
