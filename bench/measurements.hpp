// SPDX-License-Identifier: MIT
#ifndef DASHPOT_BENCH_MEASUREMENTS_HPP
#define DASHPOT_BENCH_MEASUREMENTS_HPP

#include <benchmark/benchmark.h>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace bench {

/// What one benchmark took, repetition by repetition.
struct Measured {
    std::vector<double> nanoseconds;     // per call, of a thread
    std::vector<double> allocations{};   // per repetition, where they are counted
    [[nodiscard]] double median() const; // NaN if it did not run
};

/// Collects what the benchmarks took, and says on stderr how far they are.
///
/// A call's latency is the processor time that it took on one thread, so that it does not matter what
/// else the machine does; with several threads it is wall time, because waiting for each other counts.
class Measurements : public benchmark::BenchmarkReporter {
  public:
    bool ReportContext(const Context& context) override;
    void ReportRuns(const std::vector<Run>& runs) override;

    /// Of the benchmark of that name and argument on so many threads.
    [[nodiscard]] const Measured& of(std::string_view name, int threads,
                                     std::int64_t argument = 0) const;
    /// Its median, in nanoseconds.
    [[nodiscard]] double ns(std::string_view name, int threads = 1, std::int64_t argument = 0) const {
        return of(name, threads, argument).median();
    }

    struct Key {
        std::string name;
        int threads;
        std::int64_t argument; // 0: none
        friend auto operator<=>(const Key&, const Key&) = default;
    };
    [[nodiscard]] const std::map<Key, Measured>& all() const noexcept { return all_; }

    /// The processor, as the system names it, and how many there are.
    [[nodiscard]] static std::string machine();

  private:
    std::map<Key, Measured> all_;
};

} // namespace bench

#endif
