// SPDX-License-Identifier: MIT
#ifndef DASHPOT_POLICY_DETAIL_TOKEN_RATE_HPP
#define DASHPOT_POLICY_DETAIL_TOKEN_RATE_HPP

#include <dashpot/core/abi.hpp>
#include <dashpot/core/detail/wide.hpp>
#include <dashpot/core/duration.hpp>

#include <chrono>
#include <cstdint>
#include <limits>
#include <numeric>

namespace dashpot::inline DASHPOT_ABI::detail {

/// The rate of a token bucket in units in which every amount is a whole number.
///
/// `permits` per `per` is a reduced fraction: a nanosecond earns `per_nanosecond` units, and a permit
/// costs `per_permit` units. Points in time are counted in the same units, from the earliest Instant
/// on.
struct TokenRate {
    std::uint32_t per_nanosecond = 1;
    std::uint64_t per_permit = 1;
    std::uint32_t burst = 1;

    friend constexpr bool operator==(const TokenRate&, const TokenRate&) noexcept = default;

    /// All arguments must be above 0.
    [[nodiscard]] static constexpr TokenRate of(std::uint32_t permits, std::chrono::nanoseconds per,
                                                std::uint32_t burst) noexcept {
        const auto length = static_cast<std::uint64_t>(per.count());
        const std::uint64_t common = std::gcd(std::uint64_t{permits}, length);
        return {static_cast<std::uint32_t>(permits / common), length / common, burst};
    }

    [[nodiscard]] constexpr Wide cost(std::uint32_t permits) const noexcept {
        return wide_product(per_permit, permits);
    }

    /// Returns what a full bucket holds.
    [[nodiscard]] constexpr Wide capacity() const noexcept { return cost(burst); }

    /// Returns a point in time. It is below 2^96.
    [[nodiscard]] constexpr Wide at(Instant when) const noexcept {
        constexpr std::uint64_t sign = std::uint64_t{1} << 63U;
        return wide_product(static_cast<std::uint64_t>(when.time_since_epoch().count()) + sign,
                            per_nanosecond);
    }

    /// Returns the time in which that much is earned, rounded up to whole nanoseconds. It is limited to
    /// the longest duration.
    [[nodiscard]] constexpr std::chrono::nanoseconds time_for(Wide units) const noexcept {
        constexpr auto longest = (std::numeric_limits<std::int64_t>::max)();
        const Division earned = divide(units, per_nanosecond);
        if (earned.quotient.high != 0 || earned.quotient.low >= std::uint64_t{longest})
            return (std::chrono::nanoseconds::max)();
        return std::chrono::nanoseconds{static_cast<std::int64_t>(earned.quotient.low) +
                                        (earned.rest != 0 ? 1 : 0)};
    }
};

} // namespace dashpot::inline DASHPOT_ABI::detail

#endif
