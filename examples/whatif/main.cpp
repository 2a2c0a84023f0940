// SPDX-License-Identifier: MIT
// What other thresholds would have done with recorded traffic. See README.md beside this file.
#include "output.hpp"
#include "text_values.hpp"
#include "whatif.hpp"

#include "../common/number.hpp"
#include "../common/option_check.hpp"
#include "../common/printable.hpp"
#include "../common/standard_streams.hpp"
#include "../common/version_text.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace whatif;

constexpr int bad_usage = 2;

/// The options as they were typed.
struct Typed {
    std::vector<std::string> files;
    std::vector<std::string> candidates;
    std::vector<std::string> targets;
    std::vector<std::string> maps;
    std::vector<std::string> incidents;
    std::string failure_status = "5xx";
    std::string max_elapsed = "10min";
    std::string max_disorder = "5s";
    std::string incident_calls = "5";
    std::string write_config;
    bool is_strict = false;
    bool wants_json = false;
    bool wants_suggestions = false;
};

void declare(CLI::App& app, Typed& typed) {
    app.set_version_flag("--version", example::version_text("whatif"));
    app.footer(
        "FILE: traffic logs of dashpot, JSON lines, CSV with a header, access logs of nginx or "
        "Apache,\n"
        "plain or gzip; several files are one log; - is the standard input.\n\n"
        "Exit status: 0; 1 if a file cannot be read to its end, is out of order or, with --strict,\n"
        "malformed; 2 for a bad option.\n");
    app.add_option("FILE", typed.files, "The log")->required();
    app.add_option("--candidate", typed.candidates,
                   "A policy to try: 'time_window length=10s failure_rate=0.5 reset_timeout=5s'")
        ->type_name("TEXT")
        ->allow_extra_args(false);
    app.add_option("--map", typed.maps, "Other names of columns: 'time=when target=service'")
        ->type_name("TEXT")
        ->allow_extra_args(false);
    app.add_option("--target", typed.targets, "The target of all lines, or of each file in turn")
        ->type_name("NAME")
        ->allow_extra_args(false);
    app.add_option("--failure-status", typed.failure_status,
                   "In access logs: the statuses that are failures, '5xx,429' or '500-599'")
        ->type_name("LIST")
        ->capture_default_str();
    app.add_option("--max-elapsed", typed.max_elapsed, "A longer call is malformed")
        ->type_name("DURATION")
        ->capture_default_str();
    app.add_option("--max-disorder", typed.max_disorder,
                   "How far a line may be behind the latest before it")
        ->type_name("DURATION")
        ->capture_default_str();
    app.add_option("--incident", typed.incidents,
                   "When the target failed; found in the log without this")
        ->type_name("FROM/TO")
        ->allow_extra_args(false);
    app.add_option("--incident-calls", typed.incident_calls,
                   "The calls that a second of an incident has at least")
        ->type_name("N")
        ->capture_default_str();
    app.add_flag("--suggest", typed.wants_suggestions, "Search for candidates, and name three");
    app.add_option("--write-config", typed.write_config,
                   "With --suggest: where a config of relay_hub is written")
        ->type_name("FILE");
    app.add_flag("--strict", typed.is_strict, "A malformed line is an error");
    app.add_flag("--json", typed.wants_json, "Print one JSON object and nothing else");
}

[[noreturn]] void refuse(const std::string& option, std::string_view word, const std::string& why) {
    throw UsageError{option + ": '" + example::printable(word) + "' " + why};
}

std::int64_t duration(const std::string& option, const std::string& text) {
    const auto length = parse_duration(text);
    if (!length || *length < 0)
        refuse(option, text,
               "is no duration with its unit, for example 5s; the units are ns us ms s min h");
    return *length;
}

std::vector<std::string_view> split(std::string_view text, std::string_view separators) {
    std::vector<std::string_view> words;
    while (true) {
        text.remove_prefix(std::min(text.find_first_not_of(separators), text.size()));
        if (text.empty()) return words;
        words.push_back(text.substr(0, text.find_first_of(separators)));
        text.remove_prefix(words.back().size());
    }
}

void read_map(const std::string& text, LogOptions& log) {
    for (const std::string_view word : split(text, " \t")) {
        const std::size_t equals = word.find('=');
        if (equals == std::string_view::npos || equals == 0 || equals + 1 == word.size())
            refuse("--map", word, "must be NAME=COLUMN");
        const auto found = std::find(field_names.begin(), field_names.end(), word.substr(0, equals));
        if (word.substr(0, equals) == "in_flight") continue; // it is not replayed
        if (found == field_names.end())
            refuse("--map", word, "must begin with time=, target=, outcome= or elapsed_ms=");
        const auto number = static_cast<std::size_t>(found - field_names.begin());
        log.names[number] = word.substr(equals + 1);
        log.is_mapped[number] = true;
    }
}

void read_statuses(const std::string& text, LogOptions& log) {
    const auto words = split(text, ", ");
    if (words.empty()) refuse("--failure-status", text, "names no status");
    for (const std::string_view word : words) {
        const std::size_t dash = word.find('-');
        std::optional<unsigned> lowest;
        std::optional<unsigned> highest;
        if (word.size() == 3 && word.substr(1) == "xx") {
            lowest = example::to_number<unsigned>(word.substr(0, 1), 1, 9);
            if (lowest) highest = *lowest * 100 + 99;
            if (lowest) lowest = *lowest * 100;
        } else {
            lowest = example::to_number<unsigned>(word.substr(0, dash), 100, 999);
            highest = dash == std::string_view::npos
                          ? lowest
                          : example::to_number<unsigned>(word.substr(dash + 1), 100, 999);
        }
        if (!lowest || !highest || *lowest > *highest)
            refuse("--failure-status", word, "is no status; write 503, 5xx or 500-599");
        for (unsigned status = *lowest; status <= *highest; ++status) log.failure_status.set(status);
    }
}

Incident read_incident(const std::string& text) {
    const std::size_t slash = text.find('/');
    const auto from = parse_time(std::string_view{text}.substr(0, slash));
    const auto to = slash == std::string::npos ? std::nullopt
                                               : parse_time(std::string_view{text}.substr(slash + 1));
    if (!from || !to || *from >= *to)
        refuse("--incident", text,
               "must be FROM/TO, two times in RFC 3339 or seconds since 1970, the earlier first");
    return {*from, *to};
}

Options read(const Typed& typed) {
    Options options;
    options.files = typed.files;
    for (const std::string& text : typed.candidates)
        options.candidates.push_back(parse_candidate(text));
    for (const std::string& text : typed.maps) read_map(text, options.log);
    read_statuses(typed.failure_status, options.log);
    options.targets = typed.targets;
    for (const std::string& name : typed.targets)
        if (name.empty()) refuse("--target", name, "is empty");
    if (typed.targets.size() > 1 && typed.targets.size() != typed.files.size())
        refuse("--target", typed.targets.back(), "one target for all files, or one for each of them");
    if (std::count(typed.files.begin(), typed.files.end(), "-") > 1)
        refuse("FILE", "-", "can be read only once");
    options.log.max_elapsed = duration("--max-elapsed", typed.max_elapsed);
    options.max_disorder = duration("--max-disorder", typed.max_disorder);
    const auto calls = example::to_number<std::uint64_t>(typed.incident_calls, 1, 1'000'000'000);
    if (!calls) refuse("--incident-calls", typed.incident_calls, "is no number from 1 to 1000000000");
    options.incident_calls = *calls;
    for (const std::string& text : typed.incidents) options.incidents.push_back(read_incident(text));
    options.is_strict = typed.is_strict;
    options.wants_json = typed.wants_json;
    options.wants_suggestions = typed.wants_suggestions;
    options.write_config = typed.write_config;
    if (!typed.write_config.empty() && !typed.wants_suggestions)
        refuse("--write-config", typed.write_config, "needs --suggest");
    if (typed.wants_suggestions &&
        std::find(typed.files.begin(), typed.files.end(), "-") != typed.files.end())
        refuse("--suggest", "-", "cannot be read twice: write the log to a file");
    return options;
}

int run(const Options& options) {
    Report report = replay(options);
    if (options.wants_suggestions) suggest(options, report);
    if (!options.write_config.empty()) {
        std::ofstream file{options.write_config, std::ios::binary};
        file << to_config(report);
        if (!file.flush())
            throw LogError{"--write-config: " + example::printable(options.write_config) +
                           " cannot be written"};
    }
    const std::string text =
        options.wants_json ? to_json(report, options.candidates) : to_table(report, options.candidates);
    for (const std::string& warning : warnings_of(report, options.candidates))
        std::fprintf(stderr, "whatif: warning: %s\n", warning.c_str());
    if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0)
        throw LogError{"the standard output cannot be written"};
    return 0;
}

} // namespace

int main(int argc, char** argv) {
    example::keep_standard_descriptors();
    CLI::App app{"Replays recorded traffic through circuit breakers with other thresholds.", "whatif"};
    Typed typed;
    declare(app, typed);
    try {
        example::parse(app, argc, argv);
        return run(read(typed));
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? 0 : bad_usage;
    } catch (const LineError& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    } catch (const UsageError& error) {
        std::fprintf(stderr, "whatif: %s\n", error.what());
        return bad_usage;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "whatif: %s\n", error.what());
        return 1;
    }
}
