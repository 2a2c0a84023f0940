// SPDX-License-Identifier: MIT
#include "config_file.hpp"

#include "config_object.hpp"
#include "guard_config.hpp"

#include <nlohmann/json.hpp>

#include <cerrno>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace relay_hub {
namespace {

using nlohmann::json;

std::string read_text(const std::string& path) {
    errno = 0;
    try {
        std::ifstream file{path, std::ios::binary};
        std::string text{std::istreambuf_iterator<char>{file}, {}};
        if (file.is_open() && !file.bad()) return text;
    } catch (const std::ios_base::failure&) { // a directory can be opened, but not read
    }
    throw ConfigError{path, "cannot be read: " + std::generic_category().message(errno)};
}

/// The parser would let the last of two equal keys win, without a word.
json parse_without_duplicates(const std::string& path) {
    std::vector<std::set<std::string>> open_objects;
    std::string duplicate;
    const auto watch = [&](int, json::parse_event_t event, json& parsed) {
        if (event == json::parse_event_t::object_start) open_objects.emplace_back();
        if (event == json::parse_event_t::object_end) open_objects.pop_back();
        if (event == json::parse_event_t::key &&
            !open_objects.back().insert(parsed.get<std::string>()).second)
            duplicate = parsed.get<std::string>();
        return true;
    };
    json document;
    try {
        document = json::parse(read_text(path), watch);
    } catch (const json::exception& error) {
        throw ConfigError{path, std::string{"is not JSON: "} + error.what()};
    }
    if (!duplicate.empty()) throw ConfigError{path, "key '" + duplicate + "' is there twice"};
    return document;
}

std::string to_file_name(const json& value) {
    std::string name = to_text(value);
    if (name.empty()) throw std::invalid_argument{"must not be empty"};
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
    object.read("call_timeout", result.call_timeout, to_duration(timeout_range));
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

ConfigFile read_config_file(const std::string& path) {
    const json document = parse_without_duplicates(path);
    ConfigFile result;
    ConfigObject top = ConfigObject::root(path, document);
    top.read("listen", result.listen,
             [](const json& value) { return parse_host_port(to_text(value)); });
    top.read("breaker_log", result.breaker_log, to_file_name);
    result.settings = read_settings(top);
    top.read_object("targets", result.targets, read_targets);
    top.finish();
    return result;
}

} // namespace relay_hub
