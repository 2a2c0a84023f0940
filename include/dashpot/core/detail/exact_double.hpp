// SPDX-License-Identifier: MIT
#ifndef DASHPOT_CORE_DETAIL_EXACT_DOUBLE_HPP
#define DASHPOT_CORE_DETAIL_EXACT_DOUBLE_HPP

#include <dashpot/core/abi.hpp>
#include <dashpot/core/detail/wide.hpp>

#include <bit>
#include <cstdint>
#include <limits>

namespace dashpot::inline DASHPOT_ABI::detail {

// Arithmetic on doubles by integers alone. Its results do not depend on how the compiler calculates:
// the x87 unit keeps more bits than a double has, and -ffast-math drops the tests for NaN. Doubles are
// passed by reference, since -ffast-math lets a compiler assume that no argument is NaN.

static_assert(sizeof(double) == sizeof(std::uint64_t) && std::numeric_limits<double>::digits == 53,
              "dashpot needs doubles of IEEE 754");

/// Returns the bits of a double. For numbers from 0 up, the bits have the same order as the numbers.
/// The bits of infinity, of NaN and of all numbers below 0 are larger than those of any finite number
/// from 0 up.
[[nodiscard]] constexpr std::uint64_t bits_of(const double& value) noexcept {
    return std::bit_cast<std::uint64_t>(value);
}

/// Returns the double that has these bits.
[[nodiscard]] constexpr double double_of(std::uint64_t bits) noexcept {
    return std::bit_cast<double>(bits);
}

/// Returns true if `value` lies in [lowest, highest], which must be finite numbers from 0 up. NaN lies
/// in no range.
[[nodiscard]] constexpr bool is_in(const double& value, const double& lowest,
                                   const double& highest) noexcept {
    const bool is_zero = bits_of(value) << 1U == 0; // of either sign
    const std::uint64_t bits = is_zero ? 0 : bits_of(value);
    return bits >= bits_of(lowest) && bits <= bits_of(highest);
}

/// A number above 0 as mantissa * 2^exponent. The mantissa has 53 bits.
struct Parts {
    std::uint64_t mantissa;
    int exponent;
};

/// Returns the parts of a finite double above 0.
[[nodiscard]] constexpr Parts parts_of(const double& value) noexcept {
    constexpr std::uint64_t leading_bit = std::uint64_t{1} << 52U;
    const std::uint64_t fraction = bits_of(value) & (leading_bit - 1);
    const int exponent = static_cast<int>(bits_of(value) >> 52U);
    if (exponent != 0) return {leading_bit | fraction, exponent - 1075};
    const int shift = std::countl_zero(fraction) - 11;
    return {fraction << shift, -1074 - shift};
}

/// Returns the double that is nearest to a whole number, as a whole number. Of two equally near
/// doubles, the even one is returned. The result is at most 2^64 - 1, which stands for 2^64.
[[nodiscard]] constexpr std::uint64_t rounded_to_double(std::uint64_t number) noexcept {
    const int surplus = 11 - std::countl_zero(number); // bits that a double has no room for
    if (surplus <= 0) return number;
    const std::uint64_t half = std::uint64_t{1} << (surplus - 1);
    const std::uint64_t is_odd = number >> surplus & 1U;
    const std::uint64_t rounded = number + (half - 1 + is_odd);
    if (rounded < number) return ~std::uint64_t{0};
    return rounded & ~(2 * half - 1);
}

/// Returns the double that is nearest to a whole number, or of two equally near doubles the even one.
[[nodiscard]] constexpr double nearest_double(std::uint64_t number) noexcept {
    if (number == 0) return 0.0;
    const std::uint64_t rounded = rounded_to_double(number);
    if (rounded == ~std::uint64_t{0}) return 0x1p64;
    const int width = 64 - std::countl_zero(rounded);
    const std::uint64_t mantissa = width > 53 ? rounded >> (width - 53) : rounded << (53 - width);
    constexpr std::uint64_t leading_bit = std::uint64_t{1} << 52U;
    return double_of(static_cast<std::uint64_t>(width + 1022) << 52U | (mantissa & (leading_bit - 1)));
}

/// Returns the product of two numbers from 0 up, correctly rounded. The product is infinite if it is
/// too large for a double, and 0 if it is below the smallest normal double.
[[nodiscard]] constexpr double product(const double& a, const double& b) noexcept {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    if (bits_of(a) == 0 || bits_of(b) == 0) return 0.0;
    if (bits_of(a) >= bits_of(infinity) || bits_of(b) >= bits_of(infinity)) return infinity;
    const Parts left = parts_of(a);
    const Parts right = parts_of(b);
    // The product has 105 or 106 bits. With 11 more bits on the left, the upper half holds 52 or 53
    // bits of the product.
    const Wide exact = wide_product(left.mantissa << 11U, right.mantissa);
    const bool is_short = exact.high >> 52U == 0;
    const std::uint64_t upper = is_short ? exact.high << 1U | exact.low >> 63U : exact.high;
    const std::uint64_t rest = is_short ? exact.low << 1U : exact.low;
    constexpr std::uint64_t half = std::uint64_t{1} << 63U;
    const bool rounds_up = rest > half || (rest == half && (upper & 1U) != 0);
    const int exponent = left.exponent + right.exponent + 53 - (is_short ? 1 : 0) + 1075;
    if (exponent <= 0) return 0.0;
    if (exponent >= 2047) return infinity;
    // A mantissa that rounds up to 2^53 carries into the exponent, as it should.
    return double_of((static_cast<std::uint64_t>(exponent - 1) << 52U) + upper + (rounds_up ? 1U : 0U));
}

/// Returns the whole part of a number from 0 up, at most 2^63 - 1. Infinity, NaN and numbers below 0
/// also give 2^63 - 1.
[[nodiscard]] constexpr std::int64_t whole_part(const double& value) noexcept {
    constexpr std::int64_t most = (std::numeric_limits<std::int64_t>::max)();
    if (bits_of(value) < bits_of(1.0)) return 0;
    if (bits_of(value) >= bits_of(0x1p63)) return most;
    const Parts parts = parts_of(value);
    const std::uint64_t whole =
        parts.exponent >= 0 ? parts.mantissa << parts.exponent : parts.mantissa >> -parts.exponent;
    return static_cast<std::int64_t>(whole);
}

} // namespace dashpot::inline DASHPOT_ABI::detail

#endif
