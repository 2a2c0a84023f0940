// SPDX-License-Identifier: MIT
#ifndef DASHPOT_CORE_STATE_HPP
#define DASHPOT_CORE_STATE_HPP

#include <dashpot/core/abi.hpp>

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <string_view>

namespace dashpot::inline DASHPOT_ABI {

/// The state of a circuit breaker.
enum class State : std::uint8_t {
    closed, ///< Calls pass and their outcomes are recorded.
    open,   ///< Calls are refused until the reset timeout has passed and a caller asks for admission.
    half_open,    ///< A fixed number of probes passes; their outcomes decide the next state.
    disabled,     ///< Set by disable(): every call passes, and no outcome is recorded.
    forced_open,  ///< Set by force_open(): every call is refused until reset().
    metrics_only, ///< Set by metrics_only(): every call passes, and its outcome is recorded.
};

namespace detail {

inline constexpr std::size_t state_count = static_cast<std::size_t>(State::metrics_only) + 1;

/// Returns the name of the enumerator as it is written in C++.
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

/// Returns "CLOSED", "OPEN", "HALF_OPEN", "DISABLED", "FORCED_OPEN" or "METRICS_ONLY".
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
