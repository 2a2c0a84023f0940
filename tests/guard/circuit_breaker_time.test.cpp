// SPDX-License-Identifier: MIT
#include <dashpot/guard/circuit_breaker.hpp>

#include "guard/breaker_support.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <limits>
#include <memory>
#include <ratio>

namespace tests::guard_circuit_breaker_time {

using namespace std::chrono_literals;
using namespace support;
using dashpot::Instant;
using dashpot::State;

namespace {

constexpr auto for_ever = (std::chrono::hours::max)();
constexpr auto longest = (std::chrono::nanoseconds::max)();

/// A steady clock that counts whole milliseconds in 32 bits, as some boards have.
class MillisecondClock {
  public:
    using duration = std::chrono::duration<std::int32_t, std::milli>;
    using rep = duration::rep;
    using period = duration::period;
    using time_point = std::chrono::time_point<MillisecondClock>;
    static constexpr bool is_steady = true;

    time_point now() const noexcept { return time_point{duration{*milliseconds_}}; }
    void set(rep milliseconds) { *milliseconds_ = milliseconds; }

  private:
    std::shared_ptr<std::atomic<rep>> milliseconds_ = std::make_shared<std::atomic<rep>>(0);
};

/// How often a clock was read.
class CountingClock {
  public:
    using time_point = Instant;
    static constexpr bool is_steady = true;

    time_point now() const noexcept {
        ++*reads_;
        return clock.now();
    }
    /// Readings since the last question.
    int reads() { return reads_->exchange(0); }

    ManualClock clock;

  private:
    std::shared_ptr<std::atomic<int>> reads_ = std::make_shared<std::atomic<int>>(0);
};

} // namespace

TEST_CASE("CircuitBreaker: waits the same on a clock that starts anywhere", "[guard]") {
    const Instant starts[] = {Instant{0ns},        Instant{-1ns},          Instant{-10s},
                              Instant{-10s + 1ns}, Instant{-1000h},        Instant{10s},
                              (Instant::min)(),    (Instant::min)() + 1ns, Instant{1ns},
                              Instant{5s},         (Instant::max)() - 20s};
    for (const Instant start : starts) {
        CAPTURE(start.time_since_epoch().count());
        ManualClock clock{start};
        Breaker breaker{{.threshold = 1}, {.reset_timeout = 10s}, clock};
        CHECK(breaker.retry_after() == 0ns);
        CHECK(breaker.allow());
        breaker.record_failure();
        CHECK(breaker.snapshot().opened_at == start);
        CHECK(breaker.retry_after() == 10s);
        CHECK_FALSE(breaker.allow());
        clock.advance(10s - 1ns);
        CHECK_FALSE(breaker.allow());
        CHECK(breaker.retry_after() == 1ns);
        clock.advance(1ns);
        Permit probe = breaker.try_acquire();
        CHECK(probe);
        CHECK_FALSE(breaker.allow());
        clock.advance(10s - 1ns);
        CHECK_FALSE(breaker.allow());
        clock.advance(1ns);
        CHECK(breaker.allow()); // the probe's time is over too
        breaker.record_success();
        CHECK(breaker.state() == State::closed);
    }
}

TEST_CASE("CircuitBreaker: at the end of time it stays as it is", "[guard]") {
    ManualClock clock{(Instant::max)()};
    Breaker breaker{{.threshold = 1}, {.reset_timeout = 10s}, clock};
    fail(breaker);
    CHECK(breaker.retry_after() == 10s);
    clock.advance(10s); // there is no later
    CHECK_FALSE(breaker.allow());
    CHECK(breaker.retry_after() == 10s);
}

TEST_CASE("CircuitBreaker: a reset timeout of forever never ends, nor overflows", "[guard]") {
    for (const Instant start : {Instant{0ns}, Instant{-1000h}, Instant{1000h}, (Instant::max)() - 1h}) {
        ManualClock clock{start};
        Breaker breaker{{.threshold = 1}, {.reset_timeout = for_ever}, clock};
        fail(breaker);
        CHECK(breaker.retry_after() == longest);
        CHECK_FALSE(breaker.allow());
        clock.advance(30min);
        CHECK_FALSE(breaker.allow());
        CHECK(breaker.retry_after() == longest - 30min);
        CHECK(breaker.try_acquire().refusal().retry_after == longest - 30min);
        clock.advance(-for_ever);
        CHECK_FALSE(breaker.allow());
        CHECK(breaker.retry_after() == longest);
    }
}

TEST_CASE("CircuitBreaker: a clock that stands still keeps it open, and a nanosecond is a wait",
          "[guard]") {
    ManualClock clock;
    Breaker breaker{{.threshold = 1}, {.reset_timeout = 1ns}, clock};
    fail(breaker);
    for (int i = 0; i != 1000; ++i) CHECK_FALSE(breaker.allow());
    clock.advance(1ns);
    CHECK(breaker.allow());
}

TEST_CASE(
    "CircuitBreaker: a clock that steps back neither ends the wait nor makes it longer than reported",
    "[guard]") {
    ManualClock clock{Instant{100s}};
    Breaker breaker{{.threshold = 1}, {.reset_timeout = 10s}, clock};
    fail(breaker);
    for (const auto back : {1ns, 5'000'000'000ns, 1'000'000'000'000ns}) {
        clock.set(Instant{100s} - back);
        CHECK_FALSE(breaker.allow());
        CHECK(breaker.retry_after() == 10s);
        CHECK(breaker.try_acquire().refusal().retry_after == 10s);
    }
    clock.set((Instant::min)());
    CHECK_FALSE(breaker.allow());
    CHECK(breaker.retry_after() == 10s);
    clock.set(Instant{110s - 1ns});
    CHECK_FALSE(breaker.allow());
    clock.set(Instant{110s});
    CHECK(breaker.allow());
}

TEST_CASE("CircuitBreaker: a clock that steps back in HALF_OPEN does not give the probe up",
          "[guard]") {
    ManualClock clock{Instant{100s}};
    Breaker breaker{{.threshold = 1}, {.reset_timeout = 10s}, clock};
    fail(breaker);
    clock.advance(10s);
    Permit probe = breaker.try_acquire();
    clock.set((Instant::min)());
    CHECK_FALSE(breaker.allow());
    clock.set(Instant{120s - 1ns});
    CHECK_FALSE(breaker.allow());
    CHECK(probe.success());
    CHECK(breaker.state() == State::closed);
}

TEST_CASE("CircuitBreaker: a clock that stepped back before the failure counts from there", "[guard]") {
    ManualClock clock{Instant{100s}};
    Breaker breaker{{.threshold = 2}, {.reset_timeout = 10s}, clock};
    fail(breaker);
    clock.set(Instant{-100s});
    fail(breaker);
    CHECK(breaker.snapshot().opened_at == Instant{-100s});
    clock.advance(10s - 1ns);
    CHECK_FALSE(breaker.allow());
    clock.advance(1ns);
    CHECK(breaker.allow());
}

TEST_CASE("CircuitBreaker: a clock that jumps by all of time ends the wait", "[guard]") {
    for (const Instant start : {(Instant::min)(), Instant{-1s}, Instant{0s}, Instant{1s}}) {
        ManualClock clock{start};
        Breaker breaker{{.threshold = 1}, {.reset_timeout = 1000h}, clock};
        fail(breaker);
        clock.advance(longest);
        CHECK(breaker.retry_after() == 0ns);
        CHECK(breaker.allow());
        CHECK_FALSE(breaker.allow());
        breaker.record_success();
        CHECK(breaker.state() == State::closed);
        fail(breaker);
        clock.advance(-longest);
        CHECK_FALSE(breaker.allow());
        CHECK(breaker.retry_after() == 1000h);
    }
}

TEST_CASE("CircuitBreaker: forgets no part of a tick", "[guard]") {
    MillisecondClock clock;
    clock.set(1999);
    dashpot::CircuitBreaker<MillisecondClock> breaker{
        {.threshold = 1}, {.reset_timeout = 1000ms}, clock};
    breaker.record_failure();
    clock.set(2000);
    CHECK_FALSE(breaker.allow());
    clock.set(2998);
    CHECK_FALSE(breaker.allow());
    clock.set(2999);
    CHECK(breaker.allow());
}

TEST_CASE("CircuitBreaker: a coarse clock that wraps around is one that steps back", "[guard]") {
    MillisecondClock clock;
    clock.set((std::numeric_limits<std::int32_t>::max)());
    dashpot::CircuitBreaker<MillisecondClock> breaker{{.threshold = 1}, {.reset_timeout = 1s}, clock};
    breaker.record_failure();
    clock.set((std::numeric_limits<std::int32_t>::min)());
    CHECK_FALSE(breaker.allow());
    CHECK(breaker.retry_after() == 1s);
}

TEST_CASE("CircuitBreaker: reads the clock no more often than it must", "[guard]") {
    CountingClock clock;
    dashpot::CircuitBreaker<CountingClock> breaker{{.threshold = 2}, {.reset_timeout = 10s}, clock};
    clock.reads();

    // Healthy: not at all.
    CHECK(breaker.allow());
    breaker.record_success();
    CHECK(breaker.try_acquire().success());
    CHECK(breaker.call([] { return 1; }).has_value());
    CHECK(breaker.try_acquire().ignore());
    CHECK(breaker.state() == State::closed);
    CHECK(clock.reads() == 0);

    // Nor for a failure that does not open it, or a success that ends a run.
    CHECK(breaker.try_acquire().failure());
    CHECK(breaker.try_acquire().success());
    CHECK(breaker.try_acquire().failure());
    CHECK(clock.reads() == 0);

    CHECK(breaker.try_acquire().failure());
    CHECK(breaker.state() == State::open);
    CHECK(clock.reads() == 1);
    CHECK_FALSE(breaker.allow());
    CHECK(clock.reads() == 1);
    CHECK_FALSE(breaker.try_acquire());
    CHECK(clock.reads() == 1);

    clock.clock.advance(10s);
    auto probe = breaker.try_acquire();
    CHECK(clock.reads() == 1);
    CHECK(probe.success());
    CHECK(clock.reads() == 1);

    breaker.force_open();
    clock.reads();
    CHECK_FALSE(breaker.allow());
    CHECK(clock.reads() == 0);
    breaker.disable();
    clock.reads();
    CHECK(breaker.allow());
    CHECK_FALSE(breaker.try_acquire().failure());
    CHECK(clock.reads() == 0);
}

} // namespace tests::guard_circuit_breaker_time
