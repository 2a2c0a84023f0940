// SPDX-License-Identifier: MIT
#include "textbook.hpp"
#include "shared.hpp"

#include <benchmark/benchmark.h>

namespace {

void textbook_breaker(benchmark::State& state) {
    static bench::TextbookBreaker shared;
    for (auto _ : state) {
        if (shared.allow()) shared.record(false);
    }
}
BENCHMARK(textbook_breaker)->Apply(bench::one_and_two_threads);

template <class Window>
void textbook_window(benchmark::State& state) {
    static Window shared;
    bench::OneInTen failure;
    for (auto _ : state) shared.record(failure.next());
}

void textbook_ring(benchmark::State& state) { textbook_window<bench::TextbookRing>(state); }
BENCHMARK(textbook_ring)->Apply(bench::one_and_two_threads);

void textbook_buckets(benchmark::State& state) { textbook_window<bench::TextbookBuckets>(state); }
BENCHMARK(textbook_buckets)->Apply(bench::one_and_two_threads);

} // namespace
