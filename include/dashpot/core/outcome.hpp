// SPDX-License-Identifier: MIT
#ifndef DASHPOT_CORE_OUTCOME_HPP
#define DASHPOT_CORE_OUTCOME_HPP

#include <dashpot/core/abi.hpp>

#include <cstdint>
#include <iosfwd>
#include <string_view>

namespace dashpot::inline DASHPOT_ABI {

/// What one finished call indicates about the health of its target.
enum class Outcome : std::uint8_t {
    success, ///< The target is healthy; its answer may be a business rejection.
    failure, ///< The target has a fault: no answer, a broken answer, or an answer that reports its own
             ///< error.
    ignored, ///< The call gives no information about the target, and is not counted.
};

/// Returns "success", "failure" or "ignored".
[[nodiscard]] constexpr std::string_view to_string(Outcome outcome) noexcept {
    switch (outcome) {
    case Outcome::success: return "success";
    case Outcome::failure: return "failure";
    case Outcome::ignored: return "ignored";
    }
    return "unknown";
}

/// Writes to_string().
template <class Traits>
std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& out, Outcome outcome) {
    return out << to_string(outcome);
}

} // namespace dashpot::inline DASHPOT_ABI

#endif
