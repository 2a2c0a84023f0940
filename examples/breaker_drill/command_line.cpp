// SPDX-License-Identifier: MIT
#include "command_line.hpp"

#include "../common/number.hpp"
#include "../common/option_check.hpp"
#include "../common/printable.hpp"
#include "../common/version_text.hpp"
#include "../flaky_service/seed.hpp"

#include <CLI/CLI.hpp>

#include <chrono>
#include <stdexcept>
#include <string>

namespace breaker_drill {
namespace {

using example::accepted_by;

constexpr int bad_usage = 2;

/// The options as they were typed.
struct Typed {
    std::string url;
    std::string out = "drill-results";
    std::string open_wait = "3";
    std::string steps = "all";
    std::string seed = "1";
};

std::chrono::nanoseconds parse_open_wait(const std::string& text) {
    // Ten refusals and the service's own count have to fit in.
    const auto seconds = example::to_number(text, 0.1, 3600.0);
    if (!seconds)
        throw std::invalid_argument{"'" + example::printable(text, 80) +
                                    "' is not a number of seconds from 0.1 to 3600"};
    return std::chrono::round<std::chrono::nanoseconds>(std::chrono::duration<double>{*seconds});
}

std::string refuse_empty(const std::string& text) {
    return text.empty() ? "the name of the directory is empty" : "";
}

std::string list_of_steps() {
    std::string list = "Steps:\n";
    for (const Step& step : steps)
        list += "  " + std::string{step.name} + std::string(12 - step.name.size(), ' ') +
                std::string{step.text} + "\n";
    return list +
           "  flicker     1 probe against 3, in front of /flaky\n"
           "The first six are one breaker's life: with one of them, those before it are played.\n\n"
           "Exit status: 0 if every step came out as expected, else 1; 2 for a bad option.\n";
}

void declare(CLI::App& app, Typed& typed) {
    app.set_version_flag("--version", example::version_text("breaker_drill"));
    app.footer(list_of_steps());
    auto* const url = app.add_option("--url", typed.url, "A flaky_service; its own one without this")
                          ->type_name("URL")
                          ->check(accepted_by(example::parse_http_url));
    app.add_option("--out", typed.out,
                   "Where the result files go; those of an earlier run are replaced")
        ->type_name("DIR")
        ->check(refuse_empty)
        ->capture_default_str();
    app.add_option("--open-wait", typed.open_wait, "How long the circuit stays open before it probes")
        ->type_name("SECONDS")
        ->check(accepted_by(parse_open_wait))
        ->capture_default_str();
    app.add_option("--steps", typed.steps, "One step, by name or number, or all")
        ->type_name("STEP")
        ->check(accepted_by(parse_plan))
        ->capture_default_str();
    app.add_option("--seed", typed.seed, "Decides which of the calls of /flaky fail")
        ->type_name("N")
        ->check(accepted_by(flaky_service::parse_seed))
        ->excludes(url) // a service that runs has its seed already
        ->capture_default_str();
}

} // namespace

CommandLine read_command_line(int argc, const char* const* argv) {
    CLI::App app{"Plays a circuit breaker's whole life over HTTP.", "breaker_drill"};
    Typed typed;
    declare(app, typed);
    try {
        example::parse(app, argc, argv);
    } catch (const CLI::ParseError& error) {
        // Zero is --help and --version; CLI11's other numbers would be news to any caller.
        return {{}, app.exit(error) == 0 ? 0 : bad_usage};
    }
    Options options;
    if (app.count("--url") != 0) options.service = example::parse_http_url(typed.url);
    options.out = typed.out;
    options.open_wait = parse_open_wait(typed.open_wait);
    options.plan = parse_plan(typed.steps);
    options.seed = flaky_service::parse_seed(typed.seed);
    return {options, {}};
}

} // namespace breaker_drill
