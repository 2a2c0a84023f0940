// SPDX-License-Identifier: MIT
#include "result_files.hpp"

#include <nlohmann/json.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <stdexcept>
#include <system_error>

namespace breaker_drill {
namespace {

using nlohmann::ordered_json;

ordered_json to_json(const dashpot::Snapshot& breaker) {
    return {{"state", to_string(breaker.state)},
            {"failures", breaker.failures},
            {"window_size", window.size},
            {"minimum_calls", window.minimum_calls},
            {"failure_rate", breaker.failure_rate ? ordered_json(*breaker.failure_rate) : nullptr},
            {"failure_rate_threshold", window.failure_rate},
            {"permitted_in_half_open", probes},
            {"generation", breaker.generation}};
}

/// The members of a step's object, without the braces.
std::string members(const StepResult& result) {
    ordered_json row{{"step", result.step.name}};
    row.update(to_json(result.breaker));
    const std::string object = row.dump();
    return object.substr(1, object.size() - 2);
}

std::string fast_fail_line(const StepResult& result) {
    const std::chrono::duration<double, std::milli> slowest = result.calls.slowest_refusal;
    std::string line(128, '\0');
    const int length =
        std::snprintf(line.data(), line.size(), "before=%ju after=%ju blocked=%u max_ms=%.6f\n",
                      std::uintmax_t{result.received_before}, std::uintmax_t{result.received_after},
                      result.calls.refused, slowest.count());
    line.resize(static_cast<std::size_t>(length));
    return line;
}

} // namespace

ResultFiles::ResultFiles(const std::filesystem::path& directory) : directory_{directory} {
    std::error_code error;
    std::filesystem::create_directories(directory_, error);
    for (const char* name : {"state.json", "fastfail.txt", "ignore4xx.json", "transitions.log"})
        if (!error) std::filesystem::remove(directory_ / name, error);
    if (error)
        throw std::runtime_error{"--out: cannot write to " + directory_.string() + ": " +
                                 error.message()};
}

void ResultFiles::add(const StepResult& result) {
    const std::string last = members(result);
    rows_ += (rows_.empty() ? "" : ",\n") + ("    {" + last + "}");
    write("state.json", "{\n  " + last + ",\n  \"steps\": [\n" + rows_ + "\n  ]\n}\n");
    if (result.step.name == "fastfail") write("fastfail.txt", fast_fail_line(result));
    if (result.step.name == "ignore4xx")
        write("ignore4xx.json", to_json(result.breaker).dump(2) + "\n");
}

void ResultFiles::write(const char* name, const std::string& text) const {
    const auto path = directory_ / name;
    std::ofstream file{path};
    file << text << std::flush;
    if (!file) throw std::runtime_error{"cannot write " + path.string()};
}

} // namespace breaker_drill
