// SPDX-License-Identifier: MIT
#ifndef DASHPOT_REGISTRY_REMOVAL_HPP
#define DASHPOT_REGISTRY_REMOVAL_HPP

#include <dashpot/core/abi.hpp>
#include <dashpot/guard/transition.hpp>

#include <cstdint>
#include <iosfwd>
#include <string_view>

namespace dashpot::inline DASHPOT_ABI {

/// The reason why a target left a Registry.
enum class Removal : std::uint8_t {
    evicted, ///< The target was idle. The options configured for its name stay.
    removed, ///< Registry::remove() was called. The options configured for its name are removed too.
};

/// Returns the name of the enumerator.
[[nodiscard]] constexpr std::string_view to_string(Removal reason) noexcept {
    switch (reason) {
    case Removal::evicted: return "evicted";
    case Removal::removed: return "removed";
    }
    return "unknown";
}

/// Writes to_string().
template <class Traits>
std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& out, Removal reason) {
    return out << to_string(reason);
}

/// An object with data for each name. It is called with each transition, and its member function
/// on_removal() with each name that leaves. See Registry::on_transition().
template <class T>
concept TargetObserver =
    requires(T& observer, std::string_view name, const Transition& transition, Removal reason) {
        observer(name, transition);
        observer.on_removal(name, reason);
    };

} // namespace dashpot::inline DASHPOT_ABI

#endif
