// SPDX-License-Identifier: MIT
#ifndef DASHPOT_BENCH_BOUNDS_HPP
#define DASHPOT_BENCH_BOUNDS_HPP

#include "measurements.hpp"

#include <string>
#include <vector>

namespace bench {

/// What a path may cost, as a multiple of what the machine itself costs.
struct Bound {
    std::string path;       // as users call it
    std::string benchmark;  // that measures it
    std::string one_thread; // the bound, in words
    double (*limit)(const Measurements&);
    std::string two_threads;
    double (*limit_of_two)(const Measurements&); // null: none is stated
};

[[nodiscard]] const std::vector<Bound>& bounds();

/// Prints the table. @return false if a bound for one thread is missed by more than a tenth
[[nodiscard]] bool judge(const Measurements& measured);

/// Heap allocations in all benchmarks that count them, which must make none.
[[nodiscard]] double allocations_on_calls(const Measurements& measured);

/// All of it, for programs.
void write_json(const Measurements& measured, const std::string& file);

} // namespace bench

#endif
