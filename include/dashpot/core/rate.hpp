// SPDX-License-Identifier: MIT
#ifndef DASHPOT_CORE_RATE_HPP
#define DASHPOT_CORE_RATE_HPP

#include <dashpot/core/abi.hpp>
#include <dashpot/core/detail/exact_double.hpp>

#include <cstdint>

namespace dashpot::inline DASHPOT_ABI {

/// Returns true if `rate` is a ratio in (0, 1]. NaN is not a ratio, and neither is a percentage such
/// as 50.
///
/// **Contract.** The result is the same under -ffast-math.
[[nodiscard]] constexpr bool is_rate(const double& rate) noexcept {
    return detail::bits_of(rate) != 0 && detail::bits_of(rate) <= detail::bits_of(1.0);
}

namespace detail {

/// Returns true if double(part) / double(whole), each step correctly rounded, is `rate` or more.
/// `part` must be at most `whole`, and `whole` must not be 0. A `rate` outside (0, 1] is never
/// reached.
///
/// The quotient rounds to `rate` or more exactly if it lies above the midpoint between `rate` and the
/// double below it; no quotient of two doubles is such a midpoint. So one product of integers decides:
/// part > whole * midpoint. The result does not depend on how the compiler treats floating-point
/// numbers.
[[nodiscard]] constexpr bool reaches(std::uint64_t part, std::uint64_t whole,
                                     const double& rate) noexcept {
    if (whole >> 53U != 0) { // doubles do not represent all larger integers
        part = rounded_to_double(part);
        whole = rounded_to_double(whole);
    }
    if (bits_of(rate) >= bits_of(1.0)) return part == whole && is_rate(rate);
    constexpr std::uint64_t leading_bit = std::uint64_t{1} << 52U;
    const std::uint64_t fraction = bits_of(rate) & (leading_bit - 1);
    // The distance to the double below is half as large for a power of two.
    const std::uint64_t half_step = fraction == 0 ? 1 : 2;
    // The midpoint is midpoint / 2^(64 + shift). A rate below 2^-64 is reached by the first call.
    const std::uint64_t midpoint = (4 * (leading_bit | fraction) - half_step) << 9U;
    const auto shift = static_cast<std::uint32_t>(1022 - (bits_of(rate) >> 52U));
    const std::uint64_t product = wide_product(midpoint, whole).high;
    return part > (shift < 64 ? product >> shift : 0);
}

/// Returns double(part) / double(whole), each step correctly rounded: 3 of 10 is the same double as
/// the literal 0.3, and 2 of 3 the same as 2.0 / 3. `part` must be at most `whole`, and `whole` must
/// not be 0.
[[nodiscard]] constexpr double ratio(std::uint64_t part, std::uint64_t whole) noexcept {
    if (part == 0) return 0.0;
    // Starts from a guess, which the compiler may have rounded in its own way, and searches from there
    // for the largest double that the quotient reaches.
    std::uint64_t bits = bits_of(static_cast<double>(part) / static_cast<double>(whole));
    while (!reaches(part, whole, double_of(bits))) --bits;
    while (reaches(part, whole, double_of(bits + 1))) ++bits;
    return double_of(bits);
}

} // namespace detail

} // namespace dashpot::inline DASHPOT_ABI

#endif
