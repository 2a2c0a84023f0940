// SPDX-License-Identifier: MIT
#ifndef DASHPOT_REGISTRY_REGISTRY_OPTIONS_HPP
#define DASHPOT_REGISTRY_REGISTRY_OPTIONS_HPP

#include <dashpot/core/abi.hpp>
#include <dashpot/core/contract.hpp>
#include <dashpot/core/detail/print.hpp>
#include <dashpot/core/duration.hpp>

#include <cstddef>
#include <iosfwd>
#include <optional>

namespace dashpot::inline DASHPOT_ABI {

/// What bounds a Registry.
///
/// **Errors.** validate() refuses what is out of range, by name.
struct RegistryOptions {
    /// Targets at most, and separately configured names and prefixes at most: names may come from
    /// requests. 1 or more. Default 10 000.
    std::size_t max_targets = 10'000;

    /// Forget idle targets that nobody has asked for in so long, a few whenever a new one is made, and
    /// at the bound any idle one that must make room: see Registry::evict_idle(). Longer than 0.
    /// Default: empty, none but on demand.
    std::optional<Nanoseconds> evict_after = std::nullopt;

    friend bool operator==(const RegistryOptions&, const RegistryOptions&) = default;

    /// Writes it as the initializer that makes it.
    template <class Traits>
    friend std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& out,
                                                        const RegistryOptions& options) {
        return detail::FieldPrinter{out, "RegistryOptions"}
            .field("max_targets", options.max_targets)
            .optional("evict_after", options.evict_after)
            .end();
    }

    constexpr void validate() const {
        if (max_targets == 0) {
            refuse_option("RegistryOptions::max_targets", max_targets, "must be 1 or more");
        }
        if (evict_after && evict_after->count() <= 0) {
            refuse_option("RegistryOptions::evict_after", *evict_after,
                          "must be longer than 0s; to evict nothing by age leave it empty");
        }
    }
};

} // namespace dashpot::inline DASHPOT_ABI

#endif
