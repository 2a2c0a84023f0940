// SPDX-License-Identifier: MIT
// The bulkhead with a queue, and what handing a slot over costs beside a condition variable alone.
#include "shared.hpp"

#include <dashpot/guard/queued_bulkhead.hpp>

#include <benchmark/benchmark.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>

namespace {

void queued_bulkhead(benchmark::State& state) {
    static dashpot::QueuedBulkhead<> queue{{.max_concurrent = 1000}};
    const bench::AllocationCount allocations{state};
    for (auto _ : state) benchmark::DoNotOptimize(queue.try_acquire());
}
BENCHMARK(queued_bulkhead)->Apply(bench::one_and_two_threads);

void queued_bulkhead_acquire(benchmark::State& state) {
    static dashpot::QueuedBulkhead<> queue{{.max_concurrent = 1000}};
    const bench::AllocationCount allocations{state};
    for (auto _ : state) benchmark::DoNotOptimize(queue.acquire());
}
BENCHMARK(queued_bulkhead_acquire)->Apply(bench::one_and_two_threads);

void queued_bulkhead_full(benchmark::State& state) {
    static dashpot::QueuedBulkhead<> queue{{.max_concurrent = 0}};
    for (auto _ : state) benchmark::DoNotOptimize(queue.try_acquire());
}
BENCHMARK(queued_bulkhead_full)->Apply(bench::one_and_two_threads);

/// One slot, of a mutex and a condition variable alone.
class BareSlot {
  public:
    void acquire() {
        std::unique_lock lock{mutex_};
        is_free_.wait_for(lock, std::chrono::hours{1}, [&] { return !is_taken_; });
        is_taken_ = true;
    }
    void release() {
        const std::lock_guard lock{mutex_};
        is_taken_ = false;
        is_free_.notify_one();
    }

  private:
    std::mutex mutex_;
    std::condition_variable is_free_;
    bool is_taken_ = false;
};

class QueuedSlot {
  public:
    void acquire() { held_ = queue_.acquire(); }
    void release() { std::exchange(held_, {}).release(); }

  private:
    dashpot::QueuedBulkhead<> queue_{{.max_concurrent = 1, .max_wait = std::chrono::hours{1}}};
    dashpot::QueuedBulkhead<>::Permit held_;
};

/// Two threads exchange two slots: each turn of the loop is two hand-overs to a thread that waits.
template <class Slot>
void hand_over(benchmark::State& state) {
    Slot mine;
    Slot other;
    mine.acquire();
    std::atomic<bool> is_ready{false};
    std::atomic<bool> is_over{false};
    std::thread partner{[&] {
        other.acquire();
        is_ready = true;
        for (Slot *held = &other, *next = &mine;; std::swap(held, next)) {
            next->acquire();
            held->release();
            if (is_over) return next->release();
        }
    }};
    while (!is_ready) std::this_thread::yield();
    Slot* held = &mine;
    Slot* next = &other;
    for (auto _ : state) {
        held->release();
        next->acquire();
        std::swap(held, next);
    }
    is_over = true;
    held->release();
    partner.join();
}
BENCHMARK(hand_over<BareSlot>)->Name("hand_over_bare")->UseRealTime();
BENCHMARK(hand_over<QueuedSlot>)->Name("hand_over_queued")->UseRealTime();

} // namespace
