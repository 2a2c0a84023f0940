// SPDX-License-Identifier: MIT
// Many threads at the edge from OPEN to HALF_OPEN, and at the end of a probe's time, on a clock that
// stands still.
#include "catch.hpp"
#include "guard/race.hpp"

#include <dashpot/guard/circuit_breaker.hpp>
#include <dashpot/testing/manual_clock.hpp>
#include <dashpot/testing/transition_recorder.hpp>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

namespace tests::guard_half_open_edge_race {

namespace {

using namespace dashpot;
using namespace std::chrono_literals;
using testing::ManualClock;
using Breaker = CircuitBreaker<ManualClock>;
using Permit = Breaker::Permit;

constexpr std::size_t threads = 32;

BreakerOptions with_probes(std::uint32_t probes) {
    return {.reset_timeout = 10s, .half_open = {.probes = probes}};
}

/// A breaker that has just opened, and its clock.
struct Opened {
    explicit Opened(const BreakerOptions& options) { renew(options); }

    void renew(const BreakerOptions& options) {
        breaker.emplace(ConsecutiveFailures{1}, options, clock);
        breaker->record_failure();
    }

    ManualClock clock;
    std::optional<Breaker> breaker;
};

/// Breakers that threads pass one after the other, so that they meet at some of them.
struct Row {
    static constexpr std::size_t many = 64;

    void open_and_wait(const BreakerOptions& options) {
        for (std::size_t i = 0; i != many; ++i) {
            breakers[i].emplace(ConsecutiveFailures{1}, options, clock);
            breakers[i]->record_failure();
            granted[i] = 0;
        }
        clock.advance(10s);
    }

    /// How many of them did not let in just so many.
    std::size_t wrong(std::uint32_t probes) const {
        std::size_t count = 0;
        for (const auto& each : granted) count += each == probes ? 0U : 1U;
        return count;
    }

    ManualClock clock;
    std::array<std::optional<Breaker>, many> breakers;
    std::array<std::atomic<std::uint32_t>, many> granted{};
};

} // namespace

// resilience4j/resilience4j#1432
TEST_CASE(
    "CircuitBreaker: threads at the end of the wait get the probes and no more, through allow()") {
    const auto probes = GENERATE(1U, 2U, 3U);
    const auto at_once = GENERATE(std::size_t{2}, threads);
    Row row;
    race::in_rounds(
        at_once, 100, [&] { row.open_and_wait(with_probes(probes)); },
        [&](std::size_t) {
            for (std::size_t i = 0; i != Row::many; ++i) {
                for (int again = 0; again != 2; ++again) {
                    row.granted[i] += row.breakers[i]->allow() ? 1 : 0;
                }
            }
        },
        [&] {
            CHECK(row.wrong(probes) == 0);
            const Snapshot last = row.breakers.back()->snapshot();
            CHECK(last.probes_in_flight == probes);
            CHECK(last.refused == 2 * at_once - probes);
        });
}

// resilience4j/resilience4j#1432
TEST_CASE("CircuitBreaker: threads at the end of the wait get the probes and no more, as permits") {
    const auto probes = GENERATE(1U, 2U, 3U);
    Row row;
    testing::TransitionRecorder heard;
    Subscription subscription;
    std::array<std::vector<Permit>, threads> permits;
    std::atomic<int> misinformed{0};
    race::in_rounds(
        threads, 100,
        [&] {
            row.open_and_wait(with_probes(probes));
            subscription = row.breakers.back()->on_transition(std::ref(heard));
        },
        [&](std::size_t thread) {
            for (std::size_t i = 0; i != Row::many; ++i) {
                auto permit = row.breakers[i]->try_acquire();
                if (permit) {
                    ++row.granted[i];
                    permits[thread].push_back(
                        std::move(permit)); // dropped, it would give its place back
                } else {
                    misinformed += permit.refusal() == Refusal{Error::probes_in_flight} ? 0 : 1;
                }
            }
        },
        [&] {
            CHECK(row.wrong(probes) == 0);
            for (auto& each : permits) {
                for (Permit& permit : each) CHECK(permit.success());
                each.clear();
            }
            CHECK(row.breakers.back()->state() == State::closed);
        });
    CHECK(misinformed == 0);
    CHECK(heard.entries().size() == 2 * 100);
}

TEST_CASE("CircuitBreaker: no call is let in between the opening and the end of the wait") {
    Opened opened{with_probes(1)};
    std::atomic<int> let_in{0};
    std::atomic<bool> is_over{false};
    race::in_rounds(
        4, 1000,
        [&] {
            opened.renew(with_probes(1));
            is_over = false;
        },
        [&](std::size_t i) {
            if (i == 0) {
                for (int second = 0; second != 9; ++second) opened.clock.advance(1s);
                opened.clock.advance(1s - 1ns);
                is_over = true;
                return;
            }
            race::until(is_over, [&] {
                let_in += opened.breaker->allow() ? 1 : 0;
                let_in += opened.breaker->try_acquire() ? 1 : 0;
            });
        },
        [&] {
            CHECK(let_in == 0);
            CHECK(opened.breaker->state() == State::open);
            opened.clock.advance(1ns);
            CHECK(opened.breaker->allow());
        });
}

// alibaba/sentinel-golang#408
TEST_CASE("CircuitBreaker: a failed probe is not followed by another before the clock moves") {
    const auto probes = GENERATE(1U, 3U);
    Opened opened{with_probes(probes)};
    std::vector<Permit> held;
    std::atomic<int> let_in{0};
    std::atomic<bool> has_failed{false};
    race::in_rounds(
        4, 2000,
        [&] {
            held.clear();
            opened.renew(with_probes(probes));
            opened.clock.advance(10s);
            for (std::uint32_t i = 0; i != probes; ++i) held.push_back(opened.breaker->try_acquire());
            has_failed = false;
        },
        [&](std::size_t i) {
            if (i == 0) {
                held.front().failure();
                has_failed = true;
                return;
            }
            race::until(has_failed, [&] { // all probes are out, or the whole wait lies ahead
                let_in += opened.breaker->allow() ? 1 : 0;
                let_in += opened.breaker->try_acquire() ? 1 : 0;
            });
        },
        [&] {
            CHECK(let_in == 0);
            CHECK(opened.breaker->state() == State::open);
            CHECK(opened.breaker->retry_after() == 10s);
        });
}

// alibaba/sentinel-golang#408
TEST_CASE("CircuitBreaker: of threads that meet at the end of the wait one probes, and if it fails no "
          "other") {
    const auto at_once = GENERATE(std::size_t{2}, std::size_t{8});
    Row row;
    race::in_rounds(
        at_once, 400, [&] { row.open_and_wait(with_probes(1)); },
        [&](std::size_t thread) {
            for (std::size_t i = 0; i != Row::many; ++i) {
                auto permit = row.breakers[i]->try_acquire();
                if (permit) ++row.granted[i];
                permit.failure();
                if (i % 32 == thread) std::this_thread::yield();
            }
        },
        [&] {
            CHECK(row.wrong(1) == 0);
            CHECK(row.breakers.back()->retry_after() == 10s);
        });
}

// resilience4j/resilience4j#935
TEST_CASE(
    "CircuitBreaker: when all probes are lost, their time over, so many are handed out again, once") {
    const auto probes = GENERATE(1U, 3U);
    auto options = with_probes(probes);
    options.half_open.probe_timeout = 30s;
    Opened opened{options};
    std::vector<Permit> lost;
    std::array<std::vector<Permit>, 16> kept;
    std::atomic<std::uint32_t> granted{0};
    std::atomic<std::uint64_t> generation{0};
    std::atomic<int> other_generations{0};
    std::atomic<int> late_answers_counted{0};
    race::in_rounds(
        16, 1000,
        [&] {
            lost.clear();
            for (auto& each : kept) each.clear();
            opened.renew(options);
            opened.clock.advance(10s);
            for (std::uint32_t i = 0; i != probes; ++i) lost.push_back(opened.breaker->try_acquire());
            opened.clock.advance(30s - 1ns);
            CHECK_FALSE(opened.breaker->allow());
            opened.clock.advance(1ns);
            granted = 0;
            generation = lost.front().generation() + 1;
        },
        [&](std::size_t i) {
            for (int again = 0; again != 2; ++again) {
                auto permit = opened.breaker->try_acquire();
                other_generations += permit.generation() == generation ? 0 : 1;
                if (!permit) continue;
                ++granted;
                kept[i].push_back(std::move(permit)); // dropped, it would give its place back
            }
        },
        [&] {
            CHECK(granted == probes);
            CHECK(opened.breaker->snapshot().generation == generation);
            CHECK(opened.breaker->snapshot().probes_in_flight == probes);
            for (auto& permit : lost) late_answers_counted += permit.success() ? 1 : 0;
            CHECK(opened.breaker->state() == State::half_open);
        });
    CHECK(other_generations == 0);
    CHECK(late_answers_counted == 0);
}

} // namespace tests::guard_half_open_edge_race
