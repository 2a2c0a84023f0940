// SPDX-License-Identifier: MIT
// How cost grows: with threads, with names in a registry, with the size of a window, with failures. One
// chart each.
#include "shared.hpp"
#include "textbook.hpp"

#include <dashpot/dashpot.hpp>

#include <benchmark/benchmark.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace {

using dashpot::CircuitBreaker;
using dashpot::CountWindow;
using dashpot::SteadyClock;
using dashpot::TimeWindow;

// --- threads: more than there are cores, so that some wait for their turn
// -----------------------------

void up_to_eight_threads(benchmark::internal::Benchmark* each) {
    for (const int threads : {1, 2, 4, 8}) each->Threads(threads);
    each->UseRealTime();
}

template <class Breaker>
void healthy(benchmark::State& state) {
    static Breaker breaker;
    for (auto _ : state) {
        if (breaker.allow()) breaker.record_success();
    }
}
void threads_consecutive(benchmark::State& state) { healthy<CircuitBreaker<>>(state); }
void threads_time_window(benchmark::State& state) {
    healthy<CircuitBreaker<SteadyClock, TimeWindow>>(state);
}
BENCHMARK(threads_consecutive)->Apply(up_to_eight_threads);
BENCHMARK(threads_time_window)->Apply(up_to_eight_threads);

void threads_count_window_failing(benchmark::State& state) {
    static CircuitBreaker<SteadyClock, CountWindow> breaker;
    bench::OneInTen failure;
    for (auto _ : state) failure.next() ? breaker.record_failure() : breaker.record_success();
}
BENCHMARK(threads_count_window_failing)->Apply(up_to_eight_threads);

void threads_refused(benchmark::State& state) {
    static CircuitBreaker<> breaker{{}, {.initial_state = dashpot::State::closed}};
    if (state.thread_index() == 0) breaker.trip();
    for (auto _ : state) benchmark::DoNotOptimize(breaker.try_acquire());
}
BENCHMARK(threads_refused)->Apply(up_to_eight_threads);

void threads_bulkhead(benchmark::State& state) {
    static dashpot::Bulkhead hull{1000};
    for (auto _ : state) benchmark::DoNotOptimize(hull.try_acquire());
}
BENCHMARK(threads_bulkhead)->Apply(up_to_eight_threads);

void threads_textbook(benchmark::State& state) {
    static bench::TextbookBreaker breaker;
    for (auto _ : state) {
        if (breaker.allow()) breaker.record(false);
    }
}
BENCHMARK(threads_textbook)->Apply(up_to_eight_threads);

// --- names: all of them in turn, in an order that no prefetcher knows
// ---------------------------------

void names(benchmark::State& state) {
    const auto count = static_cast<std::uint64_t>(state.range(0));
    dashpot::Registry<> registry{{}, {.max_targets = count}};
    std::vector<std::string> all;
    for (std::uint64_t i = 0; i != count; ++i) {
        all.push_back("target-" + std::to_string(i));
        registry.get(all.back());
    }
    std::uint64_t next = 0;
    for (auto _ : state) {
        next = (next + 48'271) % count; // a prime: it visits all of them
        benchmark::DoNotOptimize(registry.get(all[next]));
    }
}
BENCHMARK(names)->RangeMultiplier(10)->Range(1, 100'000);

// --- window sizes
// --------------------------------------------------------------------------------------

template <class Policy>
void one_failure_in_ten(benchmark::State& state, const Policy& policy) {
    CircuitBreaker<SteadyClock, Policy> breaker{policy};
    bench::OneInTen failure;
    for (auto _ : state) failure.next() ? breaker.record_failure() : breaker.record_success();
}

void size_of_count_window(benchmark::State& state) {
    one_failure_in_ten(state, CountWindow{.size = static_cast<std::uint32_t>(state.range(0))});
}
BENCHMARK(size_of_count_window)->RangeMultiplier(10)->Range(10, 100'000);

void buckets_of_time_window(benchmark::State& state) {
    one_failure_in_ten(state, TimeWindow{.length = std::chrono::seconds{100},
                                         .buckets = static_cast<std::uint32_t>(state.range(0))});
}
BENCHMARK(buckets_of_time_window)->RangeMultiplier(10)->Range(10, 100'000);

// --- failure rates, in percent: 100 would open a window
// ------------------------------------------------

template <class Policy>
void rate(benchmark::State& state, Policy policy) {
    if constexpr (requires { policy.failure_rate; }) policy.failure_rate = 1.0;
    CircuitBreaker<SteadyClock, Policy> breaker{policy};
    std::uint64_t dice = 1;
    const auto percent = static_cast<std::uint64_t>(state.range(0));
    for (auto _ : state) {
        dice = dice * 6'364'136'223'846'793'005U + 1'442'695'040'888'963'407U;
        (dice >> 33U) % 100 < percent ? breaker.record_failure() : breaker.record_success();
    }
    if (breaker.state() != dashpot::State::closed) state.SkipWithError("it has opened");
}

void rates(benchmark::internal::Benchmark* each) {
    for (const int percent : {0, 1, 2, 5, 10, 20, 30, 50, 70, 90}) each->Arg(percent);
}
void rate_consecutive(benchmark::State& state) {
    rate(state, dashpot::ConsecutiveFailures{.threshold = 1'000'000'000});
}
void rate_count_window(benchmark::State& state) {
    rate(state, CountWindow{.size = 1000, .minimum_calls = 1000});
}
void rate_time_window(benchmark::State& state) { rate(state, TimeWindow{.minimum_calls = 1000}); }
BENCHMARK(rate_consecutive)->Apply(rates)->Arg(100);
BENCHMARK(rate_count_window)->Apply(rates);
BENCHMARK(rate_time_window)->Apply(rates);

} // namespace
