// SPDX-License-Identifier: MIT
// A breaker that is given another policy and other options while it runs.
#include <dashpot/guard/circuit_breaker.hpp>
#include <dashpot/policy/count_window.hpp>
#include <dashpot/policy/time_window.hpp>
#include <dashpot/testing/transition_recorder.hpp>

#include "guard/breaker_support.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <stdexcept>

namespace tests::guard_circuit_breaker_reconfigure {

using namespace std::chrono_literals;
using namespace support;
using dashpot::BreakerOptions;
using dashpot::CircuitBreaker;
using dashpot::ConsecutiveFailures;
using dashpot::Counts;
using dashpot::CountWindow;
using dashpot::ExponentialBackoff;
using dashpot::FinishedCall;
using dashpot::Instant;
using dashpot::Outcome;
using dashpot::Reason;
using dashpot::SlowCalls;
using dashpot::State;
using dashpot::TimeWindow;

namespace {

template <class P>
struct Rig {
    explicit Rig(const P& policy, const BreakerOptions& options = {.reset_timeout = 10s})
        : breaker{policy, options, clock} {}

    ManualClock clock{Instant{100s}};
    CircuitBreaker<ManualClock, P> breaker;
};

constexpr CountWindow in_ten{.size = 10, .minimum_calls = 10, .failure_rate = 0.5};

constexpr CountWindow judging_slow(std::chrono::nanoseconds longer_than) {
    CountWindow policy{.size = 4, .minimum_calls = 4, .failure_rate = 1.0};
    policy.slow_calls = SlowCalls{.longer_than = longer_than, .rate = 1.0};
    return policy;
}
constexpr CountWindow judging_none{.size = 4, .minimum_calls = 4, .failure_rate = 1.0};

/// A policy that offers no more than it must: the calls since it began, one in so many of which may
/// fail.
struct Total {
    std::uint64_t failures = 3;
    bool operator==(const Total&) const = default;
    void validate() const {}

    class Tally {
      public:
        explicit Tally(const Total& policy) noexcept : limit_{policy.failures} {}
        std::optional<Reason> record(const FinishedCall& call) noexcept {
            ++counts_.calls;
            if (call.failed) ++counts_.failures;
            return counts_.failures >= limit_ ? std::optional{Reason::policy} : std::nullopt;
        }
        void clear() noexcept { counts_ = {}; }
        Counts counts(Instant /*now*/) const noexcept { return counts_; }
        bool quiet() const noexcept { return false; }

      private:
        std::uint64_t limit_;
        Counts counts_{};
    };
};

} // namespace

TEST_CASE("reconfigure: changes neither state nor generation, and is no event", "[guard]") {
    const State state = GENERATE(State::closed, State::open, State::half_open, State::disabled,
                                 State::forced_open, State::metrics_only);
    Rig<ConsecutiveFailures> rig{{.threshold = 5}};
    bring(rig.breaker, rig.clock, state);
    dashpot::testing::TransitionRecorder heard;
    const auto subscription = rig.breaker.on_transition(std::ref(heard));
    const auto before = rig.breaker.snapshot();
    rig.clock.advance(1s);
    rig.breaker.reconfigure({.threshold = 1}, {.reset_timeout = 20s, .half_open = {.probes = 3}});
    const auto after = rig.breaker.snapshot();
    CHECK(after.state == state);
    CHECK(after.generation == before.generation);
    CHECK(after.since == before.since);
    CHECK(after.opened_at == before.opened_at);
    CHECK(heard.entries().empty());
}

TEST_CASE("reconfigure: permits that are out still answer", "[guard]") {
    Rig<ConsecutiveFailures> rig{{.threshold = 5}};
    auto permit = rig.breaker.try_acquire();
    rig.breaker.reconfigure({.threshold = 1}, {.reset_timeout = 10s});
    CHECK(permit.failure());
    CHECK(rig.breaker.state() == State::open);
}

TEST_CASE("reconfigure: refuses what the constructor refuses, and then nothing has changed",
          "[guard]") {
    Rig<ConsecutiveFailures> rig{{.threshold = 2}};
    fail(rig.breaker);
    CHECK(
        message_of([&] { rig.breaker.reconfigure({.threshold = 0}, {}); }) ==
        "ConsecutiveFailures::threshold is 0, must be 1 or more; to open at the first failure write 1");
    CHECK(message_of([&] { rig.breaker.reconfigure({.threshold = 9}, {.reset_timeout = 0s}); }) ==
          "BreakerOptions::reset_timeout (or its ExponentialBackoff::initial) is 0s, must be longer "
          "than 0s");
    CHECK(rig.breaker.snapshot().failures == 1);
    fail(rig.breaker);
    CHECK(rig.breaker.state() == State::open);
    CHECK(rig.breaker.retry_after() == 10s);
}

TEST_CASE("reconfigure: a run of failures goes on under the new threshold", "[guard]") {
    Rig<ConsecutiveFailures> rig{{.threshold = 5}};
    fail(rig.breaker, 3);
    rig.breaker.reconfigure({.threshold = 4}, {.reset_timeout = 10s});
    CHECK(rig.breaker.snapshot().failures == 3);
    fail(rig.breaker);
    CHECK(rig.breaker.state() == State::open);
    CHECK(rig.breaker.snapshot().failures == 4);
}

TEST_CASE("reconfigure: a run beyond the new threshold opens at the next failure", "[guard]") {
    Rig<ConsecutiveFailures> rig{{.threshold = 9}};
    fail(rig.breaker, 6);
    rig.breaker.reconfigure({.threshold = 3}, {.reset_timeout = 10s});
    CHECK(rig.breaker.state() == State::closed);
    rig.clock.advance(1s);
    fail(rig.breaker);
    CHECK(rig.breaker.state() == State::open);
    CHECK(rig.breaker.snapshot().failures == 7);
    CHECK(rig.breaker.snapshot().opened_at == Instant{101s});
}

TEST_CASE("reconfigure: a run beyond the new threshold ends with a success", "[guard]") {
    Rig<ConsecutiveFailures> rig{{.threshold = 9}};
    fail(rig.breaker, 6);
    rig.breaker.reconfigure({.threshold = 3}, {.reset_timeout = 10s});
    rig.breaker.record_success();
    fail(rig.breaker, 2);
    CHECK(rig.breaker.state() == State::closed);
}

TEST_CASE("reconfigure: a window above its new rate opens at the next call, a success too", "[guard]") {
    const bool has_spoken = GENERATE(false, true);
    Rig<CountWindow> rig{in_ten};
    fail(rig.breaker, 4);
    succeed(rig.breaker, 6);
    CountWindow stricter = in_ten;
    stricter.failure_rate = 0.3;
    if (has_spoken) succeed(rig.breaker); // the oldest failure is out: 3 of 10
    rig.breaker.reconfigure(stricter, {.reset_timeout = 10s});
    CHECK(rig.breaker.state() == State::closed);
    CHECK(rig.breaker.snapshot().failures == (has_spoken ? 3U : 4U));
    rig.breaker.record_success();
    // 3 of 10 opens at 0.3; 2 of 10 does not.
    CHECK(rig.breaker.state() == (has_spoken ? State::closed : State::open));
}

TEST_CASE("reconfigure: in METRICS_ONLY a window above its new rate would open at the next call",
          "[guard]") {
    Rig<CountWindow> rig{in_ten};
    rig.breaker.metrics_only();
    fail(rig.breaker, 4);
    succeed(rig.breaker, 6);
    CountWindow stricter = in_ten;
    stricter.failure_rate = 0.3;
    rig.breaker.reconfigure(stricter, {.reset_timeout = 10s});
    CHECK(rig.breaker.snapshot().would_have_opened == 0);
    rig.breaker.record_success();
    CHECK(rig.breaker.snapshot().would_have_opened == 1);
    CHECK(rig.breaker.snapshot().calls == 0); // it begins anew
}

TEST_CASE("reconfigure: a time window of buckets as long as before keeps its calls", "[guard]") {
    Rig<TimeWindow> rig{{.length = 10s, .buckets = 10, .minimum_calls = 100}};
    fail(rig.breaker, 2);
    rig.clock.advance(4s);
    succeed(rig.breaker, 3);
    rig.breaker.reconfigure({.length = 3s, .buckets = 3, .minimum_calls = 100}, {});
    CHECK(rig.breaker.snapshot().calls == 3);
    CHECK(rig.breaker.snapshot().failures == 0);
    rig.breaker.reconfigure({.length = 20s, .buckets = 20, .minimum_calls = 100}, {});
    CHECK(rig.breaker.snapshot().calls == 3); // what was let go does not come back
    rig.clock.advance(19s);
    CHECK(rig.breaker.snapshot().calls == 3);
    rig.clock.advance(1s);
    CHECK(rig.breaker.snapshot().calls == 0);
}

TEST_CASE("reconfigure: a time window of other buckets begins empty", "[guard]") {
    Rig<TimeWindow> rig{{.length = 10s, .buckets = 10}};
    fail(rig.breaker, 2);
    rig.breaker.reconfigure({.length = 10s, .buckets = 5}, {});
    CHECK(rig.breaker.snapshot().calls == 0);
}

TEST_CASE("reconfigure: a policy that takes nothing over begins empty, if it has changed", "[guard]") {
    Rig<Total> rig{{.failures = 3}};
    fail(rig.breaker, 2);
    rig.breaker.reconfigure({.failures = 3}, {.reset_timeout = 20s});
    CHECK(rig.breaker.snapshot().failures == 2);
    rig.breaker.reconfigure({.failures = 4}, {.reset_timeout = 20s});
    CHECK(rig.breaker.snapshot().calls == 0);
    fail(rig.breaker, 3);
    CHECK(rig.breaker.state() == State::closed);
}

TEST_CASE("reconfigure: successes that wait go to the old policy first", "[guard]") {
    Rig<CountWindow> rig{{.size = 10, .minimum_calls = 5}};
    for (int i = 0; i != 7; ++i) rig.breaker.record_success(); // left in a stripe
    rig.breaker.reconfigure({.size = 6, .minimum_calls = 5}, {});
    CHECK(rig.breaker.snapshot().calls == 6);
    for (int i = 0; i != 3; ++i) rig.breaker.record_failure();
    CHECK(rig.breaker.state() == State::open); // 3 of 6
}

TEST_CASE("reconfigure: a quiet breaker that is to judge slow calls receives them at once", "[guard]") {
    Rig<CountWindow> rig{judging_none};
    succeed(rig.breaker, 5); // full and clean
    rig.breaker.reconfigure(judging_slow(1s), {.reset_timeout = 10s});
    rig.breaker.record_success(1s); // and is not quiet again when one was quick
    for (int i = 0; i != 3; ++i) rig.breaker.record_success(2s);
    CHECK(rig.breaker.snapshot().slow == 3);
    CHECK(rig.breaker.state() == State::closed);
    rig.breaker.record_success(2s);
    CHECK(rig.breaker.state() == State::open);
}

TEST_CASE("reconfigure: a breaker that judges no slow calls any more is quiet again", "[guard]") {
    Rig<CountWindow> rig{judging_slow(1s)};
    succeed(rig.breaker, 5);
    rig.breaker.reconfigure(judging_none, {.reset_timeout = 10s});
    auto permit = rig.breaker.try_acquire();
    rig.clock.advance(1h);
    CHECK(permit.success());
    rig.breaker.record_success(1h);
    CHECK(rig.breaker.snapshot().slow == 0);
    CHECK(rig.breaker.snapshot().calls == 4);
}

TEST_CASE("reconfigure: calls are slow by the limit in force when they are recorded", "[guard]") {
    Rig<CountWindow> rig{judging_slow(1s)};
    rig.breaker.record_success(2s);
    CHECK(rig.breaker.snapshot().slow == 1);
    auto permit = rig.breaker.try_acquire();
    rig.clock.advance(2s);
    rig.breaker.reconfigure(judging_slow(2s), {.reset_timeout = 10s});
    CHECK(permit.success());
    CHECK(rig.breaker.snapshot().slow == 1); // and what was judged slow stays so
    rig.breaker.record_success(2s + 1ns);
    CHECK(rig.breaker.snapshot().slow == 2);
}

TEST_CASE("reconfigure: a permit taken while calls were not timed is never slow", "[guard]") {
    Rig<CountWindow> rig{judging_none};
    rig.clock.set(Instant{100s});
    auto permit = rig.breaker.try_acquire();
    auto other = rig.breaker.try_acquire();
    rig.breaker.reconfigure(judging_slow(1s), {.reset_timeout = 10s});
    rig.clock.advance(1h);
    CHECK(permit.success());
    CHECK(other.failure());
    CHECK(rig.breaker.snapshot().calls == 2);
    CHECK(rig.breaker.snapshot().slow == 0);
    auto timed = rig.breaker.try_acquire();
    rig.clock.advance(1s + 1ns);
    CHECK(timed.success());
    CHECK(rig.breaker.snapshot().slow == 1);
}

TEST_CASE("reconfigure: a permit taken at the clock's epoch is timed like any other", "[guard]") {
    Rig<CountWindow> rig{judging_slow(1s)};
    rig.clock.set(Instant{});
    auto permit = rig.breaker.try_acquire();
    rig.clock.advance(1s + 1ns);
    CHECK(permit.success());
    CHECK(rig.breaker.snapshot().slow == 1);
}

TEST_CASE("reconfigure: where slow calls are no longer judged none are shown, and none forgotten",
          "[guard]") {
    Rig<CountWindow> rig{judging_slow(1s)};
    rig.breaker.record_success(2s);
    rig.breaker.reconfigure(judging_none, {});
    CHECK(rig.breaker.snapshot().slow == 0);
    rig.breaker.reconfigure(judging_slow(5s), {});
    CHECK(rig.breaker.snapshot().slow == 1);
}

TEST_CASE("reconfigure: in OPEN another reset timeout is measured from the same opening", "[guard]") {
    Rig<ConsecutiveFailures> rig{{.threshold = 1}};
    fail(rig.breaker);
    rig.clock.advance(4s);
    rig.breaker.reconfigure({.threshold = 1}, {.reset_timeout = 20s});
    CHECK(rig.breaker.retry_after() == 16s);
    rig.clock.advance(16s - 1ns);
    const auto refused = rig.breaker.try_acquire();
    REQUIRE_FALSE(refused);
    CHECK(refused.refusal().retry_after == 1ns);
    rig.breaker.reconfigure({.threshold = 1}, {.reset_timeout = 3s}); // over long ago
    CHECK(rig.breaker.retry_after() == 0s);
    CHECK(rig.breaker.state() == State::open); // until a caller comes
    CHECK(rig.breaker.allow());
    CHECK(rig.breaker.state() == State::half_open);
}

TEST_CASE("reconfigure: in OPEN the new backoff waits as at this re-opening", "[guard]") {
    Rig<ConsecutiveFailures> rig{{.threshold = 1}};
    fail(rig.breaker);
    for (int i = 0; i != 2; ++i) { // two probes fail
        rig.clock.advance(10s);
        fail(rig.breaker);
    }
    rig.breaker.reconfigure({.threshold = 1},
                            {.reset_timeout = ExponentialBackoff{.initial = 1s, .factor = 3.0}});
    CHECK(rig.breaker.retry_after() == 9s);
    rig.clock.advance(9s);
    fail(rig.breaker);
    CHECK(rig.breaker.retry_after() == 27s);
}

TEST_CASE("reconfigure: in OPEN the same reset timeout leaves the wait that chance has drawn",
          "[guard]") {
    const ExponentialBackoff jittered{.initial = 10s, .cap = 10s, .jitter = 1.0};
    Rig<ConsecutiveFailures> rig{{.threshold = 1}, {.reset_timeout = jittered}};
    fail(rig.breaker);
    const auto drawn = rig.breaker.retry_after();
    rig.breaker.reconfigure({.threshold = 2}, {.reset_timeout = jittered, .half_open = {.probes = 2}});
    CHECK(rig.breaker.retry_after() == drawn);
}

TEST_CASE("reconfigure: the numbers that opened the circuit stay while it is open", "[guard]") {
    Rig<CountWindow> rig{in_ten};
    fail(rig.breaker, 5);
    succeed(rig.breaker, 4);
    rig.breaker.record_failure();
    REQUIRE(rig.breaker.state() == State::open);
    rig.breaker.reconfigure({.size = 2, .minimum_calls = 1, .failure_rate = 1.0}, {});
    CHECK(rig.breaker.snapshot().calls == 10);
    CHECK(rig.breaker.snapshot().failure_rate == 0.6);
}

TEST_CASE("reconfigure: a half-open period ends by the rules it began with", "[guard]") {
    Rig<ConsecutiveFailures> rig{
        {.threshold = 1}, {.reset_timeout = 10s, .half_open = {.probes = 2, .successes_to_close = 2}}};
    fail(rig.breaker);
    rig.clock.advance(10s);
    auto probe = rig.breaker.try_acquire();
    rig.breaker.reconfigure({.threshold = 1}, {.reset_timeout = 10s, .half_open = {.probes = 1}});
    auto second = rig.breaker.try_acquire();
    REQUIRE(second);
    CHECK_FALSE(rig.breaker.try_acquire());
    CHECK(probe.success());
    CHECK(rig.breaker.state() == State::half_open);
    CHECK(second.failure());
    CHECK(rig.breaker.state() == State::open);

    rig.clock.advance(10s); // the next goes by the new ones
    auto alone = rig.breaker.try_acquire();
    CHECK_FALSE(rig.breaker.try_acquire());
    CHECK(alone.success());
    CHECK(rig.breaker.state() == State::closed);
}

TEST_CASE("reconfigure: a fresh half-open period after lost probes goes by the new rules", "[guard]") {
    Rig<ConsecutiveFailures> rig{{.threshold = 1}, {.reset_timeout = 10s}};
    fail(rig.breaker);
    rig.clock.advance(10s);
    const auto lost = rig.breaker.try_acquire();
    rig.breaker.reconfigure({.threshold = 1}, {.reset_timeout = 3s, .half_open = {.probes = 2}});
    rig.clock.advance(10s - 1ns); // its lease is that of its own period
    CHECK_FALSE(rig.breaker.try_acquire());
    rig.clock.advance(1ns);
    auto first = rig.breaker.try_acquire();
    auto second = rig.breaker.try_acquire();
    CHECK(first);
    CHECK(second);
    rig.clock.advance(3s - 1ns);
    CHECK_FALSE(rig.breaker.try_acquire());
    rig.clock.advance(1ns);
    CHECK(rig.breaker.try_acquire());
}

TEST_CASE("reconfigure: totals begin when they are asked for", "[guard]") {
    Rig<ConsecutiveFailures> rig{{.threshold = 5}};
    fail(rig.breaker);
    succeed(rig.breaker, 3);
    rig.breaker.reconfigure({.threshold = 5}, {.count_totals = true});
    REQUIRE(rig.breaker.snapshot().totals.has_value());
    CHECK(rig.breaker.snapshot().totals->failures == 0);
    CHECK(rig.breaker.snapshot().totals->successes == 0);
    succeed(rig.breaker, 3);
    rig.breaker.reconfigure({.threshold = 6}, {.count_totals = true});
    fail(rig.breaker);
    CHECK(rig.breaker.snapshot().totals->successes == 3);
    CHECK(rig.breaker.snapshot().totals->failures == 1);
    rig.breaker.reconfigure({.threshold = 6}, {});
    CHECK_FALSE(rig.breaker.snapshot().totals.has_value());
}

TEST_CASE("reconfigure: a listener may do it", "[guard]") {
    Rig<ConsecutiveFailures> rig{{.threshold = 1}};
    const auto subscription = rig.breaker.on_transition([&](const dashpot::Transition& event) {
        if (event.to == State::open) rig.breaker.reconfigure({.threshold = 3}, {.reset_timeout = 1s});
    });
    fail(rig.breaker);
    CHECK(rig.breaker.retry_after() == 1s);
}

} // namespace tests::guard_circuit_breaker_reconfigure
