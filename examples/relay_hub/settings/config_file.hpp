// SPDX-License-Identifier: MIT
#ifndef DASHPOT_EXAMPLES_RELAY_HUB_SETTINGS_CONFIG_FILE_HPP
#define DASHPOT_EXAMPLES_RELAY_HUB_SETTINGS_CONFIG_FILE_HPP

#include "settings.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace relay_hub {

/// What a config file says, and nothing that it does not say.
struct ConfigFile {
    struct Target {
        std::string name;
        std::optional<Endpoint> url;
        PartialSettings settings;
    };
    std::optional<Endpoint> listen;
    std::optional<std::string> breaker_log;
    std::optional<std::string> event_log;
    std::optional<std::string> traffic_log;
    std::optional<std::chrono::nanoseconds> drain_time;
    PartialSettings settings; ///< for all targets
    std::vector<Target> targets;
};

/// @throws std::invalid_argument  unreadable, not JSON, a key unknown or given twice, a value of the
///                                wrong type or out of range; names the file and the key
[[nodiscard]] ConfigFile read_config_file(const std::string& path);

/// The same for the text that the file holds.
[[nodiscard]] ConfigFile read_config(const std::string& path, std::string_view text);

} // namespace relay_hub

#endif
