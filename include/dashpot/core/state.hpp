// SPDX-License-Identifier: MIT
#ifndef DASHPOT_CORE_STATE_HPP
#define DASHPOT_CORE_STATE_HPP

#include <dashpot/core/abi.hpp>

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <string_view>

namespace dashpot::inline DASHPOT_ABI {

/// Where a circuit breaker stands.
enum class State : std::uint8_t {
    closed,       ///< Calls pass and are judged.
    open,         ///< Calls are refused until the reset timeout has passed and somebody asks.
    half_open,    ///< A fixed number of probes passes; their outcomes decide.
    disabled,     ///< By command: every call passes, nothing is recorded.
    forced_open,  ///< By command: every call is refused, until reset().
    metrics_only, ///< By command: every call passes and is judged, nothing is ever refused.
};

namespace detail {

inline constexpr std::size_t state_count = static_cast<std::size_t>(State::metrics_only) + 1;

/// As one writes it in C++.
[[nodiscard]] constexpr std::string_view name_in_code(State state) noexcept {
    switch (state) {
    case State::closed: return "State::closed";
    case State::open: return "State::open";
    case State::half_open: return "State::half_open";
    case State::disabled: return "State::disabled";
    case State::forced_open: return "State::forced_open";
    case State::metrics_only: return "State::metrics_only";
    }
    return "State{}";
}

} // namespace detail

/// "CLOSED", "OPEN", "HALF_OPEN", "DISABLED", "FORCED_OPEN" or "METRICS_ONLY".
[[nodiscard]] constexpr std::string_view to_string(State state) noexcept {
    switch (state) {
    case State::closed: return "CLOSED";
    case State::open: return "OPEN";
    case State::half_open: return "HALF_OPEN";
    case State::disabled: return "DISABLED";
    case State::forced_open: return "FORCED_OPEN";
    case State::metrics_only: return "METRICS_ONLY";
    }
    return "UNKNOWN";
}

/// Writes to_string().
template <class Traits>
std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& out, State state) {
    return out << to_string(state);
}

} // namespace dashpot::inline DASHPOT_ABI

#endif
