// SPDX-License-Identifier: MIT
// Runs all benchmarks, interleaved and repeated, prints the table of bounds, and writes results.json
// and the charts. Options of the benchmark library (--benchmark_filter=...) work as usual.
#include "bounds.hpp"
#include "chart.hpp"
#include "measurements.hpp"

#include <benchmark/benchmark.h>

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <semaphore>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace {

using bench::Chart;
using bench::Measurements;
using bench::Series;

struct Wanted {
    std::string name;   // of the line
    std::string prefix; // of the benchmark
};

enum class Against { threads, argument };

Chart chart_of(const Measurements& measured, std::string title, std::string x_axis, Against against,
               const std::vector<Wanted>& wanted, bench::Scale x_scale = bench::Scale::logarithmic) {
    Chart chart{std::move(title), std::move(x_axis), x_scale};
    for (const Wanted& each : wanted) {
        Series line{each.name};
        for (const auto& [key, took] : measured.all()) {
            if (key.name != each.prefix || std::isnan(took.median())) continue;
            line.points.emplace_back(against == Against::threads ? key.threads : double(key.argument),
                                     took.median());
        }
        if (!line.points.empty()) chart.series.push_back(std::move(line));
    }
    return chart;
}

void draw(const Measurements& measured, const std::filesystem::path& directory) {
    const auto write = [&](const char* file, const Chart& chart) {
        if (!chart.series.empty()) std::ofstream{directory / file} << chart.svg();
    };
    write("threads.svg",
          chart_of(measured, "Latency against threads", "threads on one guard", Against::threads,
                   {{"mutex breaker (textbook)", "threads_textbook"},
                    {"refused, OPEN", "threads_refused"},
                    {"TimeWindow, healthy", "threads_time_window"},
                    {"CountWindow, 1 in 10 fails", "threads_count_window_failing"},
                    {"Bulkhead", "threads_bulkhead"},
                    {"ConsecutiveFailures, healthy", "threads_consecutive"}}));
    write("names.svg",
          chart_of(measured, "Registry::get() against the number of names", "names, asked for in turn",
                   Against::argument, {{"get(name)", "names"}}));
    write("window_sizes.svg", chart_of(measured, "Recording against the size of the window",
                                       "calls or buckets", Against::argument,
                                       {{"TimeWindow, 1 in 10 fails", "buckets_of_time_window"},
                                        {"CountWindow, 1 in 10 fails", "size_of_count_window"}}));
    write("failure_rates.svg", chart_of(measured, "Recording against the failure rate",
                                        "% of calls that fail", Against::argument,
                                        {{"TimeWindow", "rate_time_window"},
                                         {"CountWindow", "rate_count_window"},
                                         {"ConsecutiveFailures", "rate_consecutive"}},
                                        bench::Scale::percent));
}

} // namespace

int main(int argc, char** argv) {
    std::filesystem::path out = ".";
    bool judges_times = true;
    std::vector<std::string> own{argv[0], "--benchmark_enable_random_interleaving=true",
                                 "--benchmark_repetitions=5", "--benchmark_min_time=0.05"};
    for (int i = 1; i != argc; ++i) {
        const std::string_view argument = argv[i];
        if (argument.starts_with("--out=")) {
            out = argument.substr(std::string_view{"--out="}.size());
        } else if (argument == "--allocations-only") {
            judges_times = false;
        } else {
            own.emplace_back(argument); // later ones win
        }
    }
    std::vector<char*> passed;
    for (std::string& each : own) passed.push_back(each.data());
    int count = static_cast<int>(passed.size());
    benchmark::Initialize(&count, passed.data());
    if (benchmark::ReportUnrecognizedArguments(count, passed.data())) return 2;

    // glibc leaves the atomics out of a mutex until a second thread has been started.
    std::binary_semaphore end{0};
    std::jthread second{[&] { end.acquire(); }};

    Measurements measured;
    benchmark::RunSpecifiedBenchmarks(&measured);
    end.release();

    std::printf("\n%s\n", Measurements::machine().c_str());
    const bool holds = bench::judge(measured);
    const double allocated = bench::allocations_on_calls(measured);
    std::printf("heap allocations on the paths of a call: %.0f\n", allocated);
    std::filesystem::create_directories(out);
    bench::write_json(measured, (out / "results.json").string());
    draw(measured, out);
    std::printf("written: %s\n", (out / "results.json").string().c_str());
    return (holds || !judges_times) && allocated == 0 ? 0 : 1;
}
