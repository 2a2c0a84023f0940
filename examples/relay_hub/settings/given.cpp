// SPDX-License-Identifier: MIT
#include "given.hpp"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace relay_hub {
namespace {

std::vector<TargetOptions> all_targets(const Given& given, const ConfigFile& file,
                                       const std::string& name) {
    const auto is_given = [&](const ConfigFile::Target& entry) {
        return std::ranges::find(given.targets, entry.name, &Given::Target::name) !=
               given.targets.end();
    };
    const auto is_filed = [&](const Given::Target& target) {
        return std::ranges::find(file.targets, target.name, &ConfigFile::Target::name) !=
               file.targets.end();
    };
    // Who has another target has said where the hub is to relay to, and not that there are two more.
    const bool file_names_all =
        given.has_default_targets && !std::ranges::all_of(file.targets, is_given);
    std::vector<TargetOptions> result;
    for (const Given::Target& target : given.targets)
        if (!file_names_all || is_filed(target)) result.push_back({target.name, target.url, {}});
    for (const ConfigFile::Target& entry : file.targets) {
        auto found = std::ranges::find(result, entry.name, &TargetOptions::name);
        if (found == result.end()) {
            if (!entry.url)
                throw std::invalid_argument{name + ": targets." + entry.name +
                                            ".url: missing, and no --target has that name"};
            result.push_back({entry.name, *entry.url, {}});
            found = std::prev(result.end());
        }
        if (!entry.url) continue;
        found->url = *entry.url;
        found->url_given_by = name + ": targets." + entry.name + ".url";
    }
    if (result.size() > max_targets)
        throw std::invalid_argument{name + ": " + std::to_string(result.size()) +
                                    " targets with those of --target, " + std::to_string(max_targets) +
                                    " at most"};
    return result;
}

/// The command line's, or else the file's, or else the default.
template <class Field>
Field first_of(const std::optional<Field>& given, const std::optional<Field>& filed, Field otherwise) {
    return given ? *given : filed ? *filed : std::move(otherwise);
}

} // namespace

Options resolve(const Given& given, const ConfigFile& file, const std::string& name) {
    const Options defaults;
    Options options;
    options.has_protection = given.has_protection;
    options.listen = first_of(given.listen, file.listen, defaults.listen);
    if (!given.listen && file.listen) options.listen_given_by = name + ": listen";
    const auto file_option = [&](const auto& told, const auto& filed, FileOption otherwise,
                                 const char* key) {
        if (told) return FileOption{*told, otherwise.given_by};
        return filed ? FileOption{*filed, name + ": " + key} : std::move(otherwise);
    };
    options.breaker_log =
        file_option(given.breaker_log, file.breaker_log, defaults.breaker_log, "breaker_log");
    options.event_log = file_option(given.event_log, file.event_log, defaults.event_log, "event_log");
    options.traffic_log =
        file_option(given.traffic_log, file.traffic_log, defaults.traffic_log, "traffic_log");
    options.drain_time = first_of(given.drain_time, file.drain_time, defaults.drain_time);
    // One by its name; Logs sees those that are one by spelling or link. Two logs may share a device.
    std::error_code ignored;
    if (options.event_log.path == options.breaker_log.path &&
        !std::filesystem::is_character_file(options.event_log.path, ignored))
        throw std::invalid_argument{one_file(options.event_log, options.breaker_log)};
    options.targets = all_targets(given, file, name);
    const TargetSettings general = given.settings.over(file.settings.over({}));
    for (TargetOptions& target : options.targets) {
        const auto entry = std::ranges::find(file.targets, target.name, &ConfigFile::Target::name);
        target.settings = entry == file.targets.end() ? general : entry->settings.over(general);
    }
    return options;
}

} // namespace relay_hub
