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
