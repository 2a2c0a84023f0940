// SPDX-License-Identifier: MIT
#include "given.hpp"

#include <algorithm>
#include <stdexcept>
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
            continue;
        }
        if (entry.url) found->url = *entry.url;
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
    options.breaker_log = first_of(given.breaker_log, file.breaker_log, defaults.breaker_log);
    options.event_log = first_of(given.event_log, file.event_log, defaults.event_log);
    options.drain_time = first_of(given.drain_time, file.drain_time, defaults.drain_time);
    if (options.event_log == options.breaker_log)
        throw std::invalid_argument{"--event-log, event_log: is the file of the breaker log"};
    options.targets = all_targets(given, file, name);
    const TargetSettings general = given.settings.over(file.settings.over({}));
    for (TargetOptions& target : options.targets) {
        const auto entry = std::ranges::find(file.targets, target.name, &ConfigFile::Target::name);
        target.settings = entry == file.targets.end() ? general : entry->settings.over(general);
    }
    return options;
}

} // namespace relay_hub
