// SPDX-License-Identifier: MIT
#ifndef DASHPOT_EXAMPLES_BREAKER_DRILL_FLICKER_HPP
#define DASHPOT_EXAMPLES_BREAKER_DRILL_FLICKER_HPP

#include "../common/endpoint.hpp"

#include <cstdint>
#include <vector>

namespace breaker_drill {

/// What a breaker did in front of a service that stays as ill as it is.
struct Flicker {
    double failure_chance = 0; ///< Of each call that reaches the service.
    std::uint32_t probes = 0;

    std::uint32_t callers = 0;
    std::uint32_t failed = 0; ///< Callers who reached the service in vain.
    std::uint32_t refused = 0;

    std::uint32_t half_opens = 0; ///< OPEN -> HALF_OPEN
    std::uint32_t reopens = 0;    ///< HALF_OPEN -> OPEN
    std::uint32_t closes = 0;     ///< HALF_OPEN -> CLOSED

    /// Between OPEN and HALF_OPEN, both ways.
    [[nodiscard]] std::uint32_t flips() const noexcept { return half_opens + reopens; }
    [[nodiscard]] std::uint32_t served() const noexcept { return callers - failed - refused; }
    /// Which part of the half-open periods ended with the circuit closed.
    [[nodiscard]] double close_rate() const noexcept;
    /// Which part is to be expected: that where all probes succeed.
    [[nodiscard]] double expected_close_rate() const noexcept;
};

/// Puts a breaker with one probe and one with three in front of /flaky, side by side and with as many
/// callers each, for some failure chances. One probe comes before three. Takes some three seconds.
///
/// @throws std::runtime_error  the service is gone
[[nodiscard]] std::vector<Flicker> measure_flicker(const example::Endpoint& service);

} // namespace breaker_drill

#endif
