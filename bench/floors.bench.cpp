// SPDX-License-Identifier: MIT
// What the machine itself asks for: every bound is a multiple of these, taken in the same run.
#include "shared.hpp"

#include <dashpot/core/clock.hpp>

#include <benchmark/benchmark.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <semaphore>
#include <string>
#include <string_view>
#include <unordered_map>

namespace {

struct alignas(64) Line {
    std::atomic<std::uint64_t> value{0};
};

void atomic_load(benchmark::State& state) {
    static Line shared;
    for (auto _ : state) benchmark::DoNotOptimize(shared.value.load(std::memory_order_acquire));
}
BENCHMARK(atomic_load)->Apply(bench::one_and_two_threads);

void shared_fetch_add(benchmark::State& state) {
    static Line shared;
    for (auto _ : state) {
        benchmark::DoNotOptimize(shared.value.fetch_add(1, std::memory_order_relaxed));
    }
}
BENCHMARK(shared_fetch_add)->Apply(bench::one_and_two_threads);

void private_fetch_add(benchmark::State& state) {
    Line mine;
    for (auto _ : state) {
        benchmark::DoNotOptimize(mine.value.fetch_add(1, std::memory_order_relaxed));
    }
}
BENCHMARK(private_fetch_add)->Apply(bench::one_and_two_threads);

void mutex_pair(benchmark::State& state) {
    static std::mutex shared;
    for (auto _ : state) {
        const std::lock_guard lock{shared};
        benchmark::ClobberMemory();
    }
}
BENCHMARK(mutex_pair)->Apply(bench::one_and_two_threads);

void steady_clock_now(benchmark::State& state) {
    for (auto _ : state) benchmark::DoNotOptimize(std::chrono::steady_clock::now());
}
BENCHMARK(steady_clock_now)->Apply(bench::one_and_two_threads);

void coarse_clock_now(benchmark::State& state) {
    for (auto _ : state) benchmark::DoNotOptimize(dashpot::CoarseSteadyClock::now());
}
BENCHMARK(coarse_clock_now)->Apply(bench::one_and_two_threads);

struct Hash : std::hash<std::string_view> {
    using is_transparent = void;
};

void map_find(benchmark::State& state) {
    static const auto names = [] {
        std::unordered_map<std::string, std::shared_ptr<int>, Hash, std::equal_to<>> made;
        for (int i = 0; i != 10; ++i) made.emplace("target-" + std::to_string(i), nullptr);
        return made;
    }();
    std::string_view name = state.thread_index() == 0 ? "target-3" : "target-7";
    for (auto _ : state) {
        benchmark::DoNotOptimize(name);
        benchmark::DoNotOptimize(names.find(name));
    }
}
BENCHMARK(map_find)->Apply(bench::one_and_two_threads);

void counting_semaphore(benchmark::State& state) {
    static std::counting_semaphore<> free{1000};
    for (auto _ : state) {
        if (free.try_acquire()) free.release();
    }
}
BENCHMARK(counting_semaphore)->Apply(bench::one_and_two_threads);

/// What call() is compared with: the function alone, which the compiler may not look into.
void bare_function(benchmark::State& state) {
    for (auto _ : state) benchmark::DoNotOptimize(bench::answer_something());
}
BENCHMARK(bare_function)->Apply(bench::one_and_two_threads);

} // namespace
