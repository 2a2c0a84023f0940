// SPDX-License-Identifier: MIT
// Windows that have something to count.
#include "shared.hpp"

#include <dashpot/dashpot.hpp>

#include <benchmark/benchmark.h>

namespace {

using dashpot::CircuitBreaker;
using dashpot::CoarseSteadyClock;
using dashpot::CountWindow;
using dashpot::SteadyClock;
using dashpot::TimeWindow;

template <class Breaker>
void one_failure_in_ten(benchmark::State& state) {
    static Breaker breaker;
    bench::OneInTen failure;
    const bench::AllocationCount allocations{state};
    for (auto _ : state) {
        if (failure.next()) {
            breaker.record_failure();
        } else {
            breaker.record_success();
        }
    }
}

void count_window_failing(benchmark::State& state) {
    one_failure_in_ten<CircuitBreaker<SteadyClock, CountWindow>>(state);
}
BENCHMARK(count_window_failing)->Apply(bench::one_and_two_threads);

void time_window_failing(benchmark::State& state) {
    one_failure_in_ten<CircuitBreaker<SteadyClock, TimeWindow>>(state);
}
BENCHMARK(time_window_failing)->Apply(bench::one_and_two_threads);

void time_window_failing_coarse(benchmark::State& state) {
    one_failure_in_ten<CircuitBreaker<CoarseSteadyClock, TimeWindow>>(state);
}
BENCHMARK(time_window_failing_coarse)->Apply(bench::one_and_two_threads);

void time_window_healthy(benchmark::State& state) {
    static CircuitBreaker<SteadyClock, TimeWindow> breaker;
    const bench::AllocationCount allocations{state};
    for (auto _ : state) breaker.record_success();
}
BENCHMARK(time_window_healthy)->Apply(bench::one_and_two_threads);

void time_window_healthy_coarse(benchmark::State& state) {
    static CircuitBreaker<CoarseSteadyClock, TimeWindow> breaker;
    for (auto _ : state) breaker.record_success();
}
BENCHMARK(time_window_healthy_coarse)->Apply(bench::one_and_two_threads);

} // namespace
