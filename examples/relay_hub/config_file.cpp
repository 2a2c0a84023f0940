// SPDX-License-Identifier: MIT
#include "config_file.hpp"

#include <nlohmann/json.hpp>

#include <cerrno>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <set>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <utility>

namespace relay_hub {
namespace {

using nlohmann::json;

[[noreturn]] void reject(const std::string& where, const std::string& problem) {
    throw std::invalid_argument{where + ": " + problem};
}

std::string read_text(const std::string& path) {
    errno = 0;
    try {
        std::ifstream file{path, std::ios::binary};
        std::string text{std::istreambuf_iterator<char>{file}, {}};
        if (file.is_open() && !file.bad()) return text;
    } catch (const std::ios_base::failure&) { // a directory can be opened, but not read
    }
    reject(path, "cannot be read: " + std::generic_category().message(errno));
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
        reject(path, std::string{"is not JSON: "} + error.what());
    }
    if (!duplicate.empty()) reject(path, "key '" + duplicate + "' is there twice");
    return document;
}

/// Reads the members of one object, each by its name; what nobody asked for is an error.
class ObjectReader {
  public:
    ObjectReader(std::string path, std::string prefix, const json& object)
        : path_{std::move(path)}, prefix_{std::move(prefix)}, object_{object} {
        if (!object_.is_object()) reject(place(), "must be an object");
    }

    /// Calls `take` with the member, if there is one.
    template <class Take>
    void read(const std::string& key, Take take) {
        known_.insert(key);
        const auto found = object_.find(key);
        if (found == object_.end()) return;
        try {
            take(*found);
        } catch (const std::invalid_argument& error) {
            reject(place(key), error.what());
        }
    }

    void finish() const {
        for (const auto& [key, value] : object_.items())
            if (!known_.contains(key)) reject(place(key), "unknown key");
    }

  private:
    [[nodiscard]] std::string place(const std::string& key = {}) const {
        const std::string full = prefix_.empty() || key.empty() ? prefix_ + key : prefix_ + "." + key;
        return full.empty() ? path_ : path_ + ": " + full;
    }

    std::string path_;
    std::string prefix_;
    const json& object_;
    std::set<std::string> known_;
};

std::string to_text(const json& value) {
    if (!value.is_string()) throw std::invalid_argument{"must be a string"};
    return value.get<std::string>();
}

auto to_count(CountRange range) {
    return [range](const json& value) {
        if (!value.is_number_integer()) throw std::invalid_argument{"must be a whole number"};
        return parse_count(value.dump(), range);
    };
}

std::chrono::nanoseconds to_seconds(const json& value) {
    if (!value.is_number()) throw std::invalid_argument{"must be a number of seconds"};
    return to_timeout(value.get<double>());
}

PartialSettings read_settings(ObjectReader& object) {
    PartialSettings result;
    const auto threshold = to_count(threshold_range);
    const auto inflight = to_count(inflight_range);
    object.read("fail_threshold", [&](const json& v) { result.fail_threshold = threshold(v); });
    object.read("reset_timeout", [&](const json& v) { result.reset_timeout = to_seconds(v); });
    object.read("max_inflight", [&](const json& v) { result.max_inflight = inflight(v); });
    object.read("call_timeout", [&](const json& v) { result.call_timeout = to_seconds(v); });
    return result;
}

ConfigFile::Target read_target(const std::string& path, const std::string& name, const json& value) {
    ConfigFile::Target result{name, {}, {}};
    const std::string place = "targets." + name;
    try {
        check_target_name(name);
    } catch (const std::invalid_argument& error) {
        reject(path + ": " + place, error.what());
    }
    ObjectReader object{path, place, value};
    object.read("url", [&](const json& v) { result.url = parse_http_url(to_text(v)); });
    result.settings = read_settings(object);
    object.finish();
    return result;
}

} // namespace

ConfigFile read_config_file(const std::string& path) {
    const json document = parse_without_duplicates(path);
    ConfigFile result;
    ObjectReader top{path, {}, document};
    top.read("listen", [&](const json& v) { result.listen = parse_host_port(to_text(v)); });
    top.read("breaker_log", [&](const json& v) { result.breaker_log = to_text(v); });
    if (result.breaker_log == "") reject(path + ": breaker_log", "must not be empty");
    result.settings = read_settings(top);
    const json* targets = nullptr;
    top.read("targets", [&](const json& v) { targets = &v; });
    top.finish();
    if (targets == nullptr) return result;
    if (!targets->is_object()) reject(path + ": targets", "must be an object");
    for (const auto& [name, value] : targets->items())
        result.targets.push_back(read_target(path, name, value));
    return result;
}

} // namespace relay_hub
