// SPDX-License-Identifier: MIT
#include <dashpot/core/detail/exact_double.hpp>

#include "catch.hpp"
#include "property.hpp"

#include <bit>
#include <cstdint>
#include <limits>

namespace tests::core_detail_exact_double {

using namespace dashpot::detail;

namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double most = std::numeric_limits<double>::max();
constexpr double least = std::numeric_limits<double>::denorm_min();
constexpr double one_step = std::numeric_limits<double>::epsilon();
constexpr std::uint64_t all_bits = ~std::uint64_t{0};

constexpr bool is_product(std::uint64_t a, std::uint64_t b, std::uint64_t high, std::uint64_t low) {
    const Wide exact = wide_product(a, b);
    const Wide same = product_by_halves(a, b);
    return exact.high == high && exact.low == low && same.high == high && same.low == low;
}
static_assert(is_product(0, all_bits, 0, 0));
static_assert(is_product(3, 5, 0, 15));
static_assert(is_product(all_bits, all_bits, all_bits - 1, 1));
static_assert(is_product(std::uint64_t{1} << 32U, std::uint64_t{1} << 32U, 1, 0));
static_assert(is_product(all_bits, 2, 1, all_bits - 1));

static_assert(is_in(0.0, 0.0, 1.0) && is_in(-0.0, 0.0, 1.0) && is_in(1.0, 0.0, 1.0));
static_assert(!is_in(-least, 0.0, 1.0) && !is_in(1.0 + one_step, 0.0, 1.0));
static_assert(is_in(1.0, 1.0, 1e9) && is_in(1e9, 1.0, 1e9));
static_assert(!is_in(1.0 - one_step / 2, 1.0, 1e9) && !is_in(-0.0, 1.0, 1e9));
static_assert(!is_in(not_a_number, 0.0, most) && !is_in(-not_a_number, 0.0, most));
static_assert(!is_in(infinity, 0.0, most) && !is_in(-infinity, 0.0, most));

constexpr std::uint64_t two_53 = std::uint64_t{1} << 53U;
static_assert(rounded_to_double(0) == 0 && rounded_to_double(two_53 - 1) == two_53 - 1);
static_assert(rounded_to_double(two_53 + 1) == two_53);     // half-way: to the even one below
static_assert(rounded_to_double(two_53 + 3) == two_53 + 4); // and above
static_assert(rounded_to_double(4 * two_53 + 3) == 4 * two_53);
static_assert(rounded_to_double(4 * two_53 + 5) == 4 * two_53 + 8);
static_assert(rounded_to_double(all_bits) == all_bits);
static_assert(nearest_double(0) == 0.0 && nearest_double(1) == 1.0 && nearest_double(10) == 10.0);
static_assert(nearest_double(all_bits) == 0x1p64 && nearest_double(two_53 + 1) == 0x1p53);

static_assert(product(0.0, 3.0) == 0.0 && product(3.0, 0.0) == 0.0);
static_assert(product(1.5, 1.5) == 2.25 && product(0.1, 3.0) == 0.1 * 3.0);
static_assert(product(1.0 + one_step, 1.0 + one_step) == 1.0 + 2 * one_step); // below half a step
static_assert(product(2.0 - one_step, 2.0 - one_step) == 4.0 - 4 * one_step);
static_assert(product(1.0 + one_step, 1.5) == 1.5 + 2 * one_step); // half-way: to the even one
static_assert(product(most, 1.0) == most && product(most, 1.0 + one_step) == infinity);
static_assert(product(most, most) == infinity && product(infinity, 2.0) == infinity);
static_assert(product(not_a_number, 2.0) == infinity && product(2.0, -1.0) == infinity);
static_assert(product(least, 0x1p1023) == 0x1p-51 && product(least, 0.5) == 0.0);

static_assert(whole_part(0.0) == 0 && whole_part(0.5) == 0);
static_assert(whole_part(1.0 - one_step / 2) == 0 && whole_part(1.0) == 1 && whole_part(2.75) == 2);
static_assert(whole_part(0x1p62 + 0x1p10) == (std::int64_t{1} << 62U) + 1024);
static_assert(whole_part(0x1p63 - 0x1p10) == std::numeric_limits<std::int64_t>::max() - 1023);
static_assert(whole_part(0x1p63) == std::numeric_limits<std::int64_t>::max());
static_assert(whole_part(infinity) == std::numeric_limits<std::int64_t>::max());
static_assert(whole_part(not_a_number) == std::numeric_limits<std::int64_t>::max());

/// A number of any size, with any bits.
std::uint64_t some(model::Dice& dice) { return dice.next() >> dice.below(64); }

} // namespace

TEST_CASE("Exact double: a wide product by halves is the compiler's own", "[core]") {
    model::Dice dice{1};
    std::uint64_t wrong = 0;
    for (int i = 0; i != 100'000; ++i) {
        const std::uint64_t a = some(dice);
        const std::uint64_t b = some(dice);
        const Wide exact = wide_product(a, b);
        const Wide seen = product_by_halves(a, b);
        if (seen.high != exact.high || seen.low != exact.low) ++wrong;
    }
    CHECK(wrong == 0);
}

// On x87 the test itself would round twice.
#if !defined(__FLT_EVAL_METHOD__) || __FLT_EVAL_METHOD__ == 0
TEST_CASE("Exact double: products, conversions and whole parts are those of the processor", "[core]") {
    model::Dice dice{2};
    std::uint64_t wrong = 0;
    for (int i = 0; i != 100'000; ++i) {
        const std::uint64_t number = some(dice);
        if (nearest_double(number) != static_cast<double>(number)) ++wrong;
        // Of any fraction, with exponents whose product is a normal number.
        const double a = double_of(dice.next() >> 12U | std::uint64_t{600 + dice.below(800)} << 52U);
        const double b = double_of(dice.next() >> 12U | std::uint64_t{600 + dice.below(800)} << 52U);
        if (product(a, b) != a * b) ++wrong;
        const double c = double_of(dice.next() >> 12U | std::uint64_t{1000 + dice.below(86)} << 52U);
        if (whole_part(c) != static_cast<std::int64_t>(c)) ++wrong;
    }
    CHECK(wrong == 0);
}
#endif

} // namespace tests::core_detail_exact_double
