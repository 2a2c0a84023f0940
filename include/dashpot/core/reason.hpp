// SPDX-License-Identifier: MIT
#ifndef DASHPOT_CORE_REASON_HPP
#define DASHPOT_CORE_REASON_HPP

#include <dashpot/core/abi.hpp>

#include <cstdint>
#include <iosfwd>
#include <string_view>

namespace dashpot::inline DASHPOT_ABI {

/// Which rule or command made a circuit breaker change its state.
enum class Reason : std::uint8_t {
    consecutive_failures,       ///< A run of failures reached its threshold.
    failure_rate,               ///< The failure rate of a window reached its threshold.
    slow_rate,                  ///< The rate of slow calls in a window reached its threshold.
    failure_rate_and_slow_rate, ///< Both rates reached their thresholds with the same call.
    policy,                     ///< A custom policy opened the circuit.
    reset_timeout,              ///< The reset timeout had passed and a caller began a probe.
    probes_succeeded,           ///< Enough probes succeeded.
    probes_failed,              ///< Too many probes failed for the others to close the circuit.
    trip,                       ///< trip() was called.
    force_open,                 ///< force_open() was called.
    disable,                    ///< disable() was called.
    metrics_only,               ///< metrics_only() was called.
    reset,                      ///< reset() was called.
};

/// Returns the name of the enumerator, for example "failure_rate".
[[nodiscard]] constexpr std::string_view to_string(Reason reason) noexcept {
    switch (reason) {
    case Reason::consecutive_failures: return "consecutive_failures";
    case Reason::failure_rate: return "failure_rate";
    case Reason::slow_rate: return "slow_rate";
    case Reason::failure_rate_and_slow_rate: return "failure_rate_and_slow_rate";
    case Reason::policy: return "policy";
    case Reason::reset_timeout: return "reset_timeout";
    case Reason::probes_succeeded: return "probes_succeeded";
    case Reason::probes_failed: return "probes_failed";
    case Reason::trip: return "trip";
    case Reason::force_open: return "force_open";
    case Reason::disable: return "disable";
    case Reason::metrics_only: return "metrics_only";
    case Reason::reset: return "reset";
    }
    return "unknown";
}

/// Writes to_string().
template <class Traits>
std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& out, Reason reason) {
    return out << to_string(reason);
}

} // namespace dashpot::inline DASHPOT_ABI

#endif
