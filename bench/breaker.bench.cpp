// SPDX-License-Identifier: MIT
// A call that is healthy, and one that is refused.
#include "shared.hpp"

#include <dashpot/dashpot.hpp>

#include <benchmark/benchmark.h>

#include <chrono>
#include <optional>

namespace {

using dashpot::CircuitBreaker;
using dashpot::ConsecutiveFailures;
using dashpot::CountWindow;
using dashpot::SteadyClock;
using namespace std::chrono_literals;

void allow_closed(benchmark::State& state) {
    static CircuitBreaker<> breaker;
    const bench::AllocationCount allocations{state};
    for (auto _ : state) benchmark::DoNotOptimize(breaker.allow());
}
BENCHMARK(allow_closed)->Apply(bench::one_and_two_threads);

template <class Breaker>
void allow_and_succeed(benchmark::State& state, Breaker& breaker) {
    const bench::AllocationCount allocations{state};
    for (auto _ : state) {
        if (breaker.allow()) breaker.record_success();
    }
}

void consecutive_healthy(benchmark::State& state) {
    static CircuitBreaker<> breaker;
    allow_and_succeed(state, breaker);
}
BENCHMARK(consecutive_healthy)->Apply(bench::one_and_two_threads);

void count_window_healthy(benchmark::State& state) {
    static CircuitBreaker<SteadyClock, CountWindow> breaker;
    if (state.thread_index() == 0) {
        for (int i = 0; i != 100; ++i) breaker.record_success();
    }
    allow_and_succeed(state, breaker);
}
BENCHMARK(count_window_healthy)->Apply(bench::one_and_two_threads);

void permit_healthy(benchmark::State& state) {
    static CircuitBreaker<> breaker;
    const bench::AllocationCount allocations{state};
    for (auto _ : state) {
        if (auto permit = breaker.try_acquire()) benchmark::DoNotOptimize(permit.success());
    }
}
BENCHMARK(permit_healthy)->Apply(bench::one_and_two_threads);

void permit_timed(benchmark::State& state) {
    static CircuitBreaker<SteadyClock, CountWindow> breaker{
        {.slow_calls = dashpot::SlowCalls{.longer_than = 1s}}};
    for (auto _ : state) {
        if (auto permit = breaker.try_acquire()) benchmark::DoNotOptimize(permit.success());
    }
}
BENCHMARK(permit_timed)->Apply(bench::one_and_two_threads);

void permit_told_its_time(benchmark::State& state) {
    static CircuitBreaker<SteadyClock, CountWindow> breaker{
        {.slow_calls = dashpot::SlowCalls{.longer_than = 1s}}};
    for (auto _ : state) {
        if (breaker.allow()) breaker.record_success(1ms);
    }
}
BENCHMARK(permit_told_its_time)->Apply(bench::one_and_two_threads);

void call_healthy(benchmark::State& state) {
    static CircuitBreaker<> breaker;
    const bench::AllocationCount allocations{state};
    for (auto _ : state) benchmark::DoNotOptimize(breaker.call(bench::answer_something));
}
BENCHMARK(call_healthy)->Apply(bench::one_and_two_threads);

constexpr dashpot::BreakerOptions wait_long{.reset_timeout = 1h};

template <class Clock>
void refuse_open(benchmark::State& state) {
    static CircuitBreaker<Clock> breaker{{}, wait_long};
    if (state.thread_index() == 0) breaker.trip();
    const bench::AllocationCount allocations{state};
    for (auto _ : state) benchmark::DoNotOptimize(breaker.allow());
}

void open_refusal(benchmark::State& state) { refuse_open<SteadyClock>(state); }
BENCHMARK(open_refusal)->Apply(bench::one_and_two_threads);

void open_refusal_coarse(benchmark::State& state) { refuse_open<dashpot::CoarseSteadyClock>(state); }
BENCHMARK(open_refusal_coarse)->Apply(bench::one_and_two_threads);

void open_refusal_permit(benchmark::State& state) {
    static CircuitBreaker<> breaker{{}, wait_long};
    if (state.thread_index() == 0) breaker.trip();
    for (auto _ : state) {
        const auto permit = breaker.try_acquire();
        if (!permit) benchmark::DoNotOptimize(permit.refusal().retry_after);
    }
}
BENCHMARK(open_refusal_permit)->Apply(bench::one_and_two_threads);

/// HALF_OPEN, its only probe out.
class Probed {
  public:
    Probed() {
        breaker_.trip();
        while (breaker_.state() != dashpot::State::half_open) probe_.emplace(breaker_.try_acquire());
    }
    [[nodiscard]] bool allow() { return breaker_.allow(); }

  private:
    CircuitBreaker<> breaker_{
        {}, {.reset_timeout = std::chrono::nanoseconds{1}, .half_open = {.probe_timeout = 1h}}};
    std::optional<CircuitBreaker<>::Permit> probe_; // after breaker_: it goes first
};

void half_open_refusal(benchmark::State& state) {
    static Probed probed;
    const bench::AllocationCount allocations{state};
    for (auto _ : state) benchmark::DoNotOptimize(probed.allow());
}
BENCHMARK(half_open_refusal)->Apply(bench::one_and_two_threads);

} // namespace
