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

/// The limits of a Registry.
///
/// **Errors.** validate() refuses an option that is out of range, and names the option.
struct RegistryOptions {
    /// The largest number of targets. The numbers of configured names and of configured prefixes have
    /// the same limit each, because names may come from requests. Must be 1 or more. Default 10 000.
    std::size_t max_targets = 10'000;

    /// Evicts idle targets that were not asked for during this time, a few whenever a target is made.
    /// At `max_targets`, any idle target may be evicted to make room: see Registry::evict_idle(). Must
    /// be > 0. Default: empty; targets are only evicted on demand.
    std::optional<Nanoseconds> evict_after = std::nullopt;

    friend bool operator==(const RegistryOptions&, const RegistryOptions&) = default;

    /// Writes the options as the initializer that makes them.
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
