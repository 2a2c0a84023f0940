// SPDX-License-Identifier: MIT
// How the queue and its callers meet; the rules of the queue have their own test.
#include <dashpot/guard/detail/queue_core.hpp>

#include "catch.hpp"
#include "guard/queue_support.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace tests::guard_detail_queue_core {

using namespace queue_support;
using namespace std::chrono_literals;
using dashpot::Error;

namespace {

constexpr std::uint32_t many = 100'000;

/// A waiter that gives its slot back at once and is destroyed by its own function.
struct Passing : dashpot::Waiter {
    explicit Passing(std::uint32_t& count, std::size_t& deepest) : granted_{count}, deepest_{deepest} {}
    void granted(dashpot::QueuePermit slot) noexcept override {
        ++granted_;
        const char here = 0;
        const auto address = reinterpret_cast<std::size_t>(&here);
        if (deepest_ == 0) deepest_ = address;
        CHECK(deepest_ - address + 4096 < 8192); // the same depth of the stack each time
        std::unique_ptr<Passing> self{this};
        self.reset();
        slot.release(); // leads to the next waiter
    }
    void refused(dashpot::Refusal) noexcept override { delete this; }

  private:
    std::uint32_t& granted_;
    std::size_t& deepest_;
};

} // namespace

TEST_CASE("QueueCore: releases inside waiters' functions do not recurse, and waiters may destroy "
          "themselves",
          "[guard]") {
    Queue queue{{.max_concurrent = 1, .max_queued = many, .max_wait = 1h}};
    auto held = queue.try_acquire();
    std::uint32_t granted = 0;
    std::size_t deepest = 0;
    for (std::uint32_t i = 0; i != many; ++i) queue.enqueue(*new Passing{granted, deepest});
    CHECK(queue.queued() == many);
    held.release();
    CHECK(granted == many);
    CHECK(queue.in_flight() == 0);
    CHECK(queue.available() == 1);
}

TEST_CASE("QueueCore: a waiter that waits again inside its function is called after it, not in it",
          "[guard]") {
    Queue queue{{.max_concurrent = 1}};
    Noting waiter;
    int depth = 0;
    waiter.then = [&](Noting& self) {
        CHECK(++depth == 1);
        self.held.release();
        if (self.grants != static_cast<int>(many)) queue.enqueue(self);
        --depth;
    };
    queue.enqueue(waiter);
    CHECK(waiter.grants == static_cast<int>(many));
    CHECK(queue.in_flight() == 0);
}

TEST_CASE("QueueCore: a function may use everything of its bulkhead", "[guard]") {
    ManualClock clock;
    Queue queue{{.max_concurrent = 1}, clock};
    Noting first;
    Noting second;
    Noting third;
    first.then = [&](Noting& self) {
        CHECK(queue.in_flight() == 1);
        CHECK_FALSE(queue.try_acquire());
        queue.enqueue(second);
        queue.enqueue(third);
        CHECK(queue.queued() == 2);
        CHECK(queue.withdraw(third));
        queue.resize(2);
        CHECK(second.waits()); // it has its slot, and is called after this function
        CHECK_FALSE(queue.withdraw(second));
        CHECK(queue.in_flight() == 2);
        queue.reconfigure({.max_concurrent = 1});
        queue.expire(clock.now());
        CHECK_FALSE(queue.next_expiry());
        self.held.release();
    };
    queue.enqueue(first);
    CHECK(first.is_granted());
    CHECK(second.is_granted());
    CHECK(third.waits());
    CHECK(queue.in_flight() == 1);
}

TEST_CASE("QueueCore: a function that waits for a slot does not wait for calls that its thread has yet "
          "to make",
          "[guard]") {
    Queue queue{{.max_concurrent = 1}};
    Noting first;
    Noting second;
    second.then = [](Noting& self) { self.held.release(); };
    bool is_granted = false;
    first.then = [&](Noting& self) {
        self.held.release(); // the slot goes to `second`
        is_granted = static_cast<bool>(queue.acquire());
    };
    auto held = queue.try_acquire();
    queue.enqueue(first);
    queue.enqueue(second);
    held.release();
    CHECK(second.is_granted());
    CHECK(is_granted);
    CHECK(queue.in_flight() == 0);
}

TEST_CASE("QueueCore: two bulkheads that lead to each other do not recurse either", "[guard]") {
    constexpr int rounds = 100'000;
    Queue left{{.max_concurrent = 1}};
    Queue right{{.max_concurrent = 1}};
    Noting there;
    Noting back;
    there.then = [&](Noting& self) {
        self.held.release();
        if (self.grants != rounds) right.enqueue(back);
    };
    back.then = [&](Noting& self) {
        self.held.release();
        left.enqueue(there);
    };
    left.enqueue(there);
    CHECK(there.grants == rounds);
    CHECK(back.grants == rounds - 1);
}

TEST_CASE("QueueCore: refusals and slots are counted on different cache lines", "[guard]") {
    STATIC_REQUIRE(alignof(Queue) == dashpot::detail::cache_line);
}

} // namespace tests::guard_detail_queue_core
