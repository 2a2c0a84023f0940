// SPDX-License-Identifier: MIT
// Successes that many threads put off while others record, command and look: each counts exactly once,
// in the generation that it belongs to.
#include "catch.hpp"
#include "guard/race.hpp"

#include <dashpot/guard/circuit_breaker.hpp>
#include <dashpot/policy/count_window.hpp>
#include <dashpot/policy/time_window.hpp>
#include <dashpot/testing/manual_clock.hpp>
#include <dashpot/testing/transition_recorder.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace tests::guard_batches_race {

namespace {

using namespace dashpot;
using namespace std::chrono_literals;
using testing::ManualClock;

constexpr std::uint32_t many = 10'000'000;
constexpr std::uint32_t all = 100'000; // calls of a test

} // namespace

TEST_CASE("CircuitBreaker: successes of many threads and failures between them all count", "[race]") {
    CircuitBreaker<ManualClock, CountWindow> breaker{{.size = many, .minimum_calls = many}};
    breaker.record_success();
    race::together(4, [&](std::size_t i) {
        for (int n = 1; n <= 20'000; ++n) {
            if (i == 0 && n % 10 == 0) {
                breaker.record_failure();
            } else {
                breaker.record_success();
            }
        }
    });
    const Snapshot seen = breaker.snapshot();
    CHECK(seen.calls == 80'001);
    CHECK(seen.failures == 2'000);
}

TEST_CASE("CircuitBreaker: a time window loses no success while its buckets change", "[race]") {
    ManualClock clock;
    CircuitBreaker<ManualClock, TimeWindow> breaker{
        {.length = 1000s, .buckets = 1000, .minimum_calls = many}, {}, clock};
    race::together(4, [&](std::size_t i) {
        for (int n = 1; n <= 20'000; ++n) {
            if (i == 0 && n % 50 == 0) clock.advance(1s);
            breaker.record_success();
        }
    });
    CHECK(breaker.snapshot().calls == 80'000);
}

TEST_CASE("CircuitBreaker: what a thread has recorded, it sees", "[race]") {
    CircuitBreaker<ManualClock, CountWindow> breaker{{.size = many, .minimum_calls = many}};
    std::atomic<int> wrong{0};
    race::together(3, [&](std::size_t) {
        std::uint64_t mine = 0;
        std::uint64_t seen_before = 0;
        for (int n = 0; n != 3'000; ++n) {
            breaker.record_success();
            ++mine;
            if (n % 5 != 0) continue;
            const std::uint64_t seen = breaker.snapshot().calls;
            if (seen < mine || seen < seen_before) ++wrong;
            seen_before = seen;
        }
    });
    CHECK(wrong == 0);
    CHECK(breaker.snapshot().calls == 9'000);
}

TEST_CASE("CircuitBreaker: an answer counts exactly if it says so, whatever is commanded meanwhile",
          "[race]") {
    CircuitBreaker<ManualClock, CountWindow> breaker{{.size = many, .minimum_calls = many},
                                                     {.count_totals = true}};
    testing::TransitionRecorder heard;
    std::atomic<std::uint64_t> said{0};
    std::atomic<bool> done{false};
    race::together(4, [&](std::size_t i) {
        if (i == 0) {
            for (int n = 0; n != 500; ++n) {
                breaker.reset();
                breaker.trip();
                breaker.reset();
            }
            done = true;
            return;
        }
        race::until(done, [&] {
            for (int n = 0; n != 20; ++n) {
                auto permit = breaker.try_acquire();
                if (permit && permit.success()) said.fetch_add(1, std::memory_order_relaxed);
            }
        });
    });
    CHECK(breaker.snapshot().totals->successes == said);
}

TEST_CASE("CircuitBreaker: numbers of a generation are those of the answers that counted in it",
          "[race]") {
    CircuitBreaker<ManualClock, CountWindow> breaker{{.size = many, .minimum_calls = many}};
    std::uint64_t announced = 0; // under the breaker's own one-at-a-time
    const auto subscription = breaker.on_transition([&](const Transition& event) {
        if (event.from == State::closed) announced += event.snapshot.calls;
    });
    std::atomic<std::uint64_t> said{0};
    std::atomic<bool> done{false};
    race::together(4, [&](std::size_t i) {
        if (i == 0) {
            for (int n = 0; n != 1'000; ++n) {
                breaker.trip();
                breaker.reset();
            }
            breaker.trip();
            done = true;
            return;
        }
        race::until(done, [&] {
            for (int n = 0; n != 20; ++n) {
                auto permit = breaker.try_acquire();
                if (permit && permit.success()) said.fetch_add(1, std::memory_order_relaxed);
            }
        });
    });
    CHECK(announced == said);
}

TEST_CASE("CircuitBreaker: no success is lost or counted twice while its policy changes", "[race]") {
    CountWindow policy{.size = all, .minimum_calls = all};
    CircuitBreaker<SteadyClock, CountWindow> breaker{policy};
    constexpr int calls = 20'000;
    std::atomic<int> running{3};
    race::together(4, [&](std::size_t i) {
        if (i == 0) {
            for (std::uint32_t turn = 0; running != 0; ++turn) {
                // At first a minimum that lets successes wait, then one that does not.
                policy.minimum_calls = turn % 2 == 0 ? 1 : all;
                policy.slow_calls.reset();
                if (turn % 3 == 0) policy.slow_calls = SlowCalls{.longer_than = 1h, .rate = 1.0};
                breaker.reconfigure(policy, {});
            }
            return;
        }
        for (int n = 0; n != calls; ++n) {
            if (n % 3 == 0) {
                auto permit = breaker.try_acquire();
                (void)permit.success();
            } else {
                breaker.record_success();
            }
        }
        --running;
    });
    const Snapshot seen = breaker.snapshot();
    CHECK(seen.calls == 3 * calls);
    CHECK(seen.failures == 0);
    CHECK(seen.slow == 0);
}

TEST_CASE("CircuitBreaker: each call is slow by the limit of one policy while it changes", "[race]") {
    const auto judging = [](Nanoseconds longer_than) {
        CountWindow policy{.size = all, .minimum_calls = all};
        policy.slow_calls = SlowCalls{.longer_than = longer_than, .rate = 1.0};
        return policy;
    };
    // Of each pair of calls one is slow by whatever is in force, the other never.
    CircuitBreaker<SteadyClock, CountWindow> breaker{judging(1s)};
    constexpr std::uint64_t pairs = 10'000;
    std::atomic<int> running{3};
    race::together(4, [&](std::size_t i) {
        if (i == 0) {
            for (int turn = 0; running != 0; ++turn)
                breaker.reconfigure(judging(turn % 2 == 0 ? 2s : 1s), {});
            return;
        }
        for (std::uint64_t n = 0; n != pairs; ++n) {
            breaker.record_success(1s);
            breaker.record_success(2s + 1ns);
        }
        --running;
    });
    CHECK(breaker.snapshot().calls == 6 * pairs);
    CHECK(breaker.snapshot().slow == 3 * pairs);
}

TEST_CASE("CircuitBreaker: each success is in its history once, whatever threads read it meanwhile",
          "[race]") {
    CircuitBreaker<SteadyClock, CountWindow> breaker{{.size = all, .minimum_calls = all},
                                                     {.history = 65'536}};
    std::atomic<int> running{3};
    std::atomic<int> wrong{0};
    race::together(4, [&](std::size_t i) {
        if (i == 0) {
            while (running != 0) {
                std::uint64_t calls = 0;
                for (const BreakerEvent& event : breaker.history()) {
                    calls += event.count;
                    if (event.calls != calls) ++wrong;
                }
            }
            return;
        }
        for (int n = 0; n != 5'000; ++n) {
            if (i == 1 && n % 50 == 0) {
                breaker.record_failure();
            } else {
                breaker.record_success();
            }
        }
        --running;
    });
    CHECK(wrong == 0);
    std::uint64_t calls = 0;
    const auto history = breaker.history();
    REQUIRE(history.front().number == 0);
    for (const BreakerEvent& event : history) calls += event.count;
    CHECK(calls == 15'000);
}

TEST_CASE("CircuitBreaker: a window that turns clean becomes quiet for all threads", "[race]") {
    CircuitBreaker<ManualClock, CountWindow> breaker{{.size = 100, .minimum_calls = 10}};
    race::together(4, [&](std::size_t i) {
        for (int n = 0; n != 2'000; ++n) {
            if (i == 0 && n == 500) breaker.record_failure();
            breaker.record_success();
        }
    });
    CHECK(breaker.snapshot().failures == 0);
    CHECK(breaker.snapshot().calls == 100);
    CHECK(breaker.state() == State::closed);
}

} // namespace tests::guard_batches_race
