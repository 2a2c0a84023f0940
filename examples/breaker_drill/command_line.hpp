// SPDX-License-Identifier: MIT
#ifndef DASHPOT_EXAMPLES_BREAKER_DRILL_COMMAND_LINE_HPP
#define DASHPOT_EXAMPLES_BREAKER_DRILL_COMMAND_LINE_HPP

#include "step.hpp"

#include "../common/endpoint.hpp"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>

namespace breaker_drill {

/// All that a drill is told.
struct Options {
    /// Where a flaky_service is; nothing: the drill starts its own.
    std::optional<example::Endpoint> service;
    std::filesystem::path out;
    std::chrono::nanoseconds open_wait{};
    Plan plan;
    std::uint64_t seed = 0;
};

/// What to run, or that there is nothing to run: help was asked for, or an error was reported.
struct CommandLine {
    Options options;
    std::optional<int> exit_status;
};

/// Writes help to stdout and errors, with the name of the option, to stderr.
[[nodiscard]] CommandLine read_command_line(int argc, const char* const* argv);

} // namespace breaker_drill

#endif
