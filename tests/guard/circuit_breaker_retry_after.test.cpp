// SPDX-License-Identifier: MIT
// A wait that the target asked for.
#include <dashpot/guard/circuit_breaker.hpp>
#include <dashpot/guard/target.hpp>

#include "guard/breaker_support.hpp"

#include <chrono>

namespace tests::guard_circuit_breaker_retry_after {

using namespace std::chrono_literals;
using namespace support;
using dashpot::BreakerOptions;
using dashpot::CircuitBreaker;
using dashpot::ConsecutiveFailures;
using dashpot::Outcome;
using dashpot::State;
using dashpot::Verdict;

namespace {

constexpr Verdict busy(std::chrono::nanoseconds wait) { return {Outcome::failure, wait}; }

struct Rig {
    explicit Rig(BreakerOptions options = {.reset_timeout = 10s, .honor_retry_after = true})
        : breaker{{.threshold = 1}, options, clock} {}

    std::chrono::nanoseconds wait_after(const Verdict& verdict) {
        CHECK(breaker.try_acquire().record(verdict));
        REQUIRE(breaker.state() == State::open);
        return breaker.retry_after();
    }

    ManualClock clock;
    CircuitBreaker<ManualClock, ConsecutiveFailures> breaker;
};

} // namespace

TEST_CASE("honor_retry_after: the circuit stays open at least as long as the target asked for",
          "[guard]") {
    Rig rig;
    CHECK(rig.wait_after(busy(30s)) == 30s);
    rig.clock.advance(30s - 1ns);
    const auto refused = rig.breaker.try_acquire();
    REQUIRE_FALSE(refused);
    CHECK(refused.refusal().retry_after == 1ns);
    rig.clock.advance(1ns);
    CHECK(rig.breaker.allow());
}

TEST_CASE("honor_retry_after: never shortens the reset timeout", "[guard]") {
    for (const std::chrono::nanoseconds wait : {0ns, 1ns, std::chrono::nanoseconds{10s - 1ns}}) {
        CHECK(Rig{}.wait_after(busy(wait)) == 10s);
    }
    CHECK(Rig{}.wait_after(busy(-5s)) == 10s);
    CHECK(Rig{}.wait_after({Outcome::failure}) == 10s);
}

TEST_CASE("honor_retry_after: no target asks for more than 10 min", "[guard]") {
    CHECK(Rig{}.wait_after(busy(10min)) == 10min);
    CHECK(Rig{}.wait_after(busy(10min + 1ns)) == 10min);
    CHECK(Rig{}.wait_after(busy((std::chrono::nanoseconds::max)())) == 10min);
    Rig patient{{.reset_timeout = 1h, .honor_retry_after = true}};
    CHECK(patient.wait_after(busy(2h)) == 1h);
}

TEST_CASE("honor_retry_after: is off by default", "[guard]") {
    CHECK_FALSE(BreakerOptions{}.honor_retry_after);
    Rig rig{{.reset_timeout = 10s}};
    CHECK(rig.wait_after(busy(30s)) == 10s);
}

TEST_CASE("honor_retry_after: only the outcome that opens the circuit matters", "[guard]") {
    ManualClock clock;
    CircuitBreaker<ManualClock, ConsecutiveFailures> breaker{
        {.threshold = 2}, {.reset_timeout = 10s, .honor_retry_after = true}, clock};
    CHECK(breaker.try_acquire().record(busy(30s)));
    CHECK(breaker.state() == State::closed);
    auto late = breaker.try_acquire();
    CHECK(breaker.try_acquire().record(busy(20s)));
    CHECK(breaker.retry_after() == 20s);
    CHECK_FALSE(late.record(busy(60s)));
    CHECK(breaker.retry_after() == 20s);
    breaker.reset();
    breaker.trip();
    CHECK(breaker.retry_after() == 10s); // the next opening has its own wait
}

TEST_CASE("honor_retry_after: holds for a probe that reopens the circuit", "[guard]") {
    Rig rig;
    CHECK(rig.wait_after(busy(30s)) == 30s);
    rig.clock.advance(30s);
    CHECK(rig.wait_after(busy(40s)) == 40s);
    rig.clock.advance(40s);
    CHECK(rig.wait_after({Outcome::failure}) == 10s);
}

TEST_CASE("honor_retry_after: the default probe timeout does not include it", "[guard]") {
    Rig rig;
    CHECK(rig.wait_after(busy(30s)) == 30s);
    rig.clock.advance(30s);
    const auto probe = rig.breaker.try_acquire();
    REQUIRE(probe);
    rig.clock.advance(10s - 1ns);
    CHECK_FALSE(rig.breaker.allow());
    rig.clock.advance(1ns);
    CHECK(rig.breaker.allow());
}

TEST_CASE("honor_retry_after: holds whatever the jitter draws", "[guard]") {
    Rig rig{{.reset_timeout = dashpot::ExponentialBackoff{.initial = 10s, .cap = 10s, .jitter = 1.0},
             .honor_retry_after = true}};
    CHECK(rig.wait_after(busy(30s)) == 30s);
}

TEST_CASE("honor_retry_after: a classifier's Verdict reaches the breaker of a call", "[guard]") {
    Rig rig;
    const auto judge = [](const int& code) -> Verdict {
        return code == 503 ? busy(30s) : Verdict{Outcome::success};
    };
    CHECK(rig.breaker.call([] { return 503; }, judge).value() == 503);
    CHECK(rig.breaker.retry_after() == 30s);

    dashpot::Target<ManualClock, ConsecutiveFailures> target{
        "T",
        {.policy = {.threshold = 1}, .breaker = {.reset_timeout = 10s, .honor_retry_after = true}},
        rig.clock};
    CHECK(target.try_enter().record(busy(40s)));
    CHECK(target.breaker().retry_after() == 40s);
}

} // namespace tests::guard_circuit_breaker_retry_after
