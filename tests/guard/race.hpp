// SPDX-License-Identifier: MIT
#ifndef DASHPOT_TESTS_GUARD_RACE_HPP
#define DASHPOT_TESTS_GUARD_RACE_HPP

#include <atomic>
#include <barrier>
#include <cstddef>
#include <thread>
#include <vector>

namespace race {

/// Runs `body(i)` on `count` threads that start at once, and waits for them.
template <class Body>
void together(std::size_t count, Body body) {
    std::barrier start{static_cast<std::ptrdiff_t>(count)};
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i != count; ++i) {
        threads.emplace_back([&, i] {
            start.arrive_and_wait();
            body(i);
        });
    }
}

/// `rounds` times: `before()` here, then `body(i)` on `count` threads at once, then `after()` here.
/// `after` may CHECK, but not REQUIRE: an exception would leave the threads at their barrier.
template <class Before, class Body, class After>
void in_rounds(std::size_t count, int rounds, Before before, Body body, After after) {
    std::barrier gate{static_cast<std::ptrdiff_t>(count) + 1};
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i != count; ++i) {
        threads.emplace_back([&, i] {
            for (int round = 0; round != rounds; ++round) {
                gate.arrive_and_wait();
                body(i);
                gate.arrive_and_wait();
            }
        });
    }
    for (int round = 0; round != rounds; ++round) {
        before();
        gate.arrive_and_wait();
        gate.arrive_and_wait();
        after();
    }
}

/// Calls `body()` over and over until `flag` is set, and then once more.
template <class Body>
void until(const std::atomic<bool>& flag, Body body) {
    for (int turn = 1;; ++turn) {
        const bool was_set = flag;
        body();
        if (was_set) return;
        if (turn % 16 == 0) std::this_thread::yield(); // there may be fewer cores than threads
    }
}

} // namespace race

#endif
