// SPDX-License-Identifier: MIT
#include <dashpot/guard/queued_bulkhead.hpp>

#include "catch.hpp"
#include "guard/queue_support.hpp"

#include <array>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

namespace tests::guard_queued_bulkhead {

using namespace queue_support;
using namespace std::chrono_literals;
using dashpot::ControlledDelay;
using dashpot::Deadline;
using dashpot::Error;
using dashpot::QueuedBulkhead;
using dashpot::QueueOptions;
using dashpot::QueueOrder;

namespace {

/// Calls `acquire` on a thread of its own and waits until it is queued.
template <class... Arguments>
std::jthread waiting(Queue& queue, Queue::Permit& result, Arguments... arguments) {
    const std::uint32_t before = queue.queued();
    std::jthread thread{[&queue, &result, arguments...] { result = queue.acquire(arguments...); }};
    while (queue.queued() == before) std::this_thread::yield();
    return thread;
}

} // namespace

TEST_CASE("QueuedBulkhead: admits up to the limit, and try_acquire never waits", "[guard]") {
    Queue queue{{.max_concurrent = 2}};
    const auto permits = fill(queue);
    CHECK(permits.size() == 2);
    CHECK(queue.in_flight() == 2);
    CHECK(queue.available() == 0);
    const auto refused = queue.try_acquire();
    CHECK(refused.refusal() == dashpot::Refusal{Error::bulkhead_full});
    CHECK(queue.refused() == 2); // the one that ended fill(), and this
    CHECK(queue.max_concurrent() == 2);
}

TEST_CASE("QueuedBulkhead: a freed slot goes to the caller that waits, and none overtakes it",
          "[guard]") {
    Queue queue{{.max_concurrent = 1}};
    auto held = queue.try_acquire();
    Noting waiter;
    queue.enqueue(waiter);
    CHECK(waiter.waits());
    CHECK(queue.queued() == 1);
    held.release();
    CHECK(waiter.is_granted());
    CHECK(queue.in_flight() == 1);
    CHECK(queue.queued() == 0);
    CHECK_FALSE(queue.try_acquire());
    waiter.held.release();
    CHECK(queue.try_acquire());
}

TEST_CASE("QueuedBulkhead: no caller overtakes those that wait for a limit of 0 to end", "[guard]") {
    Queue queue{{.max_concurrent = 0}};
    std::array<Noting, 3> waiters;
    for (Noting& waiter : waiters) queue.enqueue(waiter);
    CHECK(queue.queued() == 3);
    CHECK_FALSE(queue.try_acquire());
    queue.resize(2);
    CHECK(waiters[0].is_granted());
    CHECK(waiters[1].is_granted());
    CHECK(waiters[2].waits());
    CHECK_FALSE(queue.try_acquire());
    waiters[0].held.release();
    CHECK(waiters[2].is_granted());
}

TEST_CASE("QueuedBulkhead: fifo serves the longest waiting, lifo the newest", "[guard]") {
    const auto order = GENERATE(QueueOrder::fifo, QueueOrder::lifo);
    Queue queue{{.max_concurrent = 1, .order = order}};
    auto held = queue.try_acquire();
    std::array<Noting, 3> waiters;
    for (Noting& waiter : waiters) queue.enqueue(waiter);
    held.release();
    for (std::size_t i = 0; i != 3; ++i) {
        Noting& next = waiters[order == QueueOrder::fifo ? i : 2 - i];
        CHECK(next.is_granted());
        next.held.release();
    }
    CHECK(queue.in_flight() == 0);
}

TEST_CASE("QueuedBulkhead: a free slot is granted at once, inside enqueue", "[guard]") {
    Queue queue{{.max_concurrent = 1}};
    Noting waiter;
    queue.enqueue(waiter);
    CHECK(waiter.is_granted());
    CHECK(queue.in_flight() == 1);
}

TEST_CASE("QueuedBulkhead: with a full queue, fifo refuses the newcomer and lifo the oldest",
          "[guard]") {
    const auto order = GENERATE(QueueOrder::fifo, QueueOrder::lifo);
    Queue queue{{.max_concurrent = 0, .max_queued = 1, .order = order}};
    Noting old;
    Noting fresh;
    queue.enqueue(old);
    queue.enqueue(fresh);
    CHECK(queue.queued() == 1);
    CHECK(queue.refused() == 1);
    CHECK((order == QueueOrder::fifo ? fresh : old).is_refused(Error::queue_full));
    CHECK((order == QueueOrder::fifo ? old : fresh).waits());
    CHECK(queue.withdraw(order == QueueOrder::fifo ? old : fresh));
    CHECK(queue.acquire(at(0s)).refusal() == Error::deadline_exceeded);
}

TEST_CASE("QueuedBulkhead: without places to wait it is a plain bulkhead", "[guard]") {
    Queue queue{{.max_concurrent = 1, .max_queued = 0}};
    auto held = queue.acquire();
    CHECK(held);
    CHECK(queue.acquire().refusal() == Error::queue_full);
    CHECK(queue.try_acquire().refusal() == Error::bulkhead_full);
    Noting waiter;
    queue.enqueue(waiter);
    CHECK(waiter.is_refused(Error::queue_full));
    held.release();
    CHECK(queue.available() == 1);
    CHECK(queue.acquire());
}

TEST_CASE("QueuedBulkhead: a deadline that has passed refuses at once, also if a slot is free",
          "[guard]") {
    ManualClock clock{dashpot::Instant{5s}};
    Queue queue{{.max_concurrent = 1}, clock};
    CHECK(queue.acquire(at(5s)).refusal() == Error::deadline_exceeded);
    CHECK(queue.acquire(at(5s + 1ns)));
    Noting waiter;
    queue.enqueue(waiter, at(5s));
    CHECK(waiter.is_refused(Error::deadline_exceeded));
    CHECK(queue.in_flight() == 0);
    CHECK(queue.refused() == 2);
}

TEST_CASE(
    "QueuedBulkhead: a caller that is stopped before it waits is cancelled, also if a slot is free "
    "or the deadline has passed",
    "[guard]") {
    Queue queue{{.max_concurrent = 1}};
    std::stop_source source;
    source.request_stop();
    CHECK(queue.acquire({}, source.get_token()).refusal() == Error::cancelled);
    CHECK(queue.acquire(at(-1s), source.get_token()).refusal() == Error::cancelled);
    CHECK(queue.available() == 1);
}

TEST_CASE("QueuedBulkhead: expire refuses what has waited for the longest time, not a tick less",
          "[guard]") {
    ManualClock clock;
    Queue queue{{.max_concurrent = 0, .max_wait = 1s}, clock};
    Noting first;
    Noting second;
    queue.enqueue(first);
    clock.advance(1ms);
    queue.enqueue(second, at(500ms));
    CHECK(queue.next_expiry() == dashpot::Instant{500ms});
    CHECK(queue.next_expiry(first) == dashpot::Instant{1s});
    CHECK(queue.next_expiry(second) == dashpot::Instant{500ms});
    queue.expire(dashpot::Instant{500ms - 1ns});
    CHECK(second.waits());
    queue.expire(dashpot::Instant{500ms});
    CHECK(second.is_refused(Error::deadline_exceeded));
    CHECK_FALSE(queue.next_expiry(second));
    CHECK(queue.next_expiry() == dashpot::Instant{1s});
    queue.expire(dashpot::Instant{1s});
    CHECK(first.is_refused(Error::queue_timeout));
    CHECK_FALSE(queue.next_expiry());
    CHECK(queue.refused() == 2);
    queue.resize(1);
    CHECK(queue.try_acquire());
}

TEST_CASE("QueuedBulkhead: the longest wait and the deadline are looked at again at the hand-over",
          "[guard]") {
    ManualClock clock;
    Queue queue{{.max_concurrent = 1, .max_wait = 1s}, clock};
    auto held = queue.try_acquire();
    std::array<Noting, 3> waiters;
    queue.enqueue(waiters[0]);
    clock.advance(1ns);
    queue.enqueue(waiters[1], at(1s));
    queue.enqueue(waiters[2]);
    clock.set(dashpot::Instant{1s});
    held.release();
    CHECK(waiters[0].is_refused(Error::queue_timeout));
    CHECK(waiters[1].is_refused(Error::deadline_exceeded));
    CHECK(waiters[2].is_granted());
}

TEST_CASE("QueuedBulkhead: a slot that finds only expired waiters is free", "[guard]") {
    ManualClock clock;
    Queue queue{{.max_concurrent = 1, .max_wait = 1s}, clock};
    auto held = queue.try_acquire();
    Noting waiter;
    queue.enqueue(waiter);
    clock.advance(1s);
    held.release();
    CHECK(waiter.is_refused(Error::queue_timeout));
    CHECK(queue.in_flight() == 0);
    CHECK(queue.available() == 1);
}

TEST_CASE("QueuedBulkhead: withdraw takes out a waiter that waits, and no other", "[guard]") {
    Queue queue{{.max_concurrent = 1}};
    Noting never;
    CHECK(queue.withdraw(never)); // neither of its functions was called, nor will be
    auto held = queue.try_acquire();
    Noting waiter;
    queue.enqueue(waiter);
    CHECK(queue.withdraw(waiter));
    CHECK(queue.withdraw(waiter));
    CHECK(queue.queued() == 0);
    held.release();
    CHECK(waiter.waits());
    CHECK(queue.available() == 1);
    queue.enqueue(waiter);
    CHECK(waiter.is_granted());
    CHECK_FALSE(queue.withdraw(waiter));
    waiter.held.release();
    queue.resize(0);
    Noting other;
    queue.enqueue(other, at(-1s));
    CHECK_FALSE(queue.withdraw(other));
    CHECK(queue.refused() == 1); // a waiter that is taken out is not refused
}

TEST_CASE("QueuedBulkhead: growing wakes exactly as many as fit", "[guard]") {
    const auto [grown, granted] =
        GENERATE(table<std::uint32_t, int>({{1, 0}, {2, 1}, {3, 2}, {6, 5}, {100, 5}}));
    Queue queue{{.max_concurrent = 1}};
    const auto held = queue.try_acquire();
    std::array<Noting, 5> waiters;
    for (Noting& waiter : waiters) queue.enqueue(waiter);
    queue.resize(grown);
    int count = 0;
    for (const Noting& waiter : waiters) count += waiter.grants;
    CHECK(count == granted);
    CHECK(queue.in_flight() == 1 + static_cast<std::uint32_t>(granted));
    CHECK(queue.available() == (grown == 100 ? 94U : 0U));
    queue.resize(0); // nothing of `waiters` may wait when they go
    for (Noting& waiter : waiters) (void)queue.withdraw(waiter);
}

TEST_CASE(
    "QueuedBulkhead: shrinking interrupts none, and slots are handed over below the new limit only",
    "[guard]") {
    Queue queue{{.max_concurrent = 3}};
    auto held = fill(queue);
    Noting waiter;
    queue.enqueue(waiter);
    queue.resize(1);
    CHECK(queue.in_flight() == 3);
    CHECK(queue.max_concurrent() == 1);
    held.pop_back();
    held.pop_back();
    CHECK(waiter.waits());
    CHECK(queue.in_flight() == 1);
    held.pop_back();
    CHECK(waiter.is_granted());
    CHECK(queue.in_flight() == 1);
}

TEST_CASE("QueuedBulkhead: resize without waiters changes the limit at once", "[guard]") {
    Queue queue{{.max_concurrent = 1}};
    queue.resize(2);
    CHECK(queue.available() == 2);
    auto held = fill(queue);
    CHECK(held.size() == 2);
    queue.resize(std::numeric_limits<std::uint32_t>::max());
    CHECK(queue.available() == std::numeric_limits<std::uint32_t>::max() - 2);
    queue.resize(0);
    CHECK(queue.available() == 0);
    held.clear();
    CHECK(queue.in_flight() == 0);
    CHECK_FALSE(queue.try_acquire());
}

TEST_CASE("QueuedBulkhead: reconfigure changes all options, also for those that wait", "[guard]") {
    ManualClock clock;
    Queue queue{{.max_concurrent = 1, .max_wait = 10s}, clock};
    auto held = queue.try_acquire();
    std::array<Noting, 3> waiters;
    for (Noting& waiter : waiters) queue.enqueue(waiter);
    const QueueOptions options{
        .max_concurrent = 2, .max_queued = 1, .max_wait = 2s, .order = QueueOrder::lifo};
    queue.reconfigure(options);
    CHECK(queue.options() == options);
    CHECK(queue.max_concurrent() == 2);
    CHECK(waiters[2].is_granted());
    CHECK(queue.queued() == 2); // none is refused because the queue has become shorter
    CHECK(queue.next_expiry() == dashpot::Instant{2s});
    clock.advance(2s);
    queue.expire(clock.now());
    CHECK(waiters[0].is_refused(Error::queue_timeout));
    CHECK(waiters[1].is_refused(Error::queue_timeout));
}

TEST_CASE("QueuedBulkhead: refuses options out of range, and then nothing has changed", "[guard]") {
    CHECK_THROWS_AS(Queue{QueueOptions{.max_wait = 0s}}, std::invalid_argument);
    Queue queue{{.max_concurrent = 3}};
    CHECK_THROWS_AS(queue.reconfigure({.max_concurrent = 4, .max_wait = -1s}), std::invalid_argument);
    CHECK(queue.options() == QueueOptions{.max_concurrent = 3});
    CHECK(queue.available() == 3);
}

TEST_CASE("QueuedBulkhead: refuses Waiters that still wait when it goes", "[guard]") {
    Noting waiter;
    {
        Queue queue{{.max_concurrent = 0}};
        queue.enqueue(waiter);
    }
    CHECK(waiter.is_refused(Error::cancelled));
}

TEST_CASE("QueuedBulkhead: a thread that waits gets the slot that is freed", "[guard]") {
    Queue queue{{.max_concurrent = 1}};
    auto held = queue.try_acquire();
    Queue::Permit result;
    std::jthread thread = waiting(queue, result);
    held.release();
    thread.join();
    CHECK(result);
    CHECK(queue.in_flight() == 1);
    CHECK(queue.queued() == 0);
}

TEST_CASE("QueuedBulkhead: threads and Waiters wait in one queue", "[guard]") {
    Queue queue{{.max_concurrent = 1}};
    auto held = queue.try_acquire();
    Noting first;
    Noting third;
    Queue::Permit second;
    queue.enqueue(first);
    std::jthread thread = waiting(queue, second);
    queue.enqueue(third);
    held.release();
    CHECK(first.is_granted());
    first.held.release();
    thread.join();
    CHECK(second);
    CHECK(third.waits());
    second.release();
    CHECK(third.is_granted());
}

TEST_CASE("QueuedBulkhead: a thread that waits is refused when the time has come", "[guard]") {
    const auto [deadline, reason] = GENERATE(table<Deadline, Error>(
        {{Deadline{}, Error::queue_timeout}, {at(500ms), Error::deadline_exceeded}}));
    const bool by_expire = GENERATE(false, true); // by a timer's owner, or by the thread itself
    ManualClock clock;
    Queue queue{{.max_concurrent = 0, .max_wait = 1s}, clock};
    Queue::Permit result;
    std::jthread thread = waiting(queue, result, deadline);
    if (by_expire) {
        queue.expire(dashpot::Instant{1s});
    } else {
        clock.advance(1s);
    }
    thread.join();
    CHECK_FALSE(result);
    CHECK(result.refusal() == reason);
    CHECK(queue.queued() == 0);
    CHECK(queue.refused() == 1);
}

TEST_CASE("QueuedBulkhead: a thread that waits is cancelled when it is stopped", "[guard]") {
    Queue queue{{.max_concurrent = 1}};
    auto held = queue.try_acquire();
    std::stop_source source;
    Queue::Permit result;
    std::jthread thread = waiting(queue, result, Deadline{}, source.get_token());
    source.request_stop();
    thread.join();
    CHECK(result.refusal() == Error::cancelled);
    held.release();
    CHECK(queue.available() == 1);
}

TEST_CASE("QueuedBulkhead: a thread with a real clock waits for the longest time, and not longer",
          "[guard]") {
    QueuedBulkhead queue{{.max_concurrent = 0, .max_wait = 20ms}};
    const auto start = std::chrono::steady_clock::now();
    CHECK(queue.acquire().refusal() == Error::queue_timeout);
    CHECK(std::chrono::steady_clock::now() - start >= 20ms);
    CHECK(queue.acquire(Deadline::after(1ms)).refusal() == Error::deadline_exceeded);
}

TEST_CASE("QueuedBulkhead: a wait that becomes shorter ends earlier, also for a thread", "[guard]") {
    QueuedBulkhead queue{{.max_concurrent = 0, .max_wait = 1h}};
    QueuedBulkhead<>::Permit result;
    std::jthread thread{[&] { result = queue.acquire(); }};
    while (queue.queued() == 0) std::this_thread::yield();
    queue.reconfigure({.max_concurrent = 0, .max_wait = 1ns});
    thread.join();
    CHECK(result.refusal() == Error::queue_timeout);
}

TEST_CASE("QueuedBulkhead: works with no time value special", "[guard]") {
    ManualClock clock{(dashpot::Instant::min)()};
    Queue queue{{.max_concurrent = 1, .max_wait = std::chrono::hours::max()}, clock};
    auto held = queue.try_acquire();
    Noting waiter;
    Noting late;
    queue.enqueue(waiter);
    queue.enqueue(late, Deadline{(dashpot::Instant::max)()});
    clock.set((dashpot::Instant::max)());
    held.release();
    // From the first instant to the last is as long as a duration can be.
    CHECK(waiter.is_refused(Error::queue_timeout));
    CHECK(late.refusals == 1);
}

TEST_CASE("QueuedBulkhead: is pinned where it is, and its calls do not throw", "[guard]") {
    STATIC_REQUIRE_FALSE(std::is_copy_constructible_v<Queue>);
    STATIC_REQUIRE_FALSE(std::is_move_constructible_v<Queue>);
    STATIC_REQUIRE_FALSE(std::is_convertible_v<QueueOptions, Queue>);
    STATIC_REQUIRE(std::same_as<decltype(QueuedBulkhead{}), QueuedBulkhead<dashpot::SteadyClock>>);
    STATIC_REQUIRE(
        requires(Queue& queue, const Queue& read, dashpot::Waiter& waiter, dashpot::Instant now) {
            { queue.try_acquire() } noexcept -> std::same_as<Queue::Permit>;
            { queue.acquire() } -> std::same_as<Queue::Permit>;
            { queue.enqueue(waiter) } noexcept;
            { queue.withdraw(waiter) } noexcept -> std::same_as<bool>;
            { queue.expire(now) } noexcept;
            { read.next_expiry() } noexcept -> std::same_as<std::optional<dashpot::Instant>>;
            { queue.resize(1U) } noexcept;
            { read.in_flight() } noexcept -> std::same_as<std::uint32_t>;
            { read.available() } noexcept -> std::same_as<std::uint32_t>;
            { read.max_concurrent() } noexcept -> std::same_as<std::uint32_t>;
            { read.queued() } noexcept -> std::same_as<std::uint32_t>;
            { read.refused() } noexcept -> std::same_as<std::uint64_t>;
        });
}

TEST_CASE("QueuedBulkhead: a wait by a clock that no other thread moves ends too", "[guard]") {
    ManualClock clock;
    QueuedBulkhead<ManualClock> queue{{.max_concurrent = 1, .max_wait = 50ms}, clock};
    const auto held = queue.try_acquire();
    CHECK(queue.acquire().refusal() == Error::queue_timeout);
    CHECK(clock.now() == dashpot::Instant{50ms});
    CHECK(queue.acquire(dashpot::Deadline{dashpot::Instant{70ms}}).refusal() ==
          Error::deadline_exceeded);
    CHECK(clock.now() == dashpot::Instant{70ms});
}

} // namespace tests::guard_queued_bulkhead
