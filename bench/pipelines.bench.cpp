// SPDX-License-Identifier: MIT
// What a pipeline adds to the pieces that it is made of.
#include "shared.hpp"

#include <dashpot/dashpot.hpp>

#include <benchmark/benchmark.h>

#include <chrono>

namespace {

using namespace std::chrono_literals;

[[nodiscard]] dashpot::CircuitBreaker<>& breaker() {
    static dashpot::CircuitBreaker<> one;
    return one;
}
[[nodiscard]] dashpot::Bulkhead& hull() {
    static dashpot::Bulkhead one{1000};
    return one;
}

template <class Protect>
void calls(benchmark::State& state, Protect&& protect) {
    const bench::AllocationCount allocations{state};
    int value = 1;
    for (auto _ : state) {
        benchmark::DoNotOptimize(value);
        benchmark::DoNotOptimize(protect.call([&] { return value; }));
    }
}

void pipeline_empty(benchmark::State& state) { calls(state, dashpot::pipeline()); }
BENCHMARK(pipeline_empty)->Apply(bench::one_and_two_threads);

/// What pipeline_breaker is measured against: the same breaker and function, without a pipeline.
void pipeline_bare_call(benchmark::State& state) { calls(state, breaker()); }
BENCHMARK(pipeline_bare_call)->Apply(bench::one_and_two_threads);

void pipeline_breaker(benchmark::State& state) { calls(state, dashpot::pipeline(breaker())); }
BENCHMARK(pipeline_breaker)->Apply(bench::one_and_two_threads);

void pipeline_bulkhead(benchmark::State& state) { calls(state, dashpot::pipeline(hull())); }
BENCHMARK(pipeline_bulkhead)->Apply(bench::one_and_two_threads);

void pipeline_retry(benchmark::State& state) { calls(state, dashpot::pipeline(dashpot::Retry{})); }
BENCHMARK(pipeline_retry)->Apply(bench::one_and_two_threads);

void pipeline_timeout(benchmark::State& state) {
    calls(state, dashpot::pipeline(dashpot::Timeout{1s}));
}
BENCHMARK(pipeline_timeout)->Apply(bench::one_and_two_threads);

void pipeline_all(benchmark::State& state) {
    calls(state, dashpot::pipeline(dashpot::Retry{}, breaker(), hull(), dashpot::Timeout{1s}));
}
BENCHMARK(pipeline_all)->Apply(bench::one_and_two_threads);

} // namespace
