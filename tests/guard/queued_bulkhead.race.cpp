// SPDX-License-Identifier: MIT
#include "catch.hpp"
#include "guard/queue_support.hpp"
#include "guard/race.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stop_token>
#include <thread>
#include <utility>

namespace tests::guard_queued_bulkhead_race {

namespace {

using namespace std::chrono_literals;
using dashpot::Deadline;
using dashpot::Error;
using dashpot::QueuedBulkhead;
using dashpot::QueueOrder;

using Queue = QueuedBulkhead<>;

/// Counts the calls inside, and how often there were more than the limit.
class Inside {
  public:
    void enter(std::uint32_t limit) { too_many_ += ++now_ > limit ? 1 : 0; }
    void leave() { --now_; }
    int too_many() const { return too_many_; }

  private:
    std::atomic<std::uint32_t> now_{0};
    std::atomic<int> too_many_{0};
};

/// A waiter that counts how often it was called, and gives its slot back at once.
struct Counting : dashpot::Waiter {
    void granted(dashpot::QueuePermit slot) noexcept override {
        slot.release();
        ++grants;
        ++calls;
    }
    void refused(dashpot::Refusal) noexcept override {
        ++refusals;
        ++calls;
    }
    std::atomic<int> grants{0};
    std::atomic<int> refusals{0};
    std::atomic<int> calls{0};
};

} // namespace

TEST_CASE("QueuedBulkhead: never more calls in flight than the limit, and each thread gets its slot") {
    const auto limit = GENERATE(1U, 3U);
    const auto order = GENERATE(QueueOrder::fifo, QueueOrder::lifo);
    Queue queue{{.max_concurrent = limit, .max_queued = 100, .max_wait = 1h, .order = order}};
    Inside inside;
    std::atomic<int> admitted{0};
    int guarded = 0; // a plain int: with one slot, the slot is all that orders the threads
    race::together(6, [&](std::size_t i) {
        for (int turn = 0; turn != 4000; ++turn) {
            auto slot = turn % 3 == 0 && i % 2 == 0 ? queue.try_acquire() : queue.acquire();
            if (!slot) continue;
            ++admitted;
            inside.enter(limit);
            if (limit == 1) ++guarded;
            if (turn % 64 == 0) std::this_thread::yield();
            inside.leave();
        }
    });
    CHECK(inside.too_many() == 0);
    CHECK(admitted + static_cast<int>(queue.refused()) == 6 * 4000);
    CHECK(queue.in_flight() == 0);
    CHECK(queue.available() == limit);
    CHECK(queue.queued() == 0);
    CHECK(guarded == (limit == 1 ? admitted.load() : 0));
}

TEST_CASE("QueuedBulkhead: no caller is refused while there is a slot for every thread") {
    Queue queue{{.max_concurrent = 4, .max_queued = 0}};
    std::atomic<int> refused{0};
    race::together(4, [&](std::size_t i) {
        for (int turn = 0; turn != 50'000; ++turn) {
            refused += (i % 2 == 0 ? queue.try_acquire() : queue.acquire()) ? 0 : 1;
        }
    });
    CHECK(refused == 0);
    CHECK(queue.in_flight() == 0);
}

TEST_CASE("QueuedBulkhead: a grant against a withdrawal: one of the two happens, and no slot is lost") {
    Queue queue{{.max_concurrent = 1, .max_wait = 1h}};
    std::unique_ptr<Counting> waiter;
    Queue::Permit held;
    bool is_withdrawn = false;
    race::in_rounds(
        2, 3000,
        [&] {
            held = queue.try_acquire();
            waiter = std::make_unique<Counting>();
            queue.enqueue(*waiter);
        },
        [&](std::size_t i) {
            if (i == 0) {
                held.release();
            } else {
                is_withdrawn = queue.withdraw(*waiter);
            }
        },
        [&] {
            CHECK(waiter->calls == (is_withdrawn ? 0 : 1));
            CHECK(waiter->refusals == 0);
            CHECK(queue.available() == 1);
            CHECK(queue.queued() == 0);
        });
}

TEST_CASE(
    "QueuedBulkhead: a grant against a stop: the thread has the slot, or the next caller has it") {
    Queue queue{{.max_concurrent = 1, .max_wait = 1h}};
    Queue::Permit held;
    Queue::Permit got;
    std::stop_source source;
    race::in_rounds(
        3, 2000,
        [&] {
            held = queue.try_acquire();
            source = {};
        },
        [&](std::size_t i) {
            if (i == 0) got = queue.acquire({}, source.get_token());
            if (i == 1) held.release();
            if (i == 2) source.request_stop();
        },
        [&] {
            CHECK((got || got.refusal() == Error::cancelled));
            CHECK(queue.in_flight() == (got ? 1U : 0U));
            CHECK(queue.queued() == 0);
            got.release();
            CHECK(queue.available() == 1);
        });
}

TEST_CASE(
    "QueuedBulkhead: grants against time-outs: each caller is granted or refused, and slots add up") {
    Queue queue{{.max_concurrent = 2, .max_queued = 4, .max_wait = 50us}};
    std::atomic<int> granted{0};
    std::atomic<int> refused{0};
    race::together(6, [&](std::size_t i) {
        for (int turn = 0; turn != 1500; ++turn) {
            const auto slot = queue.acquire(i % 2 == 0 ? Deadline{} : Deadline::after(20us));
            ++(slot ? granted : refused);
            if (slot && turn % 4 == 0) std::this_thread::yield();
        }
    });
    CHECK(granted + refused == 6 * 1500);
    CHECK(queue.refused() == static_cast<std::uint64_t>(refused));
    CHECK(queue.in_flight() == 0);
    CHECK(queue.queued() == 0);
    CHECK(queue.available() == 2);
}

TEST_CASE(
    "QueuedBulkhead: resized and expired under load, it ends exact, and each waiter is called once") {
    constexpr int turns = 4000;
    Queue queue{{.max_concurrent = 2, .max_queued = 3, .max_wait = 1ms}};
    std::atomic<int> at_work{4};
    std::atomic<bool> is_over{false};
    std::atomic<int> wrong{0};
    race::together(6, [&](std::size_t i) {
        if (i == 0) {
            return race::until(is_over, [&] { queue.resize(1 + queue.max_concurrent() % 3); });
        }
        if (i == 1) {
            return race::until(is_over, [&] {
                if (const auto at = queue.next_expiry()) queue.expire(*at);
            });
        }
        for (int turn = 0; turn != turns; ++turn) {
            if (i % 2 == 0) {
                const auto slot = queue.acquire();
                wrong += queue.in_flight() > 3 ? 1 : 0;
                continue;
            }
            Counting waiter;
            queue.enqueue(waiter);
            const bool is_withdrawn = turn % 3 == 0 && queue.withdraw(waiter);
            while (!is_withdrawn && waiter.calls == 0) std::this_thread::yield();
            wrong += waiter.grants + waiter.refusals == (is_withdrawn ? 0 : 1) ? 0 : 1;
        }
        if (--at_work == 0) is_over = true;
    });
    CHECK(wrong == 0);
    CHECK(queue.in_flight() == 0);
    CHECK(queue.queued() == 0);
    CHECK(queue.available() == queue.max_concurrent());
}

} // namespace tests::guard_queued_bulkhead_race
