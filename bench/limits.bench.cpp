// SPDX-License-Identifier: MIT
// The guards that limit calls by their number.
#include "shared.hpp"

#include <dashpot/dashpot.hpp>

#include <benchmark/benchmark.h>

#include <chrono>

namespace {

using namespace std::chrono_literals;

void rate_limiter(benchmark::State& state) {
    static dashpot::RateLimiter<> limiter{{.permits = 4'000'000'000, .per = 1s}};
    const bench::AllocationCount allocations{state};
    for (auto _ : state) benchmark::DoNotOptimize(limiter.try_acquire());
}
BENCHMARK(rate_limiter)->Apply(bench::one_and_two_threads);

void rate_limiter_refused(benchmark::State& state) {
    static dashpot::RateLimiter<> limiter{{.permits = 1, .per = 24h}};
    (void)limiter.try_acquire();
    const bench::AllocationCount allocations{state};
    for (auto _ : state) benchmark::DoNotOptimize(limiter.try_acquire());
}
BENCHMARK(rate_limiter_refused)->Apply(bench::one_and_two_threads);

void rate_limiter_locked(benchmark::State& state) {
    static dashpot::RateLimiter<> limiter{{.permits = 4'000'000'007, .per = 1s}};
    const bench::AllocationCount allocations{state};
    for (auto _ : state) benchmark::DoNotOptimize(limiter.try_acquire());
}
BENCHMARK(rate_limiter_locked)->Apply(bench::one_and_two_threads);

void throttler_healthy(benchmark::State& state) {
    static dashpot::Throttler<> throttler;
    const bench::AllocationCount allocations{state};
    for (auto _ : state) benchmark::DoNotOptimize(throttler.try_acquire().success());
}
BENCHMARK(throttler_healthy)->Apply(bench::one_and_two_threads);

void throttler_failing(benchmark::State& state) {
    static dashpot::Throttler<> throttler;
    const bench::AllocationCount allocations{state};
    bench::OneInTen fails;
    for (auto _ : state) {
        auto permit = throttler.try_acquire();
        benchmark::DoNotOptimize(fails.next() ? permit.failure() : permit.success());
    }
}
BENCHMARK(throttler_failing)->Apply(bench::one_and_two_threads);

void retry_budget_deposit(benchmark::State& state) {
    static dashpot::RetryBudget budget{{.ratio = 0.001, .capacity = 4'000'000'000}};
    [[maybe_unused]] static const bool has_room = [] {
        for (int i = 0; i != 10'000'000; ++i) (void)budget.try_withdraw(); // deposits take as long
        return true;
    }();
    const bench::AllocationCount allocations{state};
    for (auto _ : state) budget.deposit();
}
BENCHMARK(retry_budget_deposit)->Apply(bench::one_and_two_threads);

void retry_budget_full(benchmark::State& state) {
    static dashpot::RetryBudget budget;
    const bench::AllocationCount allocations{state};
    for (auto _ : state) budget.deposit();
}
BENCHMARK(retry_budget_full)->Apply(bench::one_and_two_threads);

} // namespace
