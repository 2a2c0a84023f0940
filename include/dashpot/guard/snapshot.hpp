// SPDX-License-Identifier: MIT
#ifndef DASHPOT_GUARD_SNAPSHOT_HPP
#define DASHPOT_GUARD_SNAPSHOT_HPP

#include <dashpot/core/abi.hpp>
#include <dashpot/core/duration.hpp>
#include <dashpot/core/state.hpp>

#include <chrono>
#include <cstdint>
#include <optional>

namespace dashpot::inline DASHPOT_ABI {

/// All calls whose outcome counted, over a breaker's life.
struct CallTotals {
    std::uint64_t successes = 0; ///< Slow ones too.
    std::uint64_t failures = 0;
    std::uint64_t slow = 0; ///< Of both. 0 where slow calls are not judged.

    friend bool operator==(const CallTotals&, const CallTotals&) = default;
};

/// A circuit breaker at one instant, all fields of the same instant.
struct Snapshot {
    State state = State::closed;
    /// Grows by one at every change of state, at every reset() and at every fresh half-open period.
    std::uint64_t generation = 0;

    /// CLOSED and METRICS_ONLY: the calls that the policy judges by. HALF_OPEN: the answered probes.
    /// OPEN and FORCED_OPEN: the numbers of the moment it left the state before, unchanged. DISABLED:
    /// 0.
    std::uint64_t calls = 0;
    std::uint64_t failures =
        0;                  ///< How many of `calls` failed; in HALF_OPEN slow probes are among them.
    std::uint64_t slow = 0; ///< How many of `calls` were slow. 0 where slow calls are not judged.
    std::optional<double> failure_rate{}; ///< 0 to 1. Empty: not judged, or not enough calls yet.
    std::optional<double> slow_rate{};    ///< 0 to 1. Empty: not judged, or not enough calls yet.

    std::uint32_t probes_in_flight = 0; ///< Unanswered probes. 0 unless HALF_OPEN.
    std::uint64_t ignored = 0; ///< Calls that ended as ignored, dropped permits too, over its life.
    std::uint64_t refused = 0; ///< Calls refused, over the breaker's life.

    /// How often it would have opened while METRICS_ONLY, over its life. The window is empty after each
    /// time.
    std::uint64_t would_have_opened = 0;

    /// Empty unless BreakerOptions::count_totals.
    std::optional<CallTotals> totals{};

    Instant since{}; ///< When it entered `state`, on the breaker's clock; at first, when it was made.
    std::optional<Instant> opened_at{};      ///< When it last opened. Empty unless OPEN or HALF_OPEN.
    std::chrono::nanoseconds retry_after{0}; ///< The remaining wait. 0 unless OPEN, never negative.
};

} // namespace dashpot::inline DASHPOT_ABI

#endif
