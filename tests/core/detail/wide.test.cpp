// SPDX-License-Identifier: MIT
#include <dashpot/core/detail/wide.hpp>

#include "catch.hpp"
#include "property.hpp"

#include <cstdint>

namespace tests::core_detail_wide {

using namespace dashpot::detail;

namespace {

constexpr std::uint64_t all_bits = ~std::uint64_t{0};
constexpr std::uint64_t top_bit = std::uint64_t{1} << 63U;

static_assert(Wide{0, all_bits} + Wide{0, 1} == Wide{1, 0});
static_assert(Wide{1, 0} - Wide{0, 1} == Wide{0, all_bits});
static_assert(Wide{5, 7} - Wide{5, 7} == Wide{});
static_assert(Wide{1, 0} > Wide{0, all_bits} && Wide{1, 2} < Wide{1, 3});

constexpr bool is_quotient(Wide dividend, std::uint64_t divisor, Wide quotient, std::uint64_t rest) {
    const Division one = divide(dividend, divisor);
    const Division same = division_by_bits(dividend, divisor);
    return one.quotient == quotient && one.rest == rest && same.quotient == quotient &&
           same.rest == rest;
}
static_assert(is_quotient({0, 0}, 1, {0, 0}, 0));
static_assert(is_quotient({0, 14}, 5, {0, 2}, 4));
static_assert(is_quotient({1, 0}, 2, {0, top_bit}, 0));
static_assert(is_quotient(widest, 1, widest, 0));
static_assert(is_quotient(widest, all_bits, {1, 1}, 0));
static_assert(is_quotient({all_bits - 1, all_bits}, all_bits, {0, all_bits}, all_bits - 1));
static_assert(is_quotient({top_bit - 1, all_bits}, top_bit, {0, all_bits}, top_bit - 1));
static_assert(is_quotient({top_bit, 1}, top_bit + 1, {0, all_bits - 1}, 3));

static_assert(saturating_product({0, all_bits}, all_bits) == Wide{all_bits - 1, 1});
static_assert(saturating_product({1, 0}, all_bits) == Wide{all_bits, 0});
static_assert(saturating_product({1, 1}, all_bits) == widest);
static_assert(saturating_product({2, 0}, all_bits) == widest);
static_assert(saturating_product({1, all_bits}, all_bits) == widest);
static_assert(saturating_product({2, 0}, top_bit) == widest);
static_assert(saturating_product({all_bits, all_bits}, 0) == Wide{});

static_assert(saturating_sum({all_bits, 1}, {0, all_bits - 1}) == widest);
static_assert(saturating_sum({all_bits, 1}, {0, all_bits}) == widest);
static_assert(saturating_sum({0, all_bits}, {0, 1}) == Wide{1, 0});

} // namespace

TEST_CASE("Wide: a division undoes a product, with and without a larger type", "[core]") {
    model::Dice dice{7};
    for (int i = 0; i != 20'000; ++i) {
        const auto any = [&] { return dice.next() >> dice.below(64); };
        const std::uint64_t a = any();
        const std::uint64_t b = any() | 1U;
        const std::uint64_t rest = any() % b;
        const Wide whole = wide_product(a, b) + Wide{0, rest};
        REQUIRE(product_by_halves(a, b) + Wide{0, rest} == whole);
        REQUIRE(is_quotient(whole, b, {0, a}, rest));
        const Wide more = saturating_product({any() >> 1U, a}, b);
        if (more != widest) REQUIRE(divide(more, b).rest == 0);
        REQUIRE(divide(more, b).quotient == division_by_bits(more, b).quotient);
        REQUIRE(divide(more, b).rest == division_by_bits(more, b).rest);
    }
}

} // namespace tests::core_detail_wide
