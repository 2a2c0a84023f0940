// SPDX-License-Identifier: MIT
#include <dashpot/guard/circuit_breaker.hpp>

#include "guard/breaker_support.hpp"

#include <chrono>
#include <concepts>
#include <cstdint>
#include <type_traits>

namespace tests::guard_circuit_breaker {

using namespace std::chrono_literals;
using namespace support;
using dashpot::CircuitBreaker;
using dashpot::Error;
using dashpot::Refusal;
using dashpot::State;

TEST_CASE("CircuitBreaker: starts closed, in its first generation, with nothing counted", "[guard]") {
    const Breaker breaker{{}, {}, ManualClock{}};
    CHECK(breaker.state() == State::closed);
    CHECK(breaker.retry_after() == 0ns);
    const auto seen = breaker.snapshot();
    CHECK(seen.state == State::closed);
    CHECK(seen.generation == 1);
    CHECK(seen.calls == 0);
    CHECK(seen.failures == 0);
    CHECK(seen.refused == 0);
    CHECK(seen.ignored == 0);
}

TEST_CASE("CircuitBreaker: opens when the failure at the threshold is recorded", "[guard]") {
    Breaker breaker{{.threshold = 3}, {}, ManualClock{}};
    fail(breaker, 2);
    CHECK(breaker.state() == State::closed);
    CHECK(breaker.allow());
    Permit third = breaker.try_acquire();
    REQUIRE(third);
    CHECK(breaker.state() == State::closed); // not when the call begins
    CHECK(third.failure());
    CHECK(breaker.state() == State::open);
    CHECK_FALSE(breaker.allow());
}

TEST_CASE("CircuitBreaker: opens at five failures in a row after ten seconds' wait by default",
          "[guard]") {
    Breaker breaker{{}, {}, ManualClock{}};
    fail(breaker, 4);
    CHECK(breaker.state() == State::closed);
    fail(breaker);
    CHECK(breaker.state() == State::open);
    CHECK(breaker.retry_after() == 10s);
}

TEST_CASE("CircuitBreaker: a threshold of one opens at the first failure", "[guard]") {
    Breaker breaker{{.threshold = 1}, {}, ManualClock{}};
    succeed(breaker, 100);
    fail(breaker);
    CHECK(breaker.state() == State::open);
}

TEST_CASE("CircuitBreaker: a success ends the run of failures", "[guard]") {
    Breaker breaker{{.threshold = 3}, {}, ManualClock{}};
    for (int i = 0; i != 10; ++i) {
        fail(breaker, 2);
        succeed(breaker);
    }
    CHECK(breaker.state() == State::closed);
    fail(breaker, 3);
    CHECK(breaker.state() == State::open);
}

TEST_CASE("CircuitBreaker: an ignored call neither ends nor extends the run", "[guard]") {
    Breaker breaker{{.threshold = 3}, {}, ManualClock{}};
    fail(breaker, 2);
    for (int i = 0; i != 5; ++i) CHECK(breaker.try_acquire().ignore());
    CHECK(breaker.state() == State::closed);
    CHECK(breaker.snapshot().failures == 2);
    fail(breaker);
    CHECK(breaker.state() == State::open);
}

TEST_CASE("CircuitBreaker: stays open one tick before the deadline and probes at it", "[guard]") {
    ManualClock clock;
    Breaker breaker{{.threshold = 1}, {.reset_timeout = 10s}, clock};
    fail(breaker);
    CHECK_FALSE(breaker.allow());
    clock.advance(10s - 1ns);
    CHECK_FALSE(breaker.allow());
    CHECK(breaker.state() == State::open);
    clock.advance(1ns);
    CHECK(breaker.allow());
    CHECK(breaker.state() == State::half_open);
}

TEST_CASE("CircuitBreaker: waits from the recording of the deciding failure, not from its beginning",
          "[guard]") {
    ManualClock clock;
    Breaker breaker{{.threshold = 2}, {.reset_timeout = 10s}, clock};
    Permit slow = breaker.try_acquire();
    fail(breaker);
    clock.advance(7s);
    CHECK(slow.failure());
    CHECK(breaker.retry_after() == 10s);
    clock.advance(10s - 1ns);
    CHECK_FALSE(breaker.allow());
    clock.advance(1ns);
    CHECK(breaker.allow());
}

TEST_CASE("CircuitBreaker: shows open until a caller moves it, however long ago the wait ended",
          "[guard]") {
    ManualClock clock;
    Breaker breaker{{.threshold = 1}, {.reset_timeout = 10s}, clock};
    fail(breaker);
    const auto generation = breaker.snapshot().generation;
    clock.advance(1000h);
    for (int i = 0; i != 3; ++i) {
        CHECK(breaker.state() == State::open);
        CHECK(breaker.snapshot().state == State::open);
        CHECK(breaker.retry_after() == 0ns);
    }
    CHECK(breaker.snapshot().generation == generation);
    CHECK(breaker.allow());
}

TEST_CASE("CircuitBreaker: the caller that moves it to half open is the first probe", "[guard]") {
    ManualClock clock;
    Breaker breaker{{.threshold = 1}, {.reset_timeout = 10s}, clock};
    fail(breaker);
    clock.advance(10s);
    Permit probe = breaker.try_acquire();
    CHECK(probe);
    CHECK(breaker.snapshot().probes_in_flight == 1);
    CHECK_FALSE(breaker.allow());
    CHECK(breaker.try_acquire().refusal() == Refusal{Error::probes_in_flight});
}

TEST_CASE("CircuitBreaker: a late result changes nothing while open", "[guard]") {
    ManualClock clock;
    Breaker breaker{{.threshold = 3}, {.reset_timeout = 10s}, clock};
    Permit late_success = breaker.try_acquire();
    Permit late_failure = breaker.try_acquire();
    fail(breaker, 3);
    const auto before = breaker.snapshot();
    clock.advance(4s);
    CHECK_FALSE(late_success.success());
    CHECK_FALSE(late_failure.failure());
    const auto after = breaker.snapshot();
    CHECK(after.state == State::open);
    CHECK(after.generation == before.generation);
    CHECK(after.calls == 3);
    CHECK(after.failures == 3);
    CHECK(after.opened_at == before.opened_at);
    CHECK(after.retry_after == 6s);
}

TEST_CASE("CircuitBreaker: the wait starts again when a probe fails", "[guard]") {
    ManualClock clock;
    Breaker breaker{{.threshold = 1}, {.reset_timeout = 10s}, clock};
    fail(breaker);
    clock.advance(25s);
    Permit probe = breaker.try_acquire();
    clock.advance(3s);
    CHECK(probe.failure());
    CHECK(breaker.state() == State::open);
    CHECK(breaker.retry_after() == 10s);
    clock.advance(10s - 1ns);
    CHECK_FALSE(breaker.allow());
    clock.advance(1ns);
    CHECK(breaker.allow());
}

TEST_CASE("CircuitBreaker: closes when the probe succeeds and counts from nothing", "[guard]") {
    ManualClock clock;
    Breaker breaker{{.threshold = 3}, {.reset_timeout = 10s}, clock};
    fail(breaker, 3);
    clock.advance(10s);
    succeed(breaker);
    CHECK(breaker.state() == State::closed);
    fail(breaker, 2);
    CHECK(breaker.state() == State::closed);
    fail(breaker);
    CHECK(breaker.state() == State::open);
}

TEST_CASE("CircuitBreaker: says how long the circuit stays open", "[guard]") {
    ManualClock clock;
    Breaker breaker{{.threshold = 1}, {.reset_timeout = 100s}, clock};
    CHECK(breaker.retry_after() == 0ns);
    fail(breaker);
    CHECK(breaker.retry_after() == 100s);
    clock.advance(30s);
    CHECK(breaker.retry_after() == 70s);
    CHECK(breaker.try_acquire().refusal() == Refusal{Error::circuit_open, 70s});
    clock.advance(70s - 1ns);
    CHECK(breaker.retry_after() == 1ns);
    clock.advance(1ns);
    CHECK(breaker.retry_after() == 0ns);
    clock.advance(100s);
    CHECK(breaker.retry_after() == 0ns);
    CHECK(breaker.allow());
    CHECK(breaker.retry_after() == 0ns); // half open: nobody can know
}

TEST_CASE("CircuitBreaker: a refused call is no failure of the target", "[guard]") {
    ManualClock clock;
    Breaker breaker{{.threshold = 3}, {.reset_timeout = 10s}, clock};
    fail(breaker, 3);
    for (int i = 0; i != 100; ++i) CHECK_FALSE(breaker.try_acquire());
    CHECK(breaker.snapshot().failures == 3);
    CHECK(breaker.snapshot().refused == 100);
    CHECK(breaker.retry_after() == 10s);
    clock.advance(10s);
    Permit probe = breaker.try_acquire();
    for (int i = 0; i != 100; ++i) CHECK_FALSE(breaker.try_acquire());
    CHECK(breaker.state() == State::half_open);
    CHECK(probe.success());
    CHECK(breaker.state() == State::closed);
    CHECK(breaker.snapshot().refused == 200);
}

TEST_CASE("CircuitBreaker: behaves the same whatever the unit of its durations", "[guard]") {
    for (const dashpot::BreakerOptions& options :
         {dashpot::BreakerOptions{.reset_timeout = 2s},
          dashpot::BreakerOptions{.reset_timeout = 2000ms},
          dashpot::BreakerOptions{.reset_timeout = 2'000'000us},
          dashpot::BreakerOptions{.reset_timeout = 2'000'000'000ns}}) {
        ManualClock clock;
        Breaker breaker{{.threshold = 1}, options, clock};
        fail(breaker);
        CHECK(breaker.retry_after() == 2s);
        clock.advance(2s - 1ns);
        CHECK_FALSE(breaker.allow());
        clock.advance(1ns);
        CHECK(breaker.allow());
    }
}

TEST_CASE("CircuitBreaker: breakers share nothing but the clock they were given", "[guard]") {
    ManualClock clock;
    Breaker one{{.threshold = 1}, {.reset_timeout = 10s}, clock};
    Breaker other{{.threshold = 1}, {.reset_timeout = 10s}, clock};
    fail(one);
    CHECK(one.state() == State::open);
    CHECK(other.state() == State::closed);
    CHECK(other.snapshot().calls == 0);
}

TEST_CASE("CircuitBreaker: is neither copied nor moved, and asking it is noexcept", "[guard]") {
    STATIC_REQUIRE_FALSE(std::is_copy_constructible_v<Breaker>);
    STATIC_REQUIRE_FALSE(std::is_move_constructible_v<Breaker>);
    STATIC_REQUIRE_FALSE(std::is_copy_assignable_v<Breaker>);
    STATIC_REQUIRE_FALSE(std::is_convertible_v<dashpot::ConsecutiveFailures, Breaker>);
    STATIC_REQUIRE(requires(Breaker& breaker, const Breaker& read, std::chrono::hours elapsed) {
        { breaker.allow() } noexcept -> std::same_as<bool>;
        { breaker.record_success() } noexcept -> std::same_as<void>;
        { breaker.record_failure() } noexcept -> std::same_as<void>;
        { breaker.record_ignored() } noexcept -> std::same_as<void>;
        { breaker.record_success(elapsed) } noexcept;
        { breaker.record_failure(elapsed) } noexcept;
        { breaker.try_acquire() } noexcept -> std::same_as<Breaker::Permit>;
        { read.state() } noexcept -> std::same_as<State>;
        { read.retry_after() } noexcept -> std::same_as<std::chrono::nanoseconds>;
        { read.snapshot() } -> std::same_as<dashpot::Snapshot>;
    });
}

TEST_CASE("CircuitBreaker: runs on the standard steady clock by default", "[guard]") {
    CircuitBreaker<> breaker{{.threshold = 1}, {.reset_timeout = 1h}};
    CHECK(breaker.allow());
    breaker.record_failure();
    CHECK_FALSE(breaker.allow());
    CHECK(breaker.retry_after() > 59min);
    CHECK(breaker.retry_after() <= 1h);
    CircuitBreaker<dashpot::CoarseSteadyClock> coarse{{.threshold = 1}, {.reset_timeout = 1h}};
    coarse.record_failure();
    CHECK_FALSE(coarse.allow());
}

} // namespace tests::guard_circuit_breaker
