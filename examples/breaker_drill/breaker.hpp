// SPDX-License-Identifier: MIT
#ifndef DASHPOT_EXAMPLES_BREAKER_DRILL_BREAKER_HPP
#define DASHPOT_EXAMPLES_BREAKER_DRILL_BREAKER_HPP

#include <dashpot/dashpot.hpp>

#include <chrono>
#include <cstdint>

namespace breaker_drill {

/// What is drilled.
using Breaker = dashpot::CircuitBreaker<dashpot::SteadyClock, dashpot::CountWindow>;

/// Half of the last ten calls failed, or all of them took longer than 3 s; once there are five.
inline constexpr dashpot::CountWindow window{
    .size = 10,
    .minimum_calls = 5,
    .failure_rate = 0.5,
    .slow_calls = dashpot::SlowCalls{.longer_than = std::chrono::seconds{3}}};

/// How many probes it takes, all of them, to close again.
inline constexpr std::uint32_t probes = 3;

} // namespace breaker_drill

#endif
