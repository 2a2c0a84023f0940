// SPDX-License-Identifier: MIT
// Queues that lost slots or waiters, served callers that had given up, or refused without a reason.
#include "catch.hpp"
#include "guard/queue_support.hpp"
#include "guard/race.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

namespace tests::field_cases_queues {

using namespace queue_support;
using namespace std::chrono_literals;
using dashpot::ControlledDelay;
using dashpot::Error;
using dashpot::Instant;
using dashpot::QueueOrder;

TEST_CASE("QueuedBulkhead: a waiter that left or timed out leaves its place at once") {
    ManualClock clock;
    Queue queue{{.max_concurrent = 1, .max_queued = 1, .max_wait = 1s}, clock};
    auto held = queue.try_acquire();
    Noting first;
    queue.enqueue(first);
    SECTION("it is taken out") { CHECK(queue.withdraw(first)); }
    SECTION("it times out, and no timer runs") { clock.advance(1s); }
    Noting second;
    queue.enqueue(second);
    CHECK(second.waits());
    held.release();
    CHECK(second.is_granted());
    for (int i = 0; i != 10'000; ++i) {
        Noting passing;
        queue.enqueue(passing);
        REQUIRE(queue.withdraw(passing));
    }
    CHECK(queue.queued() == 0);
}

TEST_CASE(
    "QueuedBulkhead: a limit that grows wakes as many as fit, and several slots freed serve several") {
    Queue queue{{.max_concurrent = 1}};
    const auto held = queue.try_acquire();
    std::array<Noting, 8> waiters;
    for (std::size_t i = 0; i != 5; ++i) queue.enqueue(waiters[i]);
    queue.resize(5);
    for (std::size_t i = 0; i != 5; ++i) CHECK(waiters[i].is_granted() == (i != 4));
    CHECK(queue.withdraw(waiters[4]));
    for (std::size_t i = 5; i != 8; ++i) queue.enqueue(waiters[i]);
    for (std::size_t i = 0; i != 3; ++i) waiters[i].held.release();
    for (std::size_t i = 5; i != 8; ++i) CHECK(waiters[i].is_granted());
}

TEST_CASE("QueuedBulkhead: newest first, the full queue gives up its oldest and keeps the newcomer") {
    Queue queue{{.max_concurrent = 1, .max_queued = 2, .order = QueueOrder::lifo}};
    auto held = queue.try_acquire();
    std::array<Noting, 3> waiters;
    for (Noting& waiter : waiters) queue.enqueue(waiter);
    CHECK(waiters[0].is_refused(Error::queue_full));
    held.release();
    CHECK(waiters[2].is_granted());
    waiters[2].held.release();
    CHECK(waiters[1].is_granted());
    waiters[1].held.release();
    CHECK(queue.in_flight() == 0);
}

TEST_CASE("QueuedBulkhead: a slot does not go to a caller that has given up") {
    ManualClock clock;
    Queue queue{{.max_concurrent = 1, .max_wait = 10s}, clock};
    auto held = queue.try_acquire();
    Noting first;
    Noting second;
    queue.enqueue(first, at(100ms));
    queue.enqueue(second, at(1s));
    clock.advance(150ms);
    held.release();
    CHECK(first.is_refused(Error::deadline_exceeded));
    CHECK(second.is_granted());
}

TEST_CASE("QueuedBulkhead: in order of arrival, none waits longer than those before it take") {
    ManualClock clock;
    Queue queue{{.max_concurrent = 1, .max_queued = 20, .max_wait = 1h}, clock};
    std::deque<Noting> waiters;
    std::vector<Instant> arrived;
    std::size_t served = 0;
    auto arrive = [&] {
        arrived.push_back(clock.now());
        queue.enqueue(waiters.emplace_back());
    };
    for (int i = 0; i != 10; ++i) arrive();
    for (int second = 0; second != 1000; ++second) {
        clock.advance(1s);
        REQUIRE(waiters[served].is_granted());
        waiters[served++].held.release();
        if (served != waiters.size()) {
            CHECK(waiters[served].is_granted());
            CHECK(clock.now() - arrived[served] <= 10s);
        }
        arrive();
    }
    while (served != waiters.size()) waiters[served++].held.release();
}

TEST_CASE("QueuedBulkhead: below the limit none is refused, however many threads come and go") {
    Queue queue{{.max_concurrent = 64}};
    std::atomic<int> refused{0};
    race::together(8, [&](std::size_t) {
        for (int turn = 0; turn != 20'000; ++turn) refused += queue.try_acquire() ? 0 : 1;
    });
    CHECK(refused == 0);
}

TEST_CASE("QueuedBulkhead: a bulkhead that goes refuses its waiters, and leaves none behind") {
    std::array<Noting, 3> waiters;
    auto queue = std::make_unique<Queue>(dashpot::QueueOptions{.max_concurrent = 2});
    auto held = fill(*queue);
    for (Noting& waiter : waiters) queue->enqueue(waiter);
    waiters[0].then = [&](Noting&) { held.clear(); }; // slots come back meanwhile
    queue.reset();
    for (const Noting& waiter : waiters) CHECK(waiter.is_refused(Error::cancelled));
}

namespace {

/// Service of 1 ms behind one slot, with arrivals at fixed times. What it served, and how late.
struct Served {
    int served = 0;
    int refused = 0;
    std::chrono::nanoseconds longest_wait{0}; // of those that were served from `since` on
};

Served serve(std::vector<Instant> arrivals, std::chrono::nanoseconds end,
             std::chrono::nanoseconds since) {
    ManualClock clock;
    Queue queue{{.max_concurrent = 1,
                 .max_queued = 1000,
                 .max_wait = 1s,
                 .controlled_delay = ControlledDelay{5ms, 100ms}},
                clock};
    std::deque<Noting> waiters;
    Served result;
    std::size_t next = 0;
    Noting* in_service = nullptr;
    Instant until{};
    while (clock.now() < Instant{end}) {
        const bool arrives =
            next != arrivals.size() && (in_service == nullptr || arrivals[next] < until);
        if (!arrives && in_service == nullptr) break;
        clock.set(arrives ? arrivals[next] : until);
        if (!arrives) {
            Noting* const done = in_service;
            in_service = nullptr;
            done->held.release(); // may grant the next, which sets `in_service`
            continue;
        }
        const Instant arrived = arrivals[next++];
        Noting& waiter = waiters.emplace_back();
        waiter.then = [&, arrived](Noting& self) {
            if (self.refusals != 0) {
                ++result.refused;
                return;
            }
            ++result.served;
            in_service = &self;
            until = clock.now() + 1ms;
            if (clock.now() >= Instant{since})
                result.longest_wait = std::max(result.longest_wait, clock.now() - arrived);
        };
        queue.enqueue(waiter);
    }
    for (Noting& waiter : waiters) {
        waiter.then = nullptr;
        (void)queue.withdraw(waiter);
    }
    return result;
}

} // namespace

TEST_CASE("QueuedBulkhead: controlled delay leaves a burst alone") {
    const Served burst = serve(std::vector<Instant>(50, Instant{}), 1s, 0s);
    CHECK(burst.served == 50);
    CHECK(burst.refused == 0);
}

TEST_CASE(
    "QueuedBulkhead: controlled delay serves no late caller in a lasting overload, and is never idle") {
    std::vector<Instant> arrivals;
    for (int i = 0; i != 12'000; ++i)
        arrivals.push_back(Instant{i * std::chrono::nanoseconds{1s} / 1200});
    const Served overload = serve(arrivals, 10s, 300ms);
    CHECK(overload.longest_wait <= 5ms);
    CHECK(overload.served >= 9900);
    CHECK(overload.refused >= 1800);
}

} // namespace tests::field_cases_queues
