// SPDX-License-Identifier: MIT
#include "command_line.hpp"

#include "config_file.hpp"

#include <dashpot/version.hpp>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <iostream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace relay_hub {
namespace {

/// The options as they were typed.
struct Typed {
    std::string listen = "127.0.0.1:9200";
    std::vector<std::string> targets{"CORE=http://127.0.0.1:9201", "CLAIM=http://127.0.0.1:9202"};
    std::string fail_threshold = "5";
    std::string reset_timeout = "10";
    std::string max_inflight = "10";
    std::string call_timeout = "3";
    std::string breaker_log = "breaker.log";
    std::string event_log;
    std::string drain_time = "0";
    std::string config;
    bool no_protection = false;
};

void declare(CLI::App& app, Typed& typed) {
    app.set_version_flag("--version", "relay_hub " + std::to_string(DASHPOT_VERSION_MAJOR) + "." +
                                          std::to_string(DASHPOT_VERSION_MINOR) + "." +
                                          std::to_string(DASHPOT_VERSION_PATCH));
    app.add_option("--listen", typed.listen, "Where to serve; port 0 takes a free one")
        ->type_name("HOST:PORT")
        ->capture_default_str();
    app.add_option("--target", typed.targets, "A target and its base URL; repeatable")
        ->type_name("NAME=URL")
        ->allow_extra_args(false)
        ->capture_default_str();
    app.add_option("--fail-threshold", typed.fail_threshold,
                   "Failures in a row that open a target's circuit")
        ->type_name("N")
        ->capture_default_str();
    app.add_option("--reset-timeout", typed.reset_timeout,
                   "How long a circuit stays open before one call probes the target")
        ->type_name("SECONDS")
        ->capture_default_str();
    app.add_option("--max-inflight", typed.max_inflight, "Calls in flight per target, at most")
        ->type_name("N")
        ->capture_default_str();
    app.add_option("--call-timeout", typed.call_timeout,
                   "For a whole call to a target, to the last byte of its answer")
        ->type_name("SECONDS")
        ->capture_default_str();
    app.add_option("--breaker-log", typed.breaker_log, "Where changes of state are written")
        ->type_name("FILE")
        ->capture_default_str();
    app.add_option("--event-log", typed.event_log, "The same in JSON, with reason and numbers")
        ->type_name("FILE");
    app.add_option("--drain-time", typed.drain_time,
                   "How long GET /readyz says that it is about to stop, before it does")
        ->type_name("SECONDS")
        ->capture_default_str();
    app.add_option("--config", typed.config, "JSON: defaults and settings per target")
        ->type_name("FILE");
    app.add_flag("--no-protection", typed.no_protection,
                 "Run without compartments, to see what they are good for");
}

/// Reads one option's text; what is wrong with it is told with the option's name.
template <class Parse>
auto read(const char* option, Parse parse) {
    try {
        return parse();
    } catch (const std::invalid_argument& error) {
        throw std::invalid_argument{std::string{option} + ": " + error.what()};
    }
}

TargetOptions read_target(std::string_view text) {
    const auto equals = text.find('=');
    if (equals == std::string_view::npos)
        throw std::invalid_argument{"'" + std::string{text} + "' is not NAME=URL"};
    TargetOptions result{std::string{text.substr(0, equals)}, {}, {}};
    check_target_name(result.name);
    result.url = parse_http_url(text.substr(equals + 1));
    return result;
}

auto find_target(std::vector<TargetOptions>& targets, std::string_view name) {
    return std::ranges::find(targets, name, &TargetOptions::name);
}

std::vector<TargetOptions> parse_targets(const std::vector<std::string>& typed) {
    std::vector<TargetOptions> result;
    for (const std::string& text : typed) {
        TargetOptions target = read_target(text);
        if (find_target(result, target.name) != result.end())
            throw std::invalid_argument{"target '" + target.name + "' is there twice"};
        result.push_back(std::move(target));
    }
    return result;
}

PartialSettings read_settings(const CLI::App& app, const Typed& typed) {
    // Read even where the default was not changed: one path, and the defaults are checked too.
    const dashpot::ConsecutiveFailures run{
        read("--fail-threshold", [&] { return parse_count(typed.fail_threshold, threshold_range); })};
    const auto reset_timeout =
        read("--reset-timeout", [&] { return parse_seconds(typed.reset_timeout, timeout_range); });
    const auto max_inflight =
        read("--max-inflight", [&] { return parse_count(typed.max_inflight, inflight_range); });
    const auto call_timeout =
        read("--call-timeout", [&] { return parse_seconds(typed.call_timeout, timeout_range); });
    PartialSettings result;
    if (app.count("--fail-threshold") != 0) result.policy = ConfiguredPolicy{run};
    if (app.count("--reset-timeout") != 0) result.reset_timeout = reset_timeout;
    if (app.count("--max-inflight") != 0) result.max_inflight = max_inflight;
    if (app.count("--call-timeout") != 0) result.call_timeout = call_timeout;
    return result;
}

void apply_targets(Options& options, const ConfigFile& file, const std::string& path) {
    for (const ConfigFile::Target& entry : file.targets) {
        auto found = find_target(options.targets, entry.name);
        if (found == options.targets.end()) {
            if (!entry.url)
                throw std::invalid_argument{path + ": targets." + entry.name +
                                            ".url: missing, and no --target has that name"};
            options.targets.push_back({entry.name, *entry.url, {}});
            found = std::prev(options.targets.end());
        }
        if (entry.url) found->url = *entry.url;
    }
}

Options resolve(const CLI::App& app, const Typed& typed) {
    Options options;
    options.has_protection = !typed.no_protection;
    options.listen = read("--listen", [&] { return parse_host_port(typed.listen); });
    options.breaker_log = typed.breaker_log;
    options.event_log = typed.event_log;
    options.drain_time =
        read("--drain-time", [&] { return parse_seconds(typed.drain_time, drain_range); });
    options.targets = read("--target", [&] { return parse_targets(typed.targets); });
    const PartialSettings given = read_settings(app, typed);
    ConfigFile file;
    if (app.count("--config") != 0) {
        file = read("--config", [&] { return read_config_file(typed.config); });
        if (file.listen && app.count("--listen") == 0) options.listen = *file.listen;
        if (file.breaker_log && app.count("--breaker-log") == 0)
            options.breaker_log = *file.breaker_log;
        if (file.event_log && app.count("--event-log") == 0) options.event_log = *file.event_log;
        if (file.drain_time && app.count("--drain-time") == 0) options.drain_time = *file.drain_time;
        read("--config", [&] { return apply_targets(options, file, typed.config); });
    }
    if (options.targets.size() > max_targets)
        throw std::invalid_argument{"--target: " + std::to_string(options.targets.size()) +
                                    " targets with those of the config file, " +
                                    std::to_string(max_targets) + " at most"};
    const TargetSettings general = given.over(file.settings.over({}));
    for (TargetOptions& target : options.targets) {
        const auto entry = std::ranges::find(file.targets, target.name, &ConfigFile::Target::name);
        target.settings = entry == file.targets.end() ? general : entry->settings.over(general);
    }
    if (options.breaker_log.empty())
        throw std::invalid_argument{"--breaker-log: the name of the file is empty"};
    if (options.event_log.empty() && app.count("--event-log") != 0)
        throw std::invalid_argument{"--event-log: the name of the file is empty"};
    if (options.event_log == options.breaker_log)
        throw std::invalid_argument{"--event-log: is the file of --breaker-log"};
    return options;
}

} // namespace

CommandLine read_command_line(int argc, const char* const* argv) {
    CLI::App app{"Relays requests to targets, each in a compartment of its own.", "relay_hub"};
    Typed typed;
    declare(app, typed);
    try {
        app.parse(argc, argv);
        return {resolve(app, typed), {}};
    } catch (const CLI::ParseError& error) {
        // Zero is --help and --version; CLI11's other numbers would be news to any caller.
        return {{}, app.exit(error) == 0 ? 0 : bad_usage};
    } catch (const std::invalid_argument& error) {
        std::cerr << "relay_hub: " << error.what() << '\n';
        return {{}, bad_usage};
    }
}

} // namespace relay_hub
