// SPDX-License-Identifier: MIT
#ifndef DASHPOT_EXAMPLES_RELAY_HUB_UTC_TIME_HPP
#define DASHPOT_EXAMPLES_RELAY_HUB_UTC_TIME_HPP

#include <dashpot/core/duration.hpp>

#include <string>

namespace relay_hub {

/// An instant of the steady clock for people, as the breaker log writes times:
/// `2026-11-30T08:15:30.042Z`.
///
/// **Contract.** The two clocks are compared once, so that an instant always reads the same. When
/// somebody sets the wall clock later, instants keep the time that was shown before.
[[nodiscard]] std::string to_utc(dashpot::Instant instant);

} // namespace relay_hub

#endif
