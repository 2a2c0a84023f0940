// SPDX-License-Identifier: MIT
#ifndef DASHPOT_EXAMPLES_RELAY_HUB_RELAY_COMMAND_HPP
#define DASHPOT_EXAMPLES_RELAY_HUB_RELAY_COMMAND_HPP

#include <cstdint>
#include <optional>
#include <string_view>

namespace relay_hub {

/// What an operator may tell a circuit breaker to do. dashpot's commands, by the same names.
enum class Command : std::uint8_t { force_open, disable, metrics_only, reset };

/// As it stands in a path. @return nothing: there is no such command
[[nodiscard]] constexpr std::optional<Command> to_command(std::string_view text) noexcept {
    if (text == "force-open") return Command::force_open;
    if (text == "disable") return Command::disable;
    if (text == "metrics-only") return Command::metrics_only;
    if (text == "reset") return Command::reset;
    return std::nullopt;
}

} // namespace relay_hub

#endif
