// SPDX-License-Identifier: MIT
// Answers that meet: each counts once, in the order in which threads can tell, and never in a later
// generation.
#include "catch.hpp"
#include "guard/race.hpp"

#include <dashpot/guard/circuit_breaker.hpp>
#include <dashpot/testing/manual_clock.hpp>
#include <dashpot/testing/transition_recorder.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <thread>
#include <vector>

namespace tests::guard_answers_race {

namespace {

using namespace dashpot;
using namespace std::chrono_literals;
using testing::ManualClock;
using Breaker = CircuitBreaker<ManualClock>;

struct TwoStep {
    static void succeed(Breaker& breaker) { breaker.record_success(); }
    static void fail(Breaker& breaker) { breaker.record_failure(); }
};
struct Permits {
    static void succeed(Breaker& breaker) { breaker.try_acquire().success(); }
    static void fail(Breaker& breaker) { breaker.try_acquire().failure(); }
};

/// Whose turn it is, of two threads that take turns.
class Turn {
  public:
    void pass_to(int thread) { turn_.store(thread, std::memory_order_release); }
    void wait_for(int thread) const {
        for (int spins = 0; turn_.load(std::memory_order_acquire) != thread; ++spins) {
            if (spins % 64 == 63) std::this_thread::yield();
        }
    }

  private:
    std::atomic<int> turn_{0};
};

} // namespace

// App-vNext/Polly#131
TEMPLATE_TEST_CASE("CircuitBreaker: a success on another thread ends the run of failures before it", "",
                   TwoStep, Permits) {
    constexpr int rounds = 100'000;
    Breaker breaker{{2}};
    Turn turn;
    int opened = 0;
    race::together(2, [&](std::size_t i) {
        for (int round = 0; round != rounds; ++round) {
            if (i == 0) {
                TestType::fail(breaker);
                turn.pass_to(1);
                turn.wait_for(0);
                TestType::fail(breaker);
                if (breaker.state() != State::closed) ++opened;
                TestType::succeed(breaker);
            } else {
                turn.wait_for(1);
                TestType::succeed(breaker);
                turn.pass_to(0);
            }
        }
    });
    CHECK(opened == 0);
    CHECK(breaker.state() == State::closed);
}

TEMPLATE_TEST_CASE("CircuitBreaker: a failure that follows one on another thread goes on with its run",
                   "", TwoStep, Permits) {
    constexpr int rounds = 20'000;
    Breaker breaker{{2}};
    Turn turn;
    int stayed_closed = 0;
    race::together(2, [&](std::size_t i) {
        for (int round = 0; round != rounds; ++round) {
            if (i == 0) {
                TestType::succeed(breaker);
                TestType::fail(breaker);
                turn.pass_to(1);
                turn.wait_for(0);
                if (breaker.state() != State::open) ++stayed_closed;
                breaker.reset();
            } else {
                turn.wait_for(1);
                TestType::fail(breaker);
                turn.pass_to(0);
            }
        }
    });
    CHECK(stayed_closed == 0);
}

TEMPLATE_TEST_CASE("CircuitBreaker: of failures that meet, each counts once", "", TwoStep, Permits) {
    const auto threads = GENERATE(std::size_t{2}, std::size_t{3}, std::size_t{8});
    const auto to_spare = GENERATE(0U, 1U); // one failure fewer than the threshold must not open it
    Breaker breaker{{static_cast<std::uint32_t>(threads) + to_spare}};
    testing::TransitionRecorder heard;
    const auto subscription = breaker.on_transition(std::ref(heard));
    constexpr int rounds = 1000;
    race::in_rounds(
        threads, rounds, [&] { breaker.reset(); }, [&](std::size_t) { TestType::fail(breaker); },
        [&] {
            CHECK(breaker.state() == (to_spare == 0 ? State::open : State::closed));
            CHECK(breaker.snapshot().failures == threads);
        });
    CHECK(heard.entries().size() == (to_spare == 0 ? 2 * rounds - 1 : 0));
}

// sony/gobreaker#122
TEST_CASE("CircuitBreaker: an answer that comes after reset() has returned does not count") {
    const auto outcome = GENERATE(Outcome::success, Outcome::failure, Outcome::ignored);
    const auto has_run = GENERATE(false, true); // whether a success would change anything
    ManualClock clock;
    Breaker breaker{{2}, {}, clock};
    std::optional<Breaker::Permit> permit;
    std::atomic<bool> is_reset{false};
    std::atomic<int> too_late{0};
    race::in_rounds(
        2, 5000,
        [&] {
            if (has_run) breaker.try_acquire().failure();
            permit.emplace(breaker.try_acquire());
            is_reset = false;
        },
        [&](std::size_t i) {
            if (i == 0) {
                breaker.reset();
                is_reset = true;
            } else {
                const bool was_reset = is_reset;
                const bool has_counted = permit->record(outcome);
                too_late += was_reset && has_counted ? 1 : 0;
            }
        },
        [&] {
            CHECK(breaker.state() == State::closed); // one failure of two, or opened and then reset
            CHECK(breaker.snapshot().failures == 0);
        });
    CHECK(too_late == 0);
}

// awolden/brakes#95
TEST_CASE("CircuitBreaker: answers from before an outage do not count after it, from any thread") {
    ManualClock clock;
    std::optional<Breaker> breaker;
    std::vector<std::vector<Breaker::Permit>> old(8);
    std::atomic<int> counted{0};
    race::in_rounds(
        8, 500,
        [&] {
            for (auto& permits : old) permits.clear();
            breaker.emplace(ConsecutiveFailures{2}, BreakerOptions{.reset_timeout = 10s}, clock);
            for (auto& permits : old) {
                for (int i = 0; i != 3; ++i) permits.push_back(breaker->try_acquire());
            }
            breaker->record_failure();
            breaker->record_failure();
            clock.advance(10s);
        },
        [&](std::size_t i) {
            if (auto probe = breaker->try_acquire()) probe.success();
            counted += old[i][0].failure() ? 1 : 0;
            counted += old[i][1].success() ? 1 : 0;
            counted += old[i][2].failure() ? 1 : 0;
        },
        [&] {
            CHECK(breaker->state() == State::closed);
            CHECK(breaker->snapshot().failures == 0);
        });
    CHECK(counted == 0);
}

// failsafe-lib/failsafe#32
TEST_CASE("CircuitBreaker: probes given back by many threads at once are all free again") {
    const auto probes = GENERATE(1U, 3U);
    ManualClock clock;
    Breaker breaker{{1}, {.reset_timeout = 10s, .half_open = {.probes = probes}}, clock};
    breaker.record_failure();
    clock.advance(10s);
    std::atomic<std::uint32_t> out{0};
    std::atomic<int> too_many{0};
    race::together(8, [&](std::size_t i) {
        for (int turn = 0; turn != 5000; ++turn) {
            auto permit = breaker.try_acquire();
            if (!permit) continue;
            too_many += ++out > probes ? 1 : 0;
            --out;
            if (i % 3 == 0) permit.ignore();
            if (i % 3 == 1) permit.release();
        }
    });
    CHECK(too_many == 0);
    CHECK(breaker.state() == State::half_open);
    CHECK(breaker.snapshot().probes_in_flight == 0);
    for (std::uint32_t i = 0; i != probes; ++i) CHECK(breaker.allow());
    CHECK_FALSE(breaker.allow());
}

} // namespace tests::guard_answers_race
