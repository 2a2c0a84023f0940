// SPDX-License-Identifier: MIT
#ifndef DASHPOT_EXAMPLES_COMMON_VERSION_TEXT_HPP
#define DASHPOT_EXAMPLES_COMMON_VERSION_TEXT_HPP

#include <dashpot/version.hpp>

#include <string>

namespace example {

/// "relay_hub 0.1.0"
[[nodiscard]] inline std::string version_text(const std::string& program) {
    return program + " " + std::to_string(DASHPOT_VERSION_MAJOR) + "." +
           std::to_string(DASHPOT_VERSION_MINOR) + "." + std::to_string(DASHPOT_VERSION_PATCH);
}

} // namespace example

#endif
