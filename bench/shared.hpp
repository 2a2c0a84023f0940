// SPDX-License-Identifier: MIT
#ifndef DASHPOT_BENCH_SHARED_HPP
#define DASHPOT_BENCH_SHARED_HPP

#include <benchmark/benchmark.h>

#include <cstdint>

namespace bench {

/// The threads that bounds are stated for. Wall time, so that waiting for another thread counts.
inline void one_and_two_threads(benchmark::internal::Benchmark* each) {
    each->Threads(1)->Threads(2)->UseRealTime();
}

/// Stands for the user's function. Not inlined, as a call over the network would not be.
int answer_something() noexcept;

/// Heap allocations of this process so far.
[[nodiscard]] std::uint64_t allocations() noexcept;

/// Reports how many allocations a benchmark made, from construction on. On one thread only: the harness
/// itself allocates for each further one.
class AllocationCount {
  public:
    explicit AllocationCount(benchmark::State& state) : state_{state}, before_{allocations()} {}
    AllocationCount(const AllocationCount&) = delete;
    AllocationCount& operator=(const AllocationCount&) = delete;
    ~AllocationCount() {
        const std::uint64_t made = allocations() - before_; // the next line makes one
        if (state_.threads() == 1) state_.counters["allocations"] = static_cast<double>(made);
    }

  private:
    benchmark::State& state_;
    std::uint64_t before_;
};

/// True for one call in ten.
class OneInTen {
  public:
    [[nodiscard]] bool next() noexcept {
        if (++count_ != 10) return false;
        count_ = 0;
        return true;
    }

  private:
    int count_ = 0;
};

} // namespace bench

#endif
