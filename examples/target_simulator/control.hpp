// SPDX-License-Identifier: MIT
#ifndef DASHPOT_EXAMPLES_TARGET_SIMULATOR_CONTROL_HPP
#define DASHPOT_EXAMPLES_TARGET_SIMULATOR_CONTROL_HPP

#include "simulator.hpp"

#include <string>
#include <string_view>

namespace target_simulator {

/// Reads the body of POST /_ctl: `{"mode":"slow","delay_ms":250}`. The mode is required; the delay,
/// 0 to 60 000, is 2000 if it is not there. `capacity`, 1 to 1000, is how many calls a slow target
/// serves at once, and `fail_rate`, above 0 and up to 1, which part of the calls a failing one fails.
///
/// @throws std::invalid_argument  says what is wrong with it
[[nodiscard]] Behaviour parse_control(const std::string& body);

[[nodiscard]] std::string to_json(const Behaviour& behaviour, std::string_view name);
[[nodiscard]] std::string to_json(const Stats& stats);

} // namespace target_simulator

#endif
