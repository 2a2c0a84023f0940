// SPDX-License-Identifier: MIT
#ifndef DASHPOT_EXAMPLES_RELAY_HUB_HTTP_PATIENCE_HPP
#define DASHPOT_EXAMPLES_RELAY_HUB_HTTP_PATIENCE_HPP

#include "../settings/settings.hpp"

#include "../../common/http_message.hpp"

#include <chrono>
#include <optional>
#include <stdexcept>
#include <string>

namespace relay_hub {

/// How long the client waits for its answer, as its header X-Timeout-Ms says.
///
/// @return nothing: there is no such header
/// @throws std::invalid_argument  it is no whole number from 1 to 86 400 000, or there are several
[[nodiscard]] inline std::optional<std::chrono::milliseconds>
patience_of(const example::HttpRequest& request) {
    const auto given = request.fields.all("X-Timeout-Ms");
    if (given.empty()) return std::nullopt;
    try {
        if (given.size() > 1) throw std::invalid_argument{"is there more than once"};
        return std::chrono::milliseconds{parse_count(given.front(), milliseconds_range)};
    } catch (const std::invalid_argument& error) {
        throw std::invalid_argument{"X-Timeout-Ms: " + std::string{error.what()}};
    }
}

} // namespace relay_hub

#endif
