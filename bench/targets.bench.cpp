// SPDX-License-Identifier: MIT
// The bulkhead, the target and the registry.
#include "shared.hpp"

#include <dashpot/dashpot.hpp>

#include <benchmark/benchmark.h>

#include <string>
#include <string_view>

namespace {

void bulkhead(benchmark::State& state) {
    static dashpot::Bulkhead hull{1000};
    const bench::AllocationCount allocations{state};
    for (auto _ : state) benchmark::DoNotOptimize(hull.try_acquire());
}
BENCHMARK(bulkhead)->Apply(bench::one_and_two_threads);

void bulkhead_full(benchmark::State& state) {
    static dashpot::Bulkhead hull{0};
    for (auto _ : state) benchmark::DoNotOptimize(hull.try_acquire());
}
BENCHMARK(bulkhead_full)->Apply(bench::one_and_two_threads);

void target_healthy(benchmark::State& state) {
    static dashpot::Target<> target{"CORE", {.max_concurrent = 1000}};
    const bench::AllocationCount allocations{state};
    for (auto _ : state) {
        if (auto entry = target.try_enter()) benchmark::DoNotOptimize(entry.success());
    }
}
BENCHMARK(target_healthy)->Apply(bench::one_and_two_threads);

[[nodiscard]] dashpot::Registry<>& ten_targets() {
    static dashpot::Registry<> registry;
    [[maybe_unused]] static const bool is_filled = [] {
        for (int i = 0; i != 10; ++i) registry.get("target-" + std::to_string(i));
        return true;
    }();
    return registry;
}

void registry_get(benchmark::State& state) {
    dashpot::Registry<>& registry = ten_targets();
    std::string_view name = state.thread_index() == 0 ? "target-3" : "target-7";
    registry.get(name);
    const bench::AllocationCount allocations{state};
    for (auto _ : state) {
        benchmark::DoNotOptimize(name);
        benchmark::DoNotOptimize(registry.get(name));
    }
}
BENCHMARK(registry_get)->Apply(bench::one_and_two_threads);

void registry_get_same_name(benchmark::State& state) {
    dashpot::Registry<>& registry = ten_targets();
    std::string_view name = "target-3";
    for (auto _ : state) {
        benchmark::DoNotOptimize(name);
        benchmark::DoNotOptimize(registry.get(name));
    }
}
BENCHMARK(registry_get_same_name)->Apply(bench::one_and_two_threads);

void registry_whole_call(benchmark::State& state) {
    dashpot::Registry<>& registry = ten_targets();
    std::string_view name = state.thread_index() == 0 ? "target-3" : "target-7";
    for (auto _ : state) {
        benchmark::DoNotOptimize(name);
        benchmark::DoNotOptimize(registry.get(name)->call(bench::answer_something));
    }
}
BENCHMARK(registry_whole_call)->Apply(bench::one_and_two_threads);

} // namespace
