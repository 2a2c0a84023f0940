// SPDX-License-Identifier: MIT
#include "config_changes.hpp"

#include "guard_config.hpp"

#include <algorithm>
#include <set>
#include <string_view>

namespace relay_hub {
namespace {

using nlohmann::json;

json to_json(const TargetSettings& settings) {
    json result{{"policy", to_config(settings.policy)},
                {"reset_timeout", to_config(settings.reset_timeout)},
                {"half_open", to_config(effective_half_open(settings))},
                {"call_timeout", in_seconds(settings.call_timeout)}};
    if (settings.adaptive.is_limited())
        result["adaptive"] = to_config(settings.adaptive);
    else
        result["max_inflight"] = settings.max_inflight;
    if (settings.queue) result["queue"] = to_config(*settings.queue);
    if (settings.rate_limit) result["rate_limit"] = to_config(*settings.rate_limit);
    if (settings.retry) result["retry"] = to_config(*settings.retry);
    if (settings.fallback) result["fallback"] = to_config(*settings.fallback);
    return result;
}

/// A policy of another type has other members: it is shown whole.
bool have_like_members(const json& before, const json& after) {
    return before.is_object() && after.is_object() &&
           before.value("type", json{}) == after.value("type", json{});
}

void compare(const std::string& field, const json& before, const json& after,
             std::vector<Change>& changes) {
    if (before == after) return;
    if (!have_like_members(before, after)) return changes.push_back({field, before, after});
    std::set<std::string> keys;
    for (const auto& [key, value] : before.items()) keys.insert(key);
    for (const auto& [key, value] : after.items()) keys.insert(key);
    for (const std::string& key : keys)
        compare(field + "." + key, before.value(key, json{}), after.value(key, json{}), changes);
}

template <class Field>
void must_stay(const std::string& field, const Field& before, const Field& after,
               const std::string& shown) {
    if (before != after)
        throw CannotChange{field + ": cannot change while the hub runs, it is " + shown};
}

const TargetOptions* find(const std::vector<TargetOptions>& targets, std::string_view name) {
    const auto found = std::ranges::find(targets, name, &TargetOptions::name);
    return found == targets.end() ? nullptr : &*found;
}

void check_what_stays(const Options& before, const Options& after) {
    must_stay("listen", before.listen, after.listen, to_url(before.listen).substr(7));
    must_stay("breaker_log", before.breaker_log.path, after.breaker_log.path, before.breaker_log.path);
    must_stay("event_log", before.event_log.path, after.event_log.path,
              before.event_log.path.empty() ? "none" : before.event_log.path);
    must_stay("traffic_log", before.traffic_log.path, after.traffic_log.path,
              before.traffic_log.path.empty() ? "none" : before.traffic_log.path);
    for (const TargetOptions& target : before.targets) {
        const TargetOptions* const same = find(after.targets, target.name);
        if (same == nullptr)
            throw CannotChange{"targets." + target.name +
                               ": is not there, and no target can be removed while the hub runs"};
        must_stay("targets." + target.name + ".url", target.url, same->url, to_url(target.url));
        must_stay("targets." + target.name + ".history", target.settings.history,
                  same->settings.history, std::to_string(target.settings.history));
    }
    for (const TargetOptions& target : after.targets)
        if (find(before.targets, target.name) == nullptr)
            throw CannotChange{"targets." + target.name +
                               ": is new, and no target can be added while the hub runs"};
}

} // namespace

std::vector<Change> changes_between(const Options& before, const Options& after) {
    check_what_stays(before, after);
    std::vector<Change> changes;
    compare("drain_time", in_seconds(before.drain_time), in_seconds(after.drain_time), changes);
    for (const TargetOptions& target : before.targets)
        compare("targets." + target.name, to_json(target.settings),
                to_json(find(after.targets, target.name)->settings), changes);
    return changes;
}

} // namespace relay_hub
