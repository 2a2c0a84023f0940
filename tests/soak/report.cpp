// SPDX-License-Identifier: MIT
#include "report.hpp"

#include <cstdio>
#include <string>

namespace soak {
namespace {

std::string codes(const Phase& phase) {
    std::string text;
    for (const auto& [target, sample] : phase.samples)
        text += (text.empty() ? "" : " | ") + target + " " + sample.codes();
    return text;
}

void print_row(const Phase& phase) {
    std::size_t requests = 0;
    for (const auto& [target, sample] : phase.samples) requests += sample.count();
    const auto claim = phase.samples.find("CLAIM");
    const Sample none;
    const Sample& sample = claim == phase.samples.end() ? none : claim->second;
    const std::chrono::duration<double, std::milli> p99 = sample.percentile(0.99);
    const std::string name =
        phase.name.empty() ? "(in between)" : phase.name + (phase.is_exempt ? " *" : "");
    std::printf("%-24s %6.1f %8zu %7.2f %8.1f %6.1f  %s\n", name.c_str(), phase.length.count(),
                requests, 100 * sample.rate("0000"), p99.count(),
                static_cast<double>(phase.resident) / (1024 * 1024), codes(phase).c_str());
}

} // namespace

void print_table(const std::vector<Phase>& phases) {
    std::printf("\n%-24s %6s %8s %7s %8s %6s  %s\n", "", "", "", "CLAIM", "CLAIM", "hub", "");
    std::printf("%-24s %6s %8s %7s %8s %6s  %s\n", "phase", "s", "requests", "%", "p99 ms", "MiB",
                "answers");
    Phase all;
    all.name = "all";
    for (const Phase& phase : phases) {
        if (!phase.samples.empty()) print_row(phase);
        all.length += phase.length;
        all.resident = std::max(all.resident, phase.resident);
        for (const auto& [target, sample] : phase.samples) all.samples[target].add(sample);
    }
    print_row(all);
    std::puts("* the hub is down or starved on purpose: CLAIM's calls may fail, and connections break");
}

} // namespace soak
