// SPDX-License-Identifier: MIT
// The adaptive limiter.
#include "shared.hpp"

#include <dashpot/guard/adaptive_limiter.hpp>
#include <dashpot/policy/aimd.hpp>
#include <dashpot/policy/vegas.hpp>

#include <benchmark/benchmark.h>

namespace {

template <class P>
void adaptive_limiter(benchmark::State& state) {
    static dashpot::AdaptiveLimiter limiter{P{.initial = 1000}};
    const bench::AllocationCount allocations{state};
    for (auto _ : state) {
        if (auto permit = limiter.try_acquire()) benchmark::DoNotOptimize(permit.success());
    }
}
BENCHMARK(adaptive_limiter<dashpot::Gradient>)
    ->Name("adaptive_limiter_gradient")
    ->Apply(bench::one_and_two_threads);
BENCHMARK(adaptive_limiter<dashpot::Vegas>)
    ->Name("adaptive_limiter_vegas")
    ->Apply(bench::one_and_two_threads);
BENCHMARK(adaptive_limiter<dashpot::Aimd>)
    ->Name("adaptive_limiter_aimd")
    ->Apply(bench::one_and_two_threads);

void adaptive_limiter_full(benchmark::State& state) {
    static dashpot::AdaptiveLimiter limiter{dashpot::Aimd{.initial = 1, .max = 1}};
    static const auto held = limiter.try_acquire();
    for (auto _ : state) benchmark::DoNotOptimize(limiter.try_acquire());
}
BENCHMARK(adaptive_limiter_full)->Apply(bench::one_and_two_threads);

} // namespace
