// SPDX-License-Identifier: MIT
#ifndef DASHPOT_POLICY_HALF_OPEN_HPP
#define DASHPOT_POLICY_HALF_OPEN_HPP

#include <dashpot/core/abi.hpp>
#include <dashpot/core/contract.hpp>
#include <dashpot/core/detail/print.hpp>
#include <dashpot/core/duration.hpp>

#include <cstdint>
#include <iosfwd>
#include <optional>

namespace dashpot::inline DASHPOT_ABI {

/// How a breaker finds out whether its target has recovered.
///
/// **Errors.** validate() refuses 0 probes, 0 or more than `probes` successes, and a timeout <= 0.
struct HalfOpen {
    /// The total number of calls that pass in one half-open period. Must be 1 or more. Default 1.
    std::uint32_t probes = 1;

    /// The number of successful probes that closes the circuit. The circuit opens again as soon as
    /// this number cannot be reached. Range 1 to `probes`. Default: empty; all probes must succeed,
    /// even if `probes` is changed later.
    std::optional<std::uint32_t> successes_to_close = std::nullopt;

    /// How long the last probe may stay unanswered when all probes are in flight. Then the next caller
    /// starts a new half-open period. Must be > 0. Default: empty; the timeout is the current reset
    /// timeout, and doubles with each further period in a row, up to 10 min. Thus a slow but healthy
    /// target is recognized in the end. The next wait in OPEN resets the doubling.
    std::optional<Nanoseconds> probe_timeout = std::nullopt;

    /// Returns `successes_to_close`, or `probes` if `successes_to_close` is empty.
    [[nodiscard]] constexpr std::uint32_t successes_needed() const noexcept {
        return successes_to_close.value_or(probes);
    }

    /// Returns true if both behave alike: an empty `successes_to_close` equals `probes`.
    friend constexpr bool operator==(const HalfOpen& one, const HalfOpen& other) noexcept {
        return one.probes == other.probes && one.successes_needed() == other.successes_needed() &&
               one.probe_timeout == other.probe_timeout;
    }

    /// Writes the options as the initializer that makes them.
    template <class Traits>
    friend std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& out,
                                                        const HalfOpen& options) {
        return detail::FieldPrinter{out, "HalfOpen"}
            .field("probes", options.probes)
            .optional("successes_to_close", options.successes_to_close)
            .optional("probe_timeout", options.probe_timeout)
            .end();
    }

    constexpr void validate() const {
        if (probes == 0) refuse_option("HalfOpen::probes", probes, "must be 1 or more");
        if (successes_needed() == 0 || successes_needed() > probes) {
            refuse_option("HalfOpen::successes_to_close", successes_needed(), "must be in [1, ", probes,
                          "]; for more successes raise HalfOpen::probes");
        }
        if (probe_timeout && probe_timeout->count() <= 0) {
            refuse_option("HalfOpen::probe_timeout", *probe_timeout, "must be longer than 0s");
        }
    }
};

} // namespace dashpot::inline DASHPOT_ABI

#endif
