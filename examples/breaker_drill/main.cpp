// SPDX-License-Identifier: MIT
// A circuit breaker's whole life, played over HTTP and written down. See README.md beside this file.
#include "command_line.hpp"
#include "drill.hpp"
#include "flicker.hpp"
#include "flicker_report.hpp"
#include "own_service.hpp"
#include "result_files.hpp"

#include "../common/standard_streams.hpp"

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <optional>
#include <string>
#include <vector>

namespace {

using namespace breaker_drill;

void print(const StepResult& result) {
    const bool is_well = result.problems.empty();
    std::printf("  %-4s  %-10s %-31s %-10s failures %ju, generation %ju\n", is_well ? "ok" : "FAIL",
                std::string{result.step.name}.c_str(), std::string{result.step.text}.c_str(),
                std::string{to_string(result.breaker.state)}.c_str(),
                std::uintmax_t{result.breaker.failures}, std::uintmax_t{result.breaker.generation});
    for (const std::string& problem : result.problems) std::printf("        %s\n", problem.c_str());
}

/// @return true: every step came out as expected
bool play_steps(const Options& options, const example::Endpoint& service, ResultFiles& files) {
    Client client{service};
    Drill drill{client, files.transitions(), options.open_wait};
    bool all_well = true;
    for (const Step& step : options.plan.steps) {
        const StepResult result = drill.play(step);
        print(result);
        files.add(result);
        all_well = all_well && result.problems.empty();
    }
    return all_well;
}

/// @return true: it shows what it is here to show
bool play_flicker(const example::Endpoint& service) {
    const std::vector<Flicker> measured = measure_flicker(service);
    std::printf("        flicker: one probe against three, in front of /flaky\n%s",
                to_table(measured).c_str());
    bool all_hold = true;
    for (const Claim& claim : claims_of(measured)) {
        std::printf("  %-4s  %s\n", claim.holds ? "ok" : "FAIL", claim.text.c_str());
        all_hold = all_hold && claim.holds;
    }
    return all_hold;
}

int run(const Options& options) {
    std::optional<OwnService> own;
    if (!options.service) own.emplace(options.seed);
    const example::Endpoint service = own ? own->endpoint() : *options.service;
    std::printf("flaky_service at %s%s\n", to_url(service).c_str(), own ? ", the drill's own" : "");
    ResultFiles files{options.out}; // also for a run that writes none: those of an earlier run go
    bool all_well = options.plan.steps.empty() || play_steps(options, service, files);
    if (options.plan.has_flicker) all_well = play_flicker(service) && all_well;
    return all_well ? 0 : 1;
}

} // namespace

int main(int argc, char** argv) {
    example::keep_standard_descriptors();
    // Each line is seen when it is written, also through a pipe.
    std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);
    // A write that fails is an error and not the end: to a connection that the other side has closed,
    // to a file that is at its size limit.
    std::signal(SIGPIPE, SIG_IGN);
    std::signal(SIGXFSZ, SIG_IGN);
    try {
        const CommandLine command_line = read_command_line(argc, argv);
        if (command_line.exit_status) return *command_line.exit_status;
        return run(command_line.options);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "breaker_drill: %s\n", error.what());
        return 1;
    }
}
