// SPDX-License-Identifier: MIT
#include "measurements.hpp"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <limits>
#include <thread>

namespace bench {

double Measured::median() const {
    if (nanoseconds.empty()) return std::numeric_limits<double>::quiet_NaN();
    std::vector<double> sorted = nanoseconds;
    const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
    std::nth_element(sorted.begin(), middle, sorted.end());
    return *middle;
}

bool Measurements::ReportContext(const Context& /*context*/) { return true; }

void Measurements::ReportRuns(const std::vector<Run>& runs) {
    for (const Run& run : runs) {
        if (run.run_type != Run::RT_Iteration) continue;
        const int threads = static_cast<int>(run.threads);
        const std::string& arguments = run.run_name.args;
        const std::int64_t argument = arguments.empty() ? 0 : std::stoll(arguments);
        Measured& measured = all_[{run.run_name.function_name, threads, argument}];
        // Real time is reported per call of all threads together.
        measured.nanoseconds.push_back(threads == 1 ? run.GetAdjustedCPUTime()
                                                    : run.GetAdjustedRealTime() * threads);
        if (const auto counter = run.counters.find("allocations"); counter != run.counters.end()) {
            measured.allocations.push_back(counter->second.value);
        }
        std::fputc('.', stderr);
    }
}

const Measured& Measurements::of(std::string_view name, int threads, std::int64_t argument) const {
    static const Measured none{};
    const auto found = all_.find({std::string{name}, threads, argument});
    return found != all_.end() ? found->second : none;
}

std::string Measurements::machine() {
    std::string name = "unknown processor";
    std::ifstream file{"/proc/cpuinfo"};
    for (std::string line; std::getline(file, line);) {
        if (line.starts_with("model name")) {
            name = line.substr(line.find(':') + 2);
            break;
        }
    }
    return name + ", " + std::to_string(std::thread::hardware_concurrency()) + " cores";
}

} // namespace bench
