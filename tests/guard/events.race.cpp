// SPDX-License-Identifier: MIT
// Listeners that come and go while events are under way: each event once, in order, and none after the
// end.
#include "catch.hpp"
#include "guard/race.hpp"

#include <dashpot/guard/circuit_breaker.hpp>
#include <dashpot/guard/subscription.hpp>
#include <dashpot/testing/manual_clock.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

namespace tests::guard_events_race {

namespace {

using namespace dashpot;
using Breaker = CircuitBreaker<testing::ManualClock>;

/// Two commands, each of which starts a new generation with an event, unless it changes nothing.
void stir(Breaker& breaker, int turn) {
    if (turn % 2 == 0) {
        breaker.force_open();
    } else {
        breaker.disable();
    }
}

/// Gives other threads time to do what they must not do yet.
void dawdle() {
    for (int i = 0; i != 20; ++i) std::this_thread::yield();
}

} // namespace

// resilience4j/resilience4j#1115
TEST_CASE(
    "CircuitBreaker: each listener receives each event once and in order while others come and go") {
    Breaker breaker;
    std::array<std::vector<std::uint64_t>, 3> heard;
    std::array<Subscription, 3> subscriptions;
    for (std::size_t i = 0; i != heard.size(); ++i) {
        subscriptions[i] = breaker.on_transition([&heard, i](const Transition& move) {
            heard[i].push_back(move.generation);
            if (i == 0) throw std::runtime_error{"not the others' concern"};
        });
    }
    std::atomic<int> out_of_order{0};
    std::atomic<int> at_once{0};
    std::atomic<int> running{0};
    race::together(8, [&](std::size_t i) {
        for (int turn = 0; turn != 3000; ++turn) {
            if (i < 4) {
                stir(breaker, turn + static_cast<int>(i));
                continue;
            }
            const std::uint64_t before = breaker.snapshot().generation;
            const auto guest =
                breaker.on_transition([&, before, last = before](const Transition& move) mutable {
                    at_once += running++ == 0 ? 0 : 1;
                    const bool is_next =
                        last == before ? move.generation > before : move.generation == last + 1;
                    out_of_order += is_next ? 0 : 1;
                    last = move.generation;
                    --running;
                });
            if (i % 2 == 0) stir(breaker, turn);
        }
    });
    std::vector<std::uint64_t> expected(breaker.snapshot().generation - 1);
    std::iota(expected.begin(), expected.end(), std::uint64_t{2});
    CHECK(expected.size() > 1000);
    for (const auto& each : heard) CHECK(each == expected);
    CHECK(out_of_order == 0);
    CHECK(at_once == 0);
}

TEST_CASE("Subscription: once it is gone, its listener neither runs nor begins to") {
    const bool is_slow = GENERATE(false, true);
    Breaker breaker;
    std::optional<Subscription> subscription;
    std::unique_ptr<std::atomic<bool>> lives;
    std::atomic<int> calls{0};
    std::atomic<int> too_late{0};
    race::in_rounds(
        3, is_slow ? 500 : 3000,
        [&] {
            lives = std::make_unique<std::atomic<bool>>(true);
            subscription = breaker.on_transition([&, alive = lives.get()](const Transition&) {
                ++calls;
                too_late += *alive ? 0 : 1;
                if (is_slow) dawdle();
                too_late += *alive ? 0 : 1;
            });
        },
        [&](std::size_t i) {
            if (i == 0) {
                std::this_thread::yield();
                subscription.reset();
                *lives = false;
                lives.reset(); // a listener that still ran would now touch freed memory
            } else {
                for (int turn = 0; turn != 8; ++turn) stir(breaker, turn);
            }
        },
        [] {});
    CHECK(calls > 0);
    CHECK(too_late == 0);
}

TEST_CASE("Subscription: its end waits for a slow call on another thread") {
    const auto end = GENERATE(0, 1, 2); // destroyed, cancelled, assigned to
    Breaker breaker;
    std::atomic<bool> has_begun{false};
    std::atomic<bool> is_ending{false};
    std::atomic<bool> has_ended{false};
    std::optional<Subscription> subscription = breaker.on_transition([&](const Transition&) {
        has_begun = true;
        while (!is_ending) std::this_thread::yield();
        dawdle();
        has_ended = true;
    });
    bool was_waited_for = false;
    race::together(2, [&](std::size_t i) {
        if (i == 0) return breaker.trip();
        while (!has_begun) std::this_thread::yield();
        is_ending = true;
        if (end == 0) subscription.reset();
        if (end == 1) subscription->cancel();
        if (end == 2) *subscription = Subscription{};
        was_waited_for = has_ended;
    });
    CHECK(was_waited_for);
    has_ended = false;
    breaker.reset();
    CHECK_FALSE(has_ended);
}

// resilience4j/resilience4j#1115
TEST_CASE("Subscription: a listener that ends it in its own call is not called again, and what it held "
          "is let go") {
    auto held = std::make_shared<int>(0);
    std::atomic<int> calls{0};
    std::atomic<int> calls_of_others{0};
    constexpr int rounds = 1000;
    Breaker breaker;
    const auto other = breaker.on_transition([&](const Transition&) { ++calls_of_others; });
    std::optional<Subscription> own;
    const std::uint64_t before = breaker.snapshot().generation;
    race::in_rounds(
        3, rounds,
        [&] {
            own = breaker.on_transition([&, held](const Transition&) {
                ++calls;
                own.reset();
            });
        },
        [&](std::size_t) {
            for (int turn = 0; turn != 3; ++turn) stir(breaker, turn);
        },
        [] {});
    CHECK(calls == rounds);
    CHECK(held.use_count() == 1);
    CHECK(static_cast<std::uint64_t>(calls_of_others) == breaker.snapshot().generation - before);
}

TEST_CASE("Subscription: a listener may end another's, which is then called no more") {
    Breaker breaker;
    std::optional<Subscription> second;
    std::atomic<bool> has_ended{false};
    std::atomic<int> too_late{0};
    const auto first = breaker.on_transition([&](const Transition&) {
        second.reset();
        has_ended = true;
    });
    race::in_rounds(
        3, 1000,
        [&] {
            has_ended = false;
            second = breaker.on_transition([&](const Transition&) { too_late += has_ended ? 1 : 0; });
        },
        [&](std::size_t) {
            for (int turn = 0; turn != 3; ++turn) stir(breaker, turn);
        },
        [&] { CHECK(has_ended); });
    CHECK(too_late == 0);
}

TEST_CASE("Subscription: it may end on one thread while the breaker ends on another") {
    std::unique_ptr<Breaker> breaker;
    std::vector<Subscription> subscriptions(3);
    std::atomic<int> calls{0};
    race::in_rounds(
        4, 1000,
        [&] {
            breaker = std::make_unique<Breaker>();
            for (auto& each : subscriptions) {
                each = breaker->on_transition([&](const Transition&) { ++calls; });
            }
        },
        [&](std::size_t i) {
            if (i == 0) {
                breaker->trip();
                breaker.reset();
            } else {
                subscriptions[i - 1] = {};
            }
        },
        [&] { CHECK(breaker == nullptr); });
    CHECK(calls <= 3000);
}

// sony/gobreaker#37, redis/go-redis#3991
TEST_CASE(
    "CircuitBreaker: what happens during a slow call is delivered after it, all of it and in order") {
    Breaker breaker;
    std::atomic<bool> is_stirred{false};
    std::vector<std::uint64_t> heard; // one at a time: needs no lock
    std::uint64_t seen_meanwhile = 0;
    const auto subscription = breaker.on_transition([&](const Transition& move) {
        if (heard.empty()) {
            while (!is_stirred) std::this_thread::yield();
            seen_meanwhile = breaker.snapshot().generation;
        }
        heard.push_back(move.generation);
    });
    race::together(2, [&](std::size_t i) {
        if (i == 0) {
            breaker.trip();
            return;
        }
        while (breaker.state() != State::open) std::this_thread::yield();
        for (int turn = 0; turn != 99; ++turn)
            stir(breaker, turn + 1); // does not wait for the listener
        breaker.force_open();
        is_stirred = true;
    });
    CHECK(seen_meanwhile == 102);
    std::vector<std::uint64_t> expected(101);
    std::iota(expected.begin(), expected.end(), std::uint64_t{2});
    CHECK(heard == expected);
}

TEST_CASE("CircuitBreaker: listeners that cause events on many threads neither deadlock nor lose any") {
    Breaker breaker;
    std::vector<std::uint64_t> heard;
    std::atomic<int> to_cause{2000};
    const auto subscription = breaker.on_transition([&](const Transition& move) {
        heard.push_back(move.generation);
        if (--to_cause <= 0) return;
        stir(breaker, move.to == State::forced_open ? 1 : 0);
        (void)breaker.snapshot();
        (void)breaker.try_acquire();
        const auto guest = breaker.on_transition([](const Transition&) {});
    });
    race::together(4, [&](std::size_t i) {
        for (int turn = 0; turn != 500; ++turn) stir(breaker, turn + static_cast<int>(i));
    });
    std::vector<std::uint64_t> expected(breaker.snapshot().generation - 1);
    std::iota(expected.begin(), expected.end(), std::uint64_t{2});
    CHECK(heard == expected);
}

} // namespace tests::guard_events_race
