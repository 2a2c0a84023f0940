// SPDX-License-Identifier: MIT
#ifndef DASHPOT_EXAMPLES_COMMON_UTC_TIME_HPP
#define DASHPOT_EXAMPLES_COMMON_UTC_TIME_HPP

#include <dashpot/core/duration.hpp>

#include <string>

namespace example {

/// Compares the wall clock with the steady clock. To be called after anything that has an instant for
/// to_utc(), so that a later step of the wall clock does not change its time.
///
/// **Threads.** From any thread. **Cost.** A lock and three clock readings.
void compare_clocks();

/// An instant of the steady clock for people, as the breaker log writes times:
/// `2026-11-30T08:15:30.042Z`.
///
/// **Contract.** The time that the wall clock showed then. A later step of the wall clock does not
/// change it, so it stays equal to the time in the logs. See ClockSteps.
/// **Threads.** From any thread.
[[nodiscard]] std::string to_utc(dashpot::Instant instant);

} // namespace example

#endif
