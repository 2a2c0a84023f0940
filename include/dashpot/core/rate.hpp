// SPDX-License-Identifier: MIT
#ifndef DASHPOT_CORE_RATE_HPP
#define DASHPOT_CORE_RATE_HPP

#include <dashpot/core/abi.hpp>

#include <cstdint>

namespace dashpot::inline DASHPOT_ABI {

/// True for a ratio in (0, 1]. NaN is none, and neither is a percentage.
[[nodiscard]] constexpr bool is_rate(double rate) noexcept { return rate > 0.0 && rate <= 1.0; }

namespace detail {

/// part of whole, never rounded to percents. `whole` must not be 0.
///
/// Both conversions and the division are correctly rounded, so that 3 of 10 is the same double as the
/// literal 0.3, and 2 of 3 the same as 2.0 / 3.
[[nodiscard]] constexpr double ratio(std::uint64_t part, std::uint64_t whole) noexcept {
    return static_cast<double>(part) / static_cast<double>(whole);
}

} // namespace detail

} // namespace dashpot::inline DASHPOT_ABI

#endif
