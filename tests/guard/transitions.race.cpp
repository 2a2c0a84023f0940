// SPDX-License-Identifier: MIT
// What changes the state, all at once: every change is an edge of the diagram, and follows the one
// before it.
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
#include <random>
#include <thread>
#include <vector>

namespace tests::guard_transitions_race {

namespace {

using namespace dashpot;
using namespace std::chrono_literals;
using testing::ManualClock;
using Breaker = CircuitBreaker<ManualClock>;

/// What a transition may look like, whatever came before it.
bool is_edge(const Transition& move) {
    if (move.from == move.to) return false;
    switch (move.reason) {
    case Reason::consecutive_failures: return move.from == State::closed && move.to == State::open;
    case Reason::reset_timeout: return move.from == State::open && move.to == State::half_open;
    case Reason::probes_succeeded: return move.from == State::half_open && move.to == State::closed;
    case Reason::probes_failed: return move.from == State::half_open && move.to == State::open;
    case Reason::trip:
        return (move.from == State::closed || move.from == State::half_open) && move.to == State::open;
    case Reason::force_open: return move.to == State::forced_open;
    case Reason::disable: return move.to == State::disabled;
    case Reason::reset: return move.to == State::closed;
    default: return false;
    }
}

bool describes_itself(const Transition& move) {
    return move.snapshot.state == move.to && move.snapshot.generation == move.generation &&
           move.snapshot.since == move.at &&
           move.snapshot.opened_at.has_value() ==
               (move.to == State::open || move.to == State::half_open) &&
           (move.to != State::open || move.snapshot.opened_at == move.at);
}

void check_chain(const std::vector<testing::TransitionRecorder::Entry>& heard, State last) {
    int not_edges = 0;
    int unlinked = 0;
    int backward = 0;
    int inconsistent = 0;
    State state = State::closed;
    std::uint64_t generation = 1;
    for (const auto& [target, move] : heard) {
        not_edges += is_edge(move) ? 0 : 1;
        unlinked += move.from == state ? 0 : 1;
        backward += move.generation > generation ? 0 : 1;
        inconsistent += describes_itself(move) ? 0 : 1;
        state = move.to;
        generation = move.generation;
    }
    CHECK(not_edges == 0);
    CHECK(unlinked == 0);
    CHECK(backward == 0);
    CHECK(inconsistent == 0);
    CHECK(state == last);
}

/// Some use of a breaker, drawn by lot. Others may come between the question and the answer.
void use(Breaker& breaker, std::minstd_rand& random) {
    const auto lot = random() % 12;
    if (lot < 6) {
        if (!breaker.allow()) return;
        if (lot % 2 == 0) std::this_thread::yield();
        if (lot < 2) return breaker.record_success();
        if (lot < 4) return breaker.record_failure();
        return breaker.record_ignored();
    }
    auto permit = breaker.try_acquire();
    if (lot % 2 == 0) std::this_thread::yield();
    if (lot < 8) permit.success();
    if (lot >= 10) permit.failure();
}

void command(Breaker& breaker, std::minstd_rand& random) {
    switch (random() % 8) {
    case 0: breaker.force_open(); break;
    case 1: breaker.disable(); break;
    case 2:
    case 3: breaker.trip(); break;
    default: breaker.reset(); break;
    }
}

} // namespace

// resilience4j/resilience4j#562, Netflix/Hystrix#1806
TEST_CASE("CircuitBreaker: every transition is an edge that begins where the one before it ended") {
    const auto probes = GENERATE(1U, 2U);
    ManualClock clock;
    Breaker breaker{{2}, {.reset_timeout = 1ms, .half_open = {.probes = probes}}, clock};
    testing::TransitionRecorder heard;
    const auto subscription = breaker.on_transition(std::ref(heard));
    race::together(18, [&](std::size_t i) {
        std::minstd_rand random{static_cast<unsigned>(i) + 1};
        for (int turn = 0; turn != 3000; ++turn) {
            if (i == 0) {
                command(breaker, random);
                use(breaker, random);
            } else if (i == 1) {
                clock.advance(200us);
            } else {
                use(breaker, random);
            }
        }
    });
    CHECK(heard.entries().size() > 100);
    check_chain(heard.entries(), breaker.state());
}

TEST_CASE("CircuitBreaker: commands that meet are carried out one after the other") {
    Breaker breaker;
    testing::TransitionRecorder heard;
    const auto subscription = breaker.on_transition(std::ref(heard));
    race::together(8, [&](std::size_t i) {
        std::minstd_rand random{static_cast<unsigned>(i) + 1};
        for (int turn = 0; turn != 3000; ++turn) command(breaker, random);
    });
    check_chain(heard.entries(), breaker.state());
}

// Netflix/Hystrix#1806
TEST_CASE("CircuitBreaker: a snapshot is of one instant, whatever goes on") {
    constexpr std::uint32_t threshold = 3;
    constexpr std::uint32_t probes = 2;
    ManualClock clock;
    Breaker breaker{{threshold}, {.reset_timeout = 1ms, .half_open = {.probes = probes}}, clock};
    std::atomic<bool> is_over{false};
    std::atomic<int> contradictions{0};
    std::atomic<int> users{5};
    race::together(8, [&](std::size_t i) {
        std::minstd_rand random{static_cast<unsigned>(i) + 1};
        if (i == 0) { // the only one to move the clock
            race::until(is_over, [&] { clock.advance(100us); });
        } else if (i < 3) {
            std::uint64_t generation = 0;
            race::until(is_over, [&] {
                const Snapshot seen = breaker.snapshot();
                const bool has_opened = seen.state == State::open || seen.state == State::half_open;
                bool is_right = seen.generation >= generation && seen.since <= clock.now() &&
                                seen.opened_at.has_value() == has_opened &&
                                (!seen.opened_at || *seen.opened_at <= seen.since) &&
                                seen.failures <= seen.calls && seen.retry_after >= 0ns &&
                                seen.retry_after <= (seen.state == State::open ? 1ms : 0ns) &&
                                seen.probes_in_flight <= (seen.state == State::half_open ? probes : 0U);
                if (seen.state == State::closed) is_right = is_right && seen.failures < threshold;
                if (seen.state == State::half_open) is_right = is_right && seen.calls < probes;
                contradictions += is_right ? 0 : 1;
                generation = seen.generation;
            });
        } else {
            for (int turn = 0; turn != 5000; ++turn) use(breaker, random);
            if (--users == 0) is_over = true;
        }
    });
    CHECK(contradictions == 0);
}

// Netflix/Hystrix#2108
TEST_CASE("CircuitBreaker: after any storm, a target in good health is called again") {
    const auto threshold = GENERATE(1U, 3U);
    const auto probes = GENERATE(1U, 4U);
    ManualClock clock;
    Breaker breaker{{threshold}, {.reset_timeout = 1ms, .half_open = {.probes = probes}}, clock};
    race::together(8, [&](std::size_t i) {
        std::minstd_rand random{static_cast<unsigned>(i) + 7};
        for (int turn = 0; turn != 4000; ++turn) {
            use(breaker, random);
            if (i == 0) clock.advance(50us);
        }
    });
    race::together(8, [&](std::size_t) {
        for (int turn = 0; turn != 100; ++turn) {
            clock.advance(1ms);
            if (auto permit = breaker.try_acquire()) permit.success();
        }
    });
    CHECK(breaker.state() == State::closed);
    CHECK(breaker.snapshot().failures == 0);
    CHECK(breaker.allow());
}

// apache/brpc#701
TEST_CASE(
    "CircuitBreaker: failures that follow the closing at once are all counted, older ones never") {
    const auto threshold = GENERATE(1U, 3U, 7U);
    ManualClock clock;
    std::optional<Breaker> breaker;
    std::optional<Breaker::Permit> probe;
    std::atomic<std::uint32_t> failures{0};
    std::atomic<std::uint32_t> not_counted{0};
    std::atomic<bool> are_all_told{false};
    race::in_rounds(
        9, 1000,
        [&] {
            probe.reset();
            breaker.emplace(ConsecutiveFailures{threshold}, BreakerOptions{.reset_timeout = 10s},
                            clock);
            for (std::uint32_t i = 0; i != threshold; ++i) breaker->record_failure();
            clock.advance(10s);
            probe.emplace(breaker->try_acquire());
            failures = 0;
            are_all_told = false;
        },
        [&](std::size_t i) {
            if (i == 0) {
                probe->success();
                return;
            }
            race::until(are_all_told, [&] {
                auto permit = breaker->try_acquire(); // granted only once it has closed
                if (!permit) return;
                const std::uint32_t before = failures++;
                if (before >= threshold) return;
                not_counted += permit.failure() ? 0 : 1;
                if (before + 1 == threshold) are_all_told = true;
            });
        },
        [&] {
            CHECK(breaker->state() == State::open);
            CHECK(breaker->snapshot().failures == threshold);
        });
    CHECK(not_counted == 0);
}

} // namespace tests::guard_transitions_race
