// SPDX-License-Identifier: MIT
#ifndef DASHPOT_CORE_DETAIL_WIDE_HPP
#define DASHPOT_CORE_DETAIL_WIDE_HPP

#include <dashpot/core/abi.hpp>

#include <compare>
#include <cstdint>

namespace dashpot::inline DASHPOT_ABI::detail {

/// An unsigned number of 128 bits, for targets with and without such a type of their own.
///
/// **Contract.** Sums must fit, and a difference must not be below 0.
struct Wide {
    std::uint64_t high = 0;
    std::uint64_t low = 0;

    friend constexpr bool operator==(const Wide&, const Wide&) noexcept = default;
    friend constexpr std::strong_ordering operator<=>(const Wide&, const Wide&) noexcept = default;

    friend constexpr Wide operator+(Wide a, Wide b) noexcept {
        const std::uint64_t sum = a.low + b.low;
        return {a.high + b.high + (sum < a.low ? 1U : 0U), sum};
    }
    friend constexpr Wide operator-(Wide a, Wide b) noexcept {
        return {a.high - b.high - (a.low < b.low ? 1U : 0U), a.low - b.low};
    }
};

inline constexpr Wide widest{~std::uint64_t{0}, ~std::uint64_t{0}};

/// Returns the whole product of two 64-bit numbers, computed 32 bits at a time for targets without a
/// larger type.
[[nodiscard]] constexpr Wide product_by_halves(std::uint64_t a, std::uint64_t b) noexcept {
    constexpr std::uint64_t half = 0xFFFF'FFFF;
    const std::uint64_t low = (a & half) * (b & half);
    const std::uint64_t left = (a >> 32U) * (b & half) + (low >> 32U);
    const std::uint64_t right = (a & half) * (b >> 32U) + (left & half);
    return {(a >> 32U) * (b >> 32U) + (left >> 32U) + (right >> 32U), right << 32U | (low & half)};
}

/// A quotient and what is left of the dividend.
struct Division {
    Wide quotient;
    std::uint64_t rest;
};

/// Returns the quotient, computed bit by bit for targets without a larger type. `divisor` must not be
/// 0.
[[nodiscard]] constexpr Division division_by_bits(Wide dividend, std::uint64_t divisor) noexcept {
    Division result{{dividend.high / divisor, 0}, dividend.high % divisor};
    for (int bit = 63; bit >= 0; --bit) {
        const bool overflows = result.rest >> 63U != 0;
        result.rest = result.rest << 1U | (dividend.low >> bit & 1U);
        if (!overflows && result.rest < divisor) continue;
        result.rest -= divisor; // if the shift overflowed, the difference is right modulo 2^64
        result.quotient.low |= std::uint64_t{1} << bit;
    }
    return result;
}

#ifdef __SIZEOF_INT128__
__extension__ using Widest = unsigned __int128;

[[nodiscard]] constexpr Wide to_wide(Widest number) noexcept {
    return {static_cast<std::uint64_t>(number >> 64U), static_cast<std::uint64_t>(number)};
}
#endif

/// Returns the whole product of two 64-bit numbers.
[[nodiscard]] constexpr Wide wide_product(std::uint64_t a, std::uint64_t b) noexcept {
#ifdef __SIZEOF_INT128__
    return to_wide(Widest{a} * b);
#else
    return product_by_halves(a, b);
#endif
}

/// Returns the quotient. `divisor` must not be 0.
[[nodiscard]] constexpr Division divide(Wide dividend, std::uint64_t divisor) noexcept {
#ifdef __SIZEOF_INT128__
    const Widest whole = Widest{dividend.high} << 64U | dividend.low;
    return {to_wide(whole / divisor), static_cast<std::uint64_t>(whole % divisor)};
#else
    return division_by_bits(dividend, divisor);
#endif
}

/// Returns the product, or `widest` if it does not fit.
[[nodiscard]] constexpr Wide saturating_product(Wide a, std::uint64_t b) noexcept {
    const Wide upper = wide_product(a.high, b);
    const Wide lower = wide_product(a.low, b);
    const std::uint64_t high = upper.low + lower.high;
    if (upper.high != 0 || high < lower.high) return widest;
    return {high, lower.low};
}

/// Returns the sum, or `widest` if it does not fit.
[[nodiscard]] constexpr Wide saturating_sum(Wide a, Wide b) noexcept {
    return b > widest - a ? widest : a + b;
}

} // namespace dashpot::inline DASHPOT_ABI::detail

#endif
