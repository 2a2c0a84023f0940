// SPDX-License-Identifier: MIT
// What a refused caller is told, while other threads take the breaker through its states.
#include "catch.hpp"
#include "guard/race.hpp"

#include <dashpot/guard/circuit_breaker.hpp>
#include <dashpot/testing/manual_clock.hpp>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <thread>

namespace tests::guard_refusals_race {

namespace {

using namespace dashpot;
using namespace std::chrono_literals;
using testing::ManualClock;
using Breaker = CircuitBreaker<ManualClock>;

/// Holds the one that opens the breaker back until another thread looks on.
class Onlooker {
  public:
    void leave() { is_looking_ = false; }
    void wait_for() const {
        for (int spins = 1; !is_looking_; ++spins) {
            if (spins % 256 == 0) std::this_thread::yield();
        }
    }
    void look_until_open(const Breaker& breaker) {
        is_looking_ = true;
        for (int spins = 1; breaker.state() != State::open; ++spins) {
            if (spins % 4096 == 0) std::this_thread::yield();
        }
    }
    /// Looks on for a moment, so as to come in the middle.
    void look_for_a_moment() {
        is_looking_ = true;
        for (int spins = 0; spins != 40; ++spins) (void)is_looking_.load();
    }

  private:
    std::atomic<bool> is_looking_{false};
};

} // namespace

TEST_CASE("CircuitBreaker: a refusal says a wait that fits its reason, whatever goes on") {
    const std::chrono::nanoseconds wait = GENERATE(1ms, 10s);
    const auto probes = GENERATE(1U, 2U);
    ManualClock clock;
    Breaker breaker{{1}, {.reset_timeout = wait, .half_open = {.probes = probes}}, clock};
    std::atomic<bool> is_over{false};
    std::atomic<int> wrong{0};
    std::atomic<int> seen_open{0};
    std::atomic<int> seen_half_open{0};
    race::together(5, [&](std::size_t i) {
        if (i == 0) {
            // Until each reason was met; where there are few cores, that may take a while.
            const auto has_met = [&] { return seen_open > 0 && seen_half_open > 0; };
            for (int turn = 0; turn < 20'000 || (turn < 2'000'000 && !has_met()); ++turn) {
                auto permit = breaker.try_acquire();
                std::this_thread::yield(); // so that others meet the probe
                if (turn % 3 != 0) {
                    permit.failure();
                } else {
                    permit.success();
                }
                if (turn % 16 == 0) breaker.trip();
                if (turn % 64 == 0) breaker.reset();
            }
            is_over = true;
        } else if (i == 1) {
            race::until(is_over, [&] {
                clock.advance(wait / 4);
                std::this_thread::yield();
            });
        } else {
            race::until(is_over, [&] {
                auto permit = breaker.try_acquire();
                if (permit) return permit.release();
                const Refusal refusal = permit.refusal();
                if (refusal.reason == Error::circuit_open) {
                    ++seen_open;
                    wrong += refusal.retry_after > 0ns && refusal.retry_after <= wait ? 0 : 1;
                } else {
                    ++seen_half_open;
                    wrong += refusal == Refusal{Error::probes_in_flight} ? 0 : 1;
                }
                wrong += permit.generation() > 1 ? 0 : 1;
                const auto rest = breaker.retry_after();
                wrong += rest >= 0ns && rest <= wait ? 0 : 1;
            });
        }
    });
    CHECK(wrong == 0);
    CHECK(seen_open > 0);
    CHECK(seen_half_open > 0);
}

namespace {

constexpr std::size_t many = 256; // one after the other, so that the onlooker is there when each opens

/// A short reset timeout and a long probe timeout: to take one for the other is to be seen.
struct Row {
    void renew() {
        for (std::size_t i = 0; i != many; ++i) {
            breakers[i].emplace(
                ConsecutiveFailures{1},
                BreakerOptions{.reset_timeout = 10s, .half_open = {.probe_timeout = 1h}}, clock);
            onlookers[i].leave();
        }
    }

    /// Takes all of them to the end of their wait.
    void open_and_wait() {
        for (auto& breaker : breakers) breaker->record_failure();
        clock.advance(10s);
    }

    ManualClock clock;
    std::array<std::optional<Breaker>, many> breakers;
    std::array<Onlooker, many> onlookers;
};

} // namespace

TEST_CASE("CircuitBreaker: a thread that sees it open sees the whole wait") {
    const bool from_half_open = GENERATE(false, true);
    Row row;
    std::atomic<int> wrong{0};
    race::in_rounds(
        2, 40,
        [&] {
            row.renew();
            if (!from_half_open) return;
            row.open_and_wait();
            for (auto& breaker : row.breakers) wrong += breaker->allow() ? 0 : 1;
        },
        [&](std::size_t thread) {
            for (std::size_t i = 0; i != many; ++i) {
                Breaker& breaker = *row.breakers[i];
                if (thread == 0) {
                    row.onlookers[i].wait_for();
                    breaker.record_failure();
                    continue;
                }
                row.onlookers[i].look_until_open(breaker);
                wrong += breaker.retry_after() == 10s ? 0 : 1;
                const auto permit = breaker.try_acquire();
                wrong += !permit && permit.refusal() == Refusal{Error::circuit_open, 10s} ? 0 : 1;
            }
        },
        [] {});
    CHECK(wrong == 0);
}

TEST_CASE("CircuitBreaker: once the wait is over no refusal says that the circuit is open") {
    Row row;
    std::atomic<int> wrong{0};
    std::atomic<int> granted{0};
    race::in_rounds(
        2, 40,
        [&] {
            row.renew();
            row.open_and_wait();
        },
        [&](std::size_t thread) {
            for (std::size_t i = 0; i != many; ++i) {
                Breaker& breaker = *row.breakers[i];
                if (thread == 0) {
                    row.onlookers[i].wait_for();
                    granted += breaker.allow() ? 1 : 0;
                    continue;
                }
                row.onlookers[i].look_for_a_moment();
                const auto permit = breaker.try_acquire();
                granted += permit ? 1 : 0;
                wrong += permit || permit.refusal() == Refusal{Error::probes_in_flight} ? 0 : 1;
            }
        },
        [] {});
    CHECK(wrong == 0);
    CHECK(granted >= 40 * static_cast<int>(many));
}

// alibaba/sentinel-golang#408
TEST_CASE("CircuitBreaker: a circuit that opens again has none of its last wait left over") {
    ManualClock clock;
    Breaker breaker{{1}, {.reset_timeout = 10s}, clock};
    Onlooker onlooker;
    std::atomic<int> let_in{0};
    std::atomic<int> wrong{0};
    race::in_rounds(
        3, 10'000,
        [&] {
            onlooker.leave();
            breaker.reset();
            breaker.record_failure();
            clock.advance(10s); // the old wait is over
            breaker.reset();
        },
        [&](std::size_t i) {
            if (i == 0) {
                onlooker.wait_for();
                return breaker.record_failure();
            }
            onlooker.look_until_open(breaker);
            for (int again = 0; again != 4; ++again) {
                let_in += breaker.allow() ? 1 : 0;
                wrong += breaker.snapshot().retry_after == 10s ? 0 : 1;
            }
        },
        [&] { CHECK(breaker.state() == State::open); });
    CHECK(let_in == 0);
    CHECK(wrong == 0);
}

TEST_CASE("CircuitBreaker: forced open, it refuses every thread without a wait") {
    Breaker breaker;
    std::atomic<int> wrong{0};
    std::atomic<bool> is_over{false};
    breaker.force_open();
    race::together(4, [&](std::size_t i) {
        if (i == 0) {
            for (int turn = 0; turn != 2000; ++turn) { // nothing of this moves it
                breaker.record_failure();
                breaker.record_success();
                breaker.trip();
                breaker.force_open();
            }
            is_over = true;
        } else {
            race::until(is_over, [&] {
                const auto permit = breaker.try_acquire();
                wrong += !permit && permit.refusal() == Refusal{Error::circuit_open} ? 0 : 1;
                wrong += breaker.retry_after() == 0ns ? 0 : 1;
            });
        }
    });
    CHECK(wrong == 0);
    CHECK(breaker.snapshot().generation == 2);
}

} // namespace tests::guard_refusals_race
