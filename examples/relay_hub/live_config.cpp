// SPDX-License-Identifier: MIT
#include "live_config.hpp"

#include <iostream>
#include <string>
#include <utility>

namespace relay_hub {
namespace {

std::vector<std::string> lines_of(const std::vector<Change>& changes) {
    std::vector<std::string> lines;
    lines.reserve(changes.size());
    for (const Change& change : changes)
        lines.push_back("relay_hub: " + change.field + ": " + change.before.dump() + " -> " +
                        change.after.dump() + "\n");
    return lines;
}

} // namespace

LiveConfig::LiveConfig(Given given, Options options, std::function<void(const Options&)> apply)
    : given_{std::move(given)}, apply_{std::move(apply)}, options_{std::move(options)} {}

std::vector<Change> LiveConfig::read_file() {
    // Read under the lock: of two that overlap, the later has the newer file.
    const std::lock_guard lock{mutex_};
    return change_locked(read_config_file(given_.config), given_.config);
}

std::vector<Change> LiveConfig::take(std::string_view text) {
    const std::string name = "the request";
    const std::lock_guard lock{mutex_};
    return change_locked(read_config(name, text), name);
}

std::vector<Change> LiveConfig::change_locked(const ConfigFile& file, const std::string& name) {
    Options options = resolve(given_, file, name);
    std::vector<Change> changes = changes_between(options_, options);
    if (changes.empty()) return changes;
    const std::vector<std::string> lines = lines_of(changes); // before anything changes: it may fail
    apply_(options);
    options_ = std::move(options);
    for (const std::string& line : lines) std::cerr << line << std::flush;
    return changes;
}

} // namespace relay_hub
