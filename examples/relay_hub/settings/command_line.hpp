// SPDX-License-Identifier: MIT
#ifndef DASHPOT_EXAMPLES_RELAY_HUB_SETTINGS_COMMAND_LINE_HPP
#define DASHPOT_EXAMPLES_RELAY_HUB_SETTINGS_COMMAND_LINE_HPP

#include "given.hpp"

#include <optional>

namespace relay_hub {

/// The exit status for a command line or a config file that asks for something impossible.
inline constexpr int bad_usage = 2;

/// What to run, or that there is nothing to run: help was asked for, or an error was reported.
struct CommandLine {
    Given given;
    Options options; ///< resolved with the config file as it was
    std::optional<int> exit_status;
};

/// Reads the command line and the config file that it may name. Writes help to stdout and errors,
/// with the name of the option, to stderr.
[[nodiscard]] CommandLine read_command_line(int argc, const char* const* argv);

} // namespace relay_hub

#endif
