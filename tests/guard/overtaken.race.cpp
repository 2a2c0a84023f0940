// SPDX-License-Identifier: MIT
// A thread that is held up after it read the time, and finds the breaker in another state: on purpose,
// not by luck.
#include "catch.hpp"

#include <dashpot/guard/circuit_breaker.hpp>
#include <dashpot/policy/count_window.hpp>
#include <dashpot/policy/time_window.hpp>
#include <dashpot/testing/manual_clock.hpp>
#include <dashpot/testing/transition_recorder.hpp>

#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <utility>

namespace tests::guard_overtaken_race {

namespace {

using namespace dashpot;
using namespace std::chrono_literals;
using testing::ManualClock;

constexpr Instant start{1000s};

/// A clock with which others can act between one reading of the time and what is done with it.
class HeldUpClock {
  public:
    using time_point = Instant;
    using duration = std::chrono::nanoseconds;
    using rep = duration::rep;
    using period = duration::period;
    static constexpr bool is_steady = true;

    [[nodiscard]] time_point now() const noexcept {
        const time_point read = shared_->time.now();
        if (const auto act = std::exchange(shared_->others, nullptr)) {
            shared_->acting = std::async(std::launch::async, act);
            // Others cannot act while the lock is held: a breaker that reads the time there is not
            // overtaken.
            shared_->acting.wait_for(200ms);
        }
        return read;
    }

    void advance(Nanoseconds step) const { shared_->time.advance(step); }

    /// The next reading is followed by what others do, before it is used.
    void others_then(std::function<void()> act) const { shared_->others = std::move(act); }

    void wait_for_others() const { shared_->acting.wait(); }

  private:
    struct Shared {
        ManualClock time{start};
        std::function<void()> others;
        std::future<void> acting;
    };
    std::shared_ptr<Shared> shared_ = std::make_shared<Shared>();
};

using Breaker = CircuitBreaker<HeldUpClock>;

struct Rig {
    explicit Rig(const BreakerOptions& options = {.reset_timeout = 10s})
        : breaker{{1}, options, clock} {}

    void open_and_let_a_probe_out() {
        breaker.record_failure();
        clock.advance(10s);
        (void)breaker.allow();
    }

    HeldUpClock clock;
    Breaker breaker;
};

} // namespace

TEST_CASE("CircuitBreaker: a failure that was overtaken opens it for the whole wait nevertheless") {
    Rig rig;
    rig.clock.others_then([&] { rig.open_and_let_a_probe_out(); });
    rig.breaker.record_failure(); // answers the probe, or opened it before the others came
    rig.clock.wait_for_others();
    if (rig.breaker.state() == State::open) {
        CHECK(rig.breaker.retry_after() == 10s);
        CHECK_FALSE(rig.breaker.allow());
        rig.clock.advance(10s - 1ns);
        CHECK_FALSE(rig.breaker.allow());
        rig.clock.advance(1ns);
        CHECK(rig.breaker.allow());
    } else {
        CHECK(rig.breaker.state() == State::half_open);
    }
}

TEST_CASE("CircuitBreaker: a trip() that was overtaken opens it for the whole wait nevertheless") {
    Rig rig;
    rig.clock.others_then([&] { rig.open_and_let_a_probe_out(); });
    rig.breaker.trip();
    rig.clock.wait_for_others();
    if (rig.breaker.state() == State::open) {
        CHECK(rig.breaker.retry_after() == 10s);
        CHECK_FALSE(rig.breaker.allow());
    } else {
        CHECK(rig.breaker.state() == State::half_open);
    }
}

TEST_CASE("CircuitBreaker: a refusal that was overtaken is one of the state that it names") {
    Rig rig;
    rig.breaker.record_failure();
    rig.clock.others_then([&] {
        rig.clock.advance(10s);
        (void)rig.breaker.allow();
    });
    const auto permit = rig.breaker.try_acquire(); // read the time within the wait
    rig.clock.wait_for_others();
    REQUIRE_FALSE(permit);
    if (permit.refusal().reason == Error::circuit_open) {
        CHECK(permit.refusal().retry_after > 0ns);
        CHECK(permit.refusal().retry_after <= 10s);
        CHECK(permit.generation() == 2);
    } else {
        CHECK(permit.refusal() == Refusal{Error::probes_in_flight});
        CHECK(permit.generation() == 3);
    }
}

TEST_CASE(
    "CircuitBreaker: of two who find the wait over, the one that was overtaken is no second probe") {
    Rig rig;
    rig.breaker.record_failure();
    rig.clock.advance(10s);
    const bool probe_fails = GENERATE(false, true);
    rig.clock.others_then([&] {
        auto probe = rig.breaker.try_acquire();
        if (probe_fails) {
            probe.failure();
        } else {
            rig.breaker.reset();
            rig.breaker.record_failure(); // open again, for another wait
        }
    });
    CHECK_FALSE(rig.breaker.allow());
    rig.clock.wait_for_others();
    CHECK(rig.breaker.state() == State::open);
    CHECK(rig.breaker.retry_after() == 10s);
}

TEST_CASE("CircuitBreaker: an answer that a reset has overtaken does not count") {
    const bool in_half_open = GENERATE(false, true);
    const bool is_failure = GENERATE(false, true);
    Rig rig;
    if (in_half_open) {
        rig.breaker.record_failure();
        rig.clock.advance(10s);
    }
    auto permit = rig.breaker.try_acquire();
    REQUIRE(permit);
    rig.clock.others_then([&] { rig.breaker.reset(); });
    const bool has_counted = is_failure ? permit.failure() : permit.success();
    if (!is_failure && !in_half_open) {
        CHECK(has_counted); // it changed nothing, and needed no time
        return;
    }
    rig.clock.wait_for_others();
    CHECK(rig.breaker.state() == State::closed); // the reset had the last word, whichever came first
    CHECK(rig.breaker.snapshot().failures == 0);
    if (has_counted)
        CHECK(rig.breaker.snapshot().generation > permit.generation() + 1); // then it came first
}

TEST_CASE("CircuitBreaker: a success that a reset has overtaken is not left for the next generation") {
    const HeldUpClock clock;
    CircuitBreaker<HeldUpClock, CountWindow> breaker{
        {.size = 10, .minimum_calls = 1, .slow_calls = SlowCalls{1h}}, {}, clock};
    CHECK(breaker.try_acquire().success()); // from here on this thread's are put off
    auto permit = breaker.try_acquire();
    clock.others_then([&] { breaker.reset(); });
    (void)permit.success();
    clock.wait_for_others();
    CHECK(breaker.snapshot().generation > permit.generation());
    CHECK(breaker.snapshot().calls == 0); // the reset had the last word, whichever came first
}

TEST_CASE("CircuitBreaker: the times of its transitions never run backwards") {
    const auto overtaken = GENERATE(0, 1, 2, 3, 4, 5);
    Rig rig;
    testing::TransitionRecorder heard;
    const auto subscription = rig.breaker.on_transition(std::ref(heard));
    rig.clock.others_then([&] { rig.open_and_let_a_probe_out(); });
    switch (overtaken) {
    case 0: rig.breaker.record_failure(); break;
    case 1: rig.breaker.record_success(); break;
    case 2: rig.breaker.trip(); break;
    case 3: rig.breaker.reset(); break;
    case 4: rig.breaker.force_open(); break;
    default: rig.breaker.disable(); break;
    }
    if (overtaken != 1) rig.clock.wait_for_others(); // such a success may need no time
    Instant last = start;
    for (const auto& entry : heard.entries()) {
        CHECK(entry.transition.at >= last);
        CHECK(entry.transition.snapshot.since == entry.transition.at);
        last = entry.transition.at;
    }
    CHECK(rig.breaker.snapshot().since >= last);
}

TEST_CASE(
    "CircuitBreaker: a call that a reconfiguration has overtaken is judged by the new limit alone") {
    constexpr auto judging = [](Nanoseconds longer_than) {
        CountWindow policy{.size = 4, .minimum_calls = 4, .failure_rate = 1.0};
        policy.slow_calls = SlowCalls{.longer_than = longer_than, .rate = 1.0};
        return policy;
    };
    const bool was_quick = GENERATE(false, true);
    HeldUpClock clock;
    CircuitBreaker<HeldUpClock, CountWindow> breaker{judging(was_quick ? 9s : 3s), {}, clock};
    auto permit = breaker.try_acquire();
    clock.advance(5s);
    clock.others_then([&] { breaker.reconfigure(judging(was_quick ? 3s : 9s), {}); });
    CHECK(permit.success()); // reads when it ended, and is overtaken
    clock.wait_for_others();
    CHECK(breaker.snapshot().calls == 1);
    CHECK(breaker.snapshot().slow == (was_quick ? 1U : 0U));
}

TEST_CASE("CircuitBreaker: a failure that a reconfiguration has overtaken is judged by the new rate") {
    constexpr auto with_rate = [](double rate) {
        return TimeWindow{.minimum_calls = 4, .failure_rate = rate};
    };
    HeldUpClock clock;
    CircuitBreaker<HeldUpClock, TimeWindow> breaker{with_rate(0.9), {.reset_timeout = 10s}, clock};
    for (int i = 0; i != 3; ++i) breaker.record_success();
    clock.others_then([&] { breaker.reconfigure(with_rate(0.25), {.reset_timeout = 20s}); });
    breaker.record_failure();
    clock.wait_for_others();
    CHECK(breaker.state() == State::open);
    CHECK(breaker.retry_after() == 20s);
}

} // namespace tests::guard_overtaken_race
