// SPDX-License-Identifier: MIT
#include "live_config.hpp"

#include "../../common/utc_time.hpp"
#include "config_object.hpp"

#include "../../common/standard_streams.hpp"

#include <chrono>
#include <exception>
#include <memory>
#include <string>
#include <utility>

namespace relay_hub {
namespace {

// Longer than a pipe's writer may take.
constexpr std::chrono::seconds read_patience{6};

std::vector<std::string> lines_of(const std::vector<Change>& changes) {
    std::vector<std::string> lines;
    lines.reserve(changes.size());
    for (const Change& change : changes)
        lines.push_back(change.field + ": " + change.before.dump() + " -> " + change.after.dump());
    return lines;
}

} // namespace

LiveConfig::LiveConfig(Given given, Options options, std::function<void(const Options&)> apply)
    : given_{std::move(given)}, apply_{std::move(apply)}, options_{std::move(options)} {
    reloads_.last_accepted = std::chrono::steady_clock::now();
}

std::vector<Change> LiveConfig::read_file() {
    return change(given_.config, [this] { return file_in_time(); });
}

std::vector<Change> LiveConfig::take(std::string_view text) {
    const std::string name = "the request";
    return change(name, [&] { return read_config(name, text); });
}

LiveConfig::Reloads LiveConfig::reloads() const {
    const std::lock_guard lock{reloads_mutex_};
    return reloads_;
}

template <class Read>
std::vector<Change> LiveConfig::change(const std::string& name, Read read) {
    const auto note = [this](bool is_accepted) {
        const std::lock_guard lock{reloads_mutex_};
        const auto now = std::chrono::steady_clock::now();
        ++(is_accepted ? reloads_.accepted : reloads_.refused);
        reloads_.is_last_refused = !is_accepted;
        if (is_accepted)
            reloads_.last_accepted = now;
        else
            reloads_.last_refused = now;
        example::compare_clocks();
    };
    // Read under the lock: of two that overlap, the later has the newer file.
    const std::lock_guard lock{mutex_};
    try {
        std::vector<Change> changes = change_locked(read(), name);
        note(true);
        return changes;
    } catch (...) {
        note(false);
        throw;
    }
}

ConfigFile LiveConfig::file_in_time() {
    struct Reading {
        ConfigFile file;
        std::exception_ptr error;
    };
    const auto reading = std::make_shared<Reading>();
    const bool has_ended = reader_.run(
        [reading, path = given_.config] {
            try {
                reading->file = read_config_file(path);
            } catch (...) {
                reading->error = std::current_exception();
            }
        },
        read_patience);
    if (!has_ended) throw ConfigError{given_.config, "cannot be read: it does not answer"};
    if (reading->error) std::rethrow_exception(reading->error);
    return std::move(reading->file);
}

std::vector<Change> LiveConfig::change_locked(const ConfigFile& file, const std::string& name) {
    Options options = resolve(given_, file, name);
    std::vector<Change> changes = changes_between(options_, options);
    if (changes.empty()) return changes;
    const std::vector<std::string> lines = lines_of(changes); // before anything changes: it may fail
    apply_(options);
    options_ = std::move(options);
    for (const std::string& line : lines) example::say("relay_hub", line);
    return changes;
}

} // namespace relay_hub
