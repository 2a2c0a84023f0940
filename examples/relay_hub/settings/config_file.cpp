// SPDX-License-Identifier: MIT
#include "config_file.hpp"

#include "config_object.hpp"
#include "guard_config.hpp"
#include "strict_json.hpp"

#include "../../common/patient_read.hpp"

#include <nlohmann/json.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace relay_hub {
namespace {

using nlohmann::json;

// Room for a thousand targets. Who names a device or a log by mistake is told so.
constexpr std::size_t max_size = 1024 * 1024;

// It may be a pipe whose writer takes its time.
constexpr std::chrono::seconds pipe_patience{5};

std::string read_text(const std::string& path) {
    try {
        return example::patient_read(path, max_size + 1, pipe_patience);
    } catch (const std::runtime_error& error) {
        throw ConfigError{path, "cannot be read: " + std::string{error.what()}};
    }
}

json parse(const std::string& path, std::string_view text) {
    if (text.size() > max_size) throw ConfigError{path, "is larger than 1 MiB"};
    try {
        return parse_strictly(text);
    } catch (const std::invalid_argument& error) {
        throw ConfigError{path, error.what()};
    }
}

std::string to_file_name(const json& value) {
    std::string name = to_text(value);
    if (name.empty()) throw std::invalid_argument{"must not be empty"};
    if (name.find('\0') != std::string::npos)
        throw std::invalid_argument{"must be the name of a file, and no such name has a zero byte"};
    return name;
}

PartialSettings read_settings(ConfigObject& object) {
    PartialSettings result;
    std::optional<std::uint32_t> fail_threshold;
    object.read("fail_threshold", fail_threshold, to_count(threshold_range));
    object.read_object("policy", result.policy, read_policy);
    if (fail_threshold && result.policy)
        object.reject("fail_threshold and policy are both there: fail_threshold is short for a policy "
                      "of type consecutive_failures");
    if (fail_threshold) result.policy = {dashpot::ConsecutiveFailures{*fail_threshold}};
    object.read("reset_timeout", result.reset_timeout, [&](const json& value) {
        return value.is_object() ? ResetTimeout{read_backoff(object.inside("reset_timeout", value))}
                                 : ResetTimeout{to_duration(timeout_range)(value)};
    });
    object.read_object("half_open", result.half_open, read_half_open);
    object.read("max_inflight", result.max_inflight, to_count(inflight_range));
    object.read_object("queue", result.queue, read_queue);
    object.read_object("adaptive", result.adaptive, read_adaptive);
    for (const auto& [key, is_given] : {std::pair{"max_inflight", result.max_inflight.has_value()},
                                        {"queue", result.queue.has_value()}})
        if (is_given && result.adaptive)
            object.reject("adaptive and " + std::string{key} +
                          " are both there: adaptive learns the limit that max_inflight gives, and "
                          "only a given limit has a queue");
    object.read_object("rate_limit", result.rate_limit, read_rate_limit);
    object.read_object("retry", result.retry, read_retry);
    object.read_object("fallback", result.fallback, read_fallback);
    object.read("call_timeout", result.call_timeout, to_duration(timeout_range));
    object.read("history", result.history, to_count(history_range));
    return result;
}

ConfigFile::Target read_target(const std::string& name, ConfigObject object) {
    ConfigFile::Target result{name, {}, {}};
    object.read("url", result.url, [](const json& value) { return parse_http_url(to_text(value)); });
    result.settings = read_settings(object);
    object.finish();
    return result;
}

std::vector<ConfigFile::Target> read_targets(const ConfigObject& object) {
    if (object.members().size() > max_targets)
        object.reject(std::to_string(object.members().size()) + " targets, " +
                      std::to_string(max_targets) + " at most");
    std::vector<ConfigFile::Target> result;
    for (const auto& [name, value] : object.members().items()) {
        try {
            check_target_name(name);
        } catch (const std::invalid_argument& error) {
            object.reject(name, error.what());
        }
        result.push_back(read_target(name, object.inside(name, value)));
    }
    return result;
}

} // namespace

ConfigFile read_config_file(const std::string& path) { return read_config(path, read_text(path)); }

ConfigFile read_config(const std::string& path, std::string_view text) {
    const json document = parse(path, text);
    ConfigFile result;
    ConfigObject top = ConfigObject::root(path, document);
    top.read("listen", result.listen,
             [](const json& value) { return parse_host_port(to_text(value)); });
    top.read("breaker_log", result.breaker_log, to_file_name);
    top.read("event_log", result.event_log, to_file_name);
    top.read("traffic_log", result.traffic_log, to_file_name);
    top.read("drain_time", result.drain_time, to_duration(drain_range));
    result.settings = read_settings(top);
    top.read_object("targets", result.targets, read_targets);
    top.finish();
    return result;
}

} // namespace relay_hub
