// SPDX-License-Identifier: MIT
#ifndef DASHPOT_EXAMPLES_RELAY_HUB_SETTINGS_CONFIG_CHANGES_HPP
#define DASHPOT_EXAMPLES_RELAY_HUB_SETTINGS_CONFIG_CHANGES_HPP

#include "settings.hpp"

#include <nlohmann/json.hpp>

#include <stdexcept>
#include <string>
#include <vector>

namespace relay_hub {

/// A field that differs, as a config file calls it: `targets.CORE.max_inflight`. Null: it was, or is,
/// not there.
struct Change {
    std::string field;
    nlohmann::json before;
    nlohmann::json after;
};

/// Something is to change that cannot while the hub runs. The text names the field.
class CannotChange : public std::invalid_argument {
  public:
    using std::invalid_argument::invalid_argument;
};

/// What differs between what is in force and what is to be; nothing if nothing does.
///
/// @throws CannotChange  the address that the hub listens on, a log, the set of targets, a target's URL
/// or how much history it keeps
[[nodiscard]] std::vector<Change> changes_between(const Options& before, const Options& after);

} // namespace relay_hub

#endif
