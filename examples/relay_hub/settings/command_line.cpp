// SPDX-License-Identifier: MIT
#include "command_line.hpp"

#include "config_file.hpp"

#include "../../common/option_check.hpp"
#include "../../common/printable.hpp"
#include "../../common/version_text.hpp"

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
    std::string history = "0";
    std::string breaker_log = "breaker.log";
    std::string event_log;
    std::string traffic_log;
    std::string drain_time = "0";
    std::string config;
    bool no_protection = false;
};

void declare(CLI::App& app, Typed& typed) {
    app.set_version_flag("--version", example::version_text("relay_hub"));
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
    app.add_option("--history", typed.history, "Events kept per target, for GET /targets/NAME/history")
        ->type_name("N")
        ->capture_default_str();
    app.add_option("--breaker-log", typed.breaker_log, "Where changes of state are written")
        ->type_name("FILE")
        ->capture_default_str();
    app.add_option("--event-log", typed.event_log, "The same in JSON, with reason and numbers")
        ->type_name("FILE");
    app.add_option("--traffic-log", typed.traffic_log, "Where each call is written, for whatif")
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

Given::Target read_target(std::string_view text) {
    const auto equals = text.find('=');
    if (equals == std::string_view::npos)
        throw std::invalid_argument{"'" + example::printable(text, 80) + "' is not NAME=URL"};
    Given::Target result{std::string{text.substr(0, equals)}, {}};
    check_target_name(result.name);
    result.url = parse_http_url(text.substr(equals + 1));
    return result;
}

std::vector<Given::Target> parse_targets(const std::vector<std::string>& typed) {
    std::vector<Given::Target> result;
    for (const std::string& text : typed) {
        Given::Target target = read_target(text);
        if (std::ranges::find(result, target.name, &Given::Target::name) != result.end())
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
    const auto history = read("--history", [&] { return parse_count(typed.history, history_range); });
    PartialSettings result;
    if (app.count("--fail-threshold") != 0) result.policy = ConfiguredPolicy{run};
    if (app.count("--reset-timeout") != 0) result.reset_timeout = reset_timeout;
    if (app.count("--max-inflight") != 0) result.max_inflight = max_inflight;
    if (app.count("--call-timeout") != 0) result.call_timeout = call_timeout;
    if (app.count("--history") != 0) result.history = history;
    return result;
}

std::string parse_file_name(const std::string& text) {
    if (text.empty()) throw std::invalid_argument{"the name of the file is empty"};
    return text;
}

Given read_given(const CLI::App& app, const Typed& typed) {
    // As above: read even where the default was not changed.
    const Endpoint listen = read("--listen", [&] { return parse_host_port(typed.listen); });
    const auto drain_time =
        read("--drain-time", [&] { return parse_seconds(typed.drain_time, drain_range); });
    Given given;
    given.has_protection = !typed.no_protection;
    given.targets = read("--target", [&] { return parse_targets(typed.targets); });
    given.has_default_targets = app.count("--target") == 0;
    given.settings = read_settings(app, typed);
    if (app.count("--listen") != 0) given.listen = listen;
    if (app.count("--drain-time") != 0) given.drain_time = drain_time;
    if (app.count("--breaker-log") != 0)
        given.breaker_log = read("--breaker-log", [&] { return parse_file_name(typed.breaker_log); });
    if (app.count("--event-log") != 0)
        given.event_log = read("--event-log", [&] { return parse_file_name(typed.event_log); });
    if (app.count("--traffic-log") != 0)
        given.traffic_log = read("--traffic-log", [&] { return parse_file_name(typed.traffic_log); });
    if (app.count("--config") != 0)
        given.config = read("--config", [&] { return parse_file_name(typed.config); });
    return given;
}

Options resolve_at_start(const Given& given) {
    if (given.config.empty()) return resolve(given, {}, "--target");
    return read("--config",
                [&] { return resolve(given, read_config_file(given.config), given.config); });
}

} // namespace

CommandLine read_command_line(int argc, const char* const* argv) {
    CLI::App app{"Relays requests to targets, each in a compartment of its own.", "relay_hub"};
    Typed typed;
    declare(app, typed);
    try {
        example::parse(app, argc, argv);
        Given given = read_given(app, typed);
        Options options = resolve_at_start(given);
        return {std::move(given), std::move(options), {}};
    } catch (const CLI::ParseError& error) {
        // Zero is --help and --version; CLI11's other numbers would be news to any caller.
        return {{}, {}, app.exit(error) == 0 ? 0 : bad_usage};
    } catch (const std::invalid_argument& error) {
        std::cerr << "relay_hub: " << error.what() << '\n';
        return {{}, {}, bad_usage};
    }
}

} // namespace relay_hub
