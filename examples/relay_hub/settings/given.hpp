// SPDX-License-Identifier: MIT
#ifndef DASHPOT_EXAMPLES_RELAY_HUB_SETTINGS_GIVEN_HPP
#define DASHPOT_EXAMPLES_RELAY_HUB_SETTINGS_GIVEN_HPP

#include "config_file.hpp"
#include "settings.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace relay_hub {

/// What the command line says, and whether it says it. It stays as long as the hub runs; the config
/// file that it is put together with may be read again.
struct Given {
    struct Target {
        std::string name;
        Endpoint url;
    };
    std::optional<Endpoint> listen;
    std::optional<std::string> breaker_log;
    std::optional<std::string> event_log;
    std::optional<std::string> traffic_log;
    std::optional<std::chrono::nanoseconds> drain_time;
    std::vector<Target> targets;
    bool has_default_targets = false; ///< nobody gave `targets`
    PartialSettings settings;         ///< for all targets
    bool has_protection = true;
    std::string config; ///< the name of the config file; empty: none
};

/// Puts together what the hub is told. A target's own entry in the file is the most special and wins
/// over the command line; the command line wins over what the file says for all targets; that wins over
/// the defaults. Targets of the file are added to those of the command line. Where that names none, and
/// the file names any but the default ones, the file names all there are.
///
/// @param name  of the file, for messages
/// @throws std::invalid_argument  it makes no sense; names the field
[[nodiscard]] Options resolve(const Given& given, const ConfigFile& file, const std::string& name);

} // namespace relay_hub

#endif
