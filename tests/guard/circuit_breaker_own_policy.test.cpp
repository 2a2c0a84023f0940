// SPDX-License-Identifier: MIT
// A failure policy that a user might write, and what the breaker owes it.
#include <dashpot/guard/circuit_breaker.hpp>
#include <dashpot/testing/transition_recorder.hpp>

#include "guard/breaker_support.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace tests::guard_circuit_breaker_own_policy {

using namespace std::chrono_literals;
using namespace support;
using dashpot::CircuitBreaker;
using dashpot::Counts;
using dashpot::FinishedCall;
using dashpot::Instant;
using dashpot::Outcome;
using dashpot::Reason;
using dashpot::State;

namespace {

/// Opens at an exponentially weighted rate of calls that failed or were slow: each call weighs
/// `weight`, all before it the rest.
struct WeightedRate {
    double weight = 0.5;
    double open_at = 0.75;
    std::optional<std::chrono::nanoseconds> longer_than{};

    bool operator==(const WeightedRate&) const = default;

    void validate() const {
        if (!(weight > 0.0 && weight <= 1.0)) {
            dashpot::refuse_option("WeightedRate::weight", weight, "must be in (0, 1]");
        }
    }

    std::optional<std::chrono::nanoseconds> slow_after() const noexcept { return longer_than; }

    class Tally;
};

class WeightedRate::Tally {
  public:
    explicit Tally(const WeightedRate& policy) noexcept : policy_{policy} {}

    std::optional<Reason> record(const FinishedCall& call) noexcept {
        held_.calls = 1; // seen from outside: some, so that a quiet tally stays as it is
        failed_ = next(failed_, call.failed);
        slow_ = next(slow_, call.slow);
        held_.failure_rate = failed_;
        held_.slow_rate = slow_;
        if (std::max(failed_, slow_) >= policy_.open_at) return Reason::policy;
        return std::nullopt;
    }

    void clear() noexcept { *this = Tally{policy_}; }
    Counts counts(Instant /*now*/) const noexcept { return held_; }
    bool quiet() const noexcept { return held_.calls != 0 && failed_ == 0.0 && slow_ == 0.0; }

  private:
    double next(double rate, bool is_bad) const noexcept {
        return (1.0 - policy_.weight) * rate + (is_bad ? policy_.weight : 0.0);
    }

    WeightedRate policy_;
    Counts held_{};
    double failed_ = 0.0;
    double slow_ = 0.0;
};

static_assert(dashpot::FailurePolicy<WeightedRate>);

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

struct Rig {
    explicit Rig(WeightedRate policy, dashpot::HalfOpen half_open = {})
        : breaker{policy, {.reset_timeout = 10s, .half_open = half_open}, clock} {
        clock.reads();
    }

    /// A call that takes so long on the clock.
    bool take(std::chrono::nanoseconds length, Outcome outcome) {
        auto permit = breaker.try_acquire();
        clock.clock.advance(length);
        return permit.record(outcome);
    }

    CountingClock clock;
    CircuitBreaker<CountingClock, WeightedRate> breaker;
};

constexpr WeightedRate timed{.longer_than = 1s};

} // namespace

TEST_CASE("A policy of one's own: decides when the circuit opens", "[guard]") {
    Rig rig{{.weight = 0.5, .open_at = 0.75}};
    fail(rig.breaker); // 0.5
    CHECK(rig.breaker.state() == State::closed);
    succeed(rig.breaker); // 0.25
    fail(rig.breaker);    // 0.625
    CHECK(rig.breaker.state() == State::closed);
    CHECK(rig.breaker.snapshot().failure_rate == 0.625);
    fail(rig.breaker); // 0.8125
    CHECK(rig.breaker.state() == State::open);
}

TEST_CASE("A policy of one's own: opens at the rate, not above it", "[guard]") {
    Rig rig{{.weight = 0.5, .open_at = 0.75}};
    fail(rig.breaker, 2); // 0.5, 0.75
    CHECK(rig.breaker.state() == State::open);
}

TEST_CASE("A policy of one's own: its reason and numbers travel in the event and stay while open",
          "[guard]") {
    Rig rig{{.weight = 0.5, .open_at = 0.75}};
    dashpot::testing::TransitionRecorder heard;
    const auto subscription = rig.breaker.on_transition(std::ref(heard));
    fail(rig.breaker, 2);
    REQUIRE(heard.entries().size() == 1);
    const auto transition = heard.entries()[0].transition;
    CHECK(transition.reason == Reason::policy);
    CHECK(transition.snapshot.failure_rate == 0.75);
    CHECK(rig.breaker.snapshot().failure_rate == 0.75);
    rig.clock.clock.advance(10s);
    succeed(rig.breaker);
    CHECK_FALSE(rig.breaker.snapshot().failure_rate.has_value()); // forgotten
}

TEST_CASE("A policy of one's own: does not receive ignored calls", "[guard]") {
    Rig rig{{.weight = 0.5, .open_at = 0.75}};
    fail(rig.breaker);
    CHECK(rig.breaker.try_acquire().ignore());
    { const auto dropped = rig.breaker.try_acquire(); }
    CHECK(rig.breaker.snapshot().failure_rate == 0.5);
}

TEST_CASE("A policy of one's own: receives every success that it is not quiet about", "[guard]") {
    Rig rig{{.weight = 0.5, .open_at = 0.75}};
    succeed(rig.breaker);
    CHECK(rig.breaker.snapshot().calls == 1);
    CHECK(rig.breaker.snapshot().failure_rate == 0.0);
    fail(rig.breaker);
    succeed(rig.breaker, 2);
    CHECK(rig.breaker.snapshot().failure_rate == 0.125);
}

TEST_CASE("A policy of one's own: a bad option is refused by its own message", "[guard]") {
    CHECK(message_of([] { const Rig rig{{.weight = 0.0}}; }) ==
          "WeightedRate::weight is 0, must be in (0, 1]");
    CHECK(message_of([] { const Rig rig{{.weight = 50.0}}; }) ==
          "WeightedRate::weight is 50, must be in (0, 1]");
}

TEST_CASE("Slow calls: slow means longer than, not as long as", "[guard]") {
    Rig rig{timed};
    CHECK(rig.take(1s, Outcome::success));
    CHECK(rig.breaker.snapshot().slow_rate == 0.0);
    CHECK(rig.take(1s + 1ns, Outcome::success));
    CHECK(rig.breaker.snapshot().slow_rate == 0.5);
    CHECK(rig.breaker.snapshot().failure_rate == 0.0);
    CHECK(rig.take(1h, Outcome::success));
    CHECK(rig.breaker.state() == State::open);
}

TEST_CASE("Slow calls: with a limit of nothing every call that takes time is slow", "[guard]") {
    Rig rig{{.longer_than = 0ns}};
    CHECK(rig.take(0ns, Outcome::success));
    CHECK(rig.breaker.snapshot().slow_rate == 0.0);
    CHECK(rig.take(1ns, Outcome::success));
    CHECK(rig.breaker.snapshot().slow_rate == 0.5);
}

TEST_CASE("Slow calls: a failed call may be slow too, and an ignored one is neither", "[guard]") {
    Rig rig{timed};
    CHECK(rig.take(2s, Outcome::ignored));
    CHECK_FALSE(rig.breaker.snapshot().slow_rate.has_value());
    CHECK(rig.take(2s, Outcome::failure));
    CHECK(rig.breaker.snapshot().failure_rate == 0.5);
    CHECK(rig.breaker.snapshot().slow_rate == 0.5);
}

TEST_CASE("Slow calls: a given duration counts, whatever the clock says", "[guard]") {
    Rig rig{timed};
    auto quick = rig.breaker.try_acquire();
    rig.clock.clock.advance(1h);
    CHECK(quick.success(1s));
    CHECK(rig.breaker.snapshot().slow_rate == 0.0);
    CHECK(rig.breaker.try_acquire().success(1s + 1ns));
    CHECK(rig.breaker.snapshot().slow_rate == 0.5);
    CHECK(rig.breaker.try_acquire().failure(0s));
    CHECK(rig.breaker.snapshot().slow_rate == 0.25);
    CHECK(rig.breaker.try_acquire().record(Outcome::success, (std::chrono::hours::max)()));
    CHECK(rig.breaker.snapshot().slow_rate == 0.625);
    CHECK(rig.breaker.try_acquire().success(-1h));
    CHECK(rig.breaker.snapshot().slow_rate == 0.3125);
}

TEST_CASE("Slow calls: the two-step form is slow if it says so", "[guard]") {
    Rig rig{timed};
    REQUIRE(rig.breaker.allow());
    rig.clock.clock.advance(1h);
    rig.breaker.record_success();
    CHECK(rig.breaker.snapshot().slow_rate == 0.0);
    rig.breaker.record_success(1s);
    CHECK(rig.breaker.snapshot().slow_rate == 0.0);
    rig.breaker.record_success(1s + 1ns);
    CHECK(rig.breaker.snapshot().slow_rate == 0.5);
    rig.breaker.record_failure(2s);
    CHECK(rig.breaker.state() == State::open);
}

TEST_CASE("Slow calls: call() measures its function, exceptions included", "[guard]") {
    Rig rig{timed};
    CHECK(rig.breaker.call([&] { rig.clock.clock.advance(2s); }).has_value());
    CHECK(rig.breaker.snapshot().slow_rate == 0.5);
    CHECK_THROWS(rig.breaker.call([&] {
        rig.clock.clock.advance(2s);
        throw 42;
    }));
    CHECK(rig.breaker.state() == State::open);
    CHECK(rig.breaker.snapshot().slow_rate == 0.75);
    CHECK(rig.breaker.snapshot().failure_rate == 0.5);
}

TEST_CASE("Slow calls: a permit that the stack unwinds is measured", "[guard]") {
    Rig rig{timed};
    try {
        const auto unwound = rig.breaker.try_acquire();
        rig.clock.clock.advance(2s);
        throw 42;
    } catch (int) {}
    CHECK(rig.breaker.snapshot().slow_rate == 0.5);
    CHECK(rig.breaker.snapshot().failure_rate == 0.5);
}

TEST_CASE("Slow calls: a clock that steps back makes no call slow, one that leaps does", "[guard]") {
    Rig rig{timed};
    CHECK(rig.take(-1h, Outcome::success));
    CHECK(rig.breaker.snapshot().slow_rate == 0.0);
    rig.clock.clock.set((Instant::min)());
    auto permit = rig.breaker.try_acquire();
    rig.clock.clock.set((Instant::max)());
    CHECK(permit.success());
    CHECK(rig.breaker.snapshot().slow_rate == 0.5);
}

TEST_CASE("Slow calls: a slow probe fails and a quick one succeeds", "[guard]") {
    Rig rig{timed, {.probes = 2, .successes_to_close = 1}};
    rig.breaker.trip();
    rig.clock.clock.advance(10s);
    CHECK(rig.take(1s + 1ns, Outcome::success));
    CHECK(rig.breaker.state() == State::half_open);
    auto seen = rig.breaker.snapshot();
    CHECK(seen.calls == 1);
    CHECK(seen.failures == 1);
    CHECK(seen.slow == 1);
    CHECK(rig.take(1s + 1ns, Outcome::success));
    CHECK(rig.breaker.state() == State::open);
    CHECK(rig.breaker.snapshot().slow == 2);
    rig.clock.clock.advance(10s);
    CHECK(rig.take(1s, Outcome::success));
    CHECK(rig.breaker.state() == State::closed);
}

TEST_CASE("Slow calls: a slow probe of the two-step form fails if it says so", "[guard]") {
    Rig rig{timed};
    rig.breaker.trip();
    rig.clock.clock.advance(10s);
    REQUIRE(rig.breaker.allow());
    rig.breaker.record_success(2s);
    CHECK(rig.breaker.state() == State::open);
}

TEST_CASE("Slow calls: the wait of a circuit that a slow success opened starts at its recording",
          "[guard]") {
    Rig rig{{.weight = 1.0, .open_at = 1.0, .longer_than = 1s}};
    rig.clock.clock.set(Instant{1000s});
    CHECK(rig.take(5s, Outcome::success));
    CHECK(rig.breaker.snapshot().opened_at == Instant{1005s});
    rig.breaker.reset();
    CHECK(rig.breaker.try_acquire().success(5s));
    CHECK(rig.breaker.snapshot().opened_at == Instant{1005s});
    rig.breaker.reset();
    rig.breaker.record_success(5s);
    CHECK(rig.breaker.snapshot().opened_at == Instant{1005s});
}

TEST_CASE("Slow calls: a timed call reads the clock at its beginning and at its end", "[guard]") {
    Rig rig{timed};
    CHECK(rig.take(0s, Outcome::success));
    CHECK(rig.clock.reads() == 2);
    CHECK(rig.take(0s, Outcome::success)); // quiet by now
    CHECK(rig.clock.reads() == 2);
    CHECK(rig.breaker.try_acquire().success(1s)); // told
    CHECK(rig.clock.reads() == 1);
    CHECK(rig.take(0s, Outcome::failure));
    CHECK(rig.clock.reads() == 2);
    CHECK(rig.breaker.try_acquire().ignore());
    CHECK(rig.clock.reads() == 1);
    CHECK(rig.breaker.allow()); // the two-step form measures nothing
    CHECK(rig.clock.reads() == 0);

    rig.breaker.trip();
    rig.clock.clock.advance(10s);
    rig.clock.reads();
    auto probe = rig.breaker.try_acquire();
    CHECK(rig.clock.reads() == 2); // whether the wait is over, and when the call begins
    CHECK(probe.success());
    CHECK(rig.clock.reads() == 1);
}

TEST_CASE("Slow calls: what listeners took when the probe was let in is not the call's time",
          "[guard]") {
    Rig rig{timed};
    rig.breaker.trip();
    rig.clock.clock.advance(10s);
    const auto slow_listener =
        rig.breaker.on_transition([&](const dashpot::Transition&) { rig.clock.clock.advance(1h); });
    CHECK(rig.take(1s, Outcome::success));
    CHECK(rig.breaker.state() == State::closed);
}

TEST_CASE("Slow calls: where none are judged no call is timed", "[guard]") {
    Rig rig{{.longer_than = std::nullopt}};
    succeed(rig.breaker);
    rig.clock.reads();
    auto permit = rig.breaker.try_acquire();
    rig.clock.clock.advance(1000h);
    CHECK(permit.success());
    CHECK(rig.clock.reads() == 0);
    CHECK(rig.breaker.snapshot().slow_rate == 0.0);
}

} // namespace tests::guard_circuit_breaker_own_policy
