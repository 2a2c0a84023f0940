// SPDX-License-Identifier: MIT
#include <dashpot/core/detail/fixed_array.hpp>

#include "catch.hpp"

#include <cstdint>

#include <numeric>
#include <utility>

namespace tests::core_detail_fixed_array {

using dashpot::detail::FixedArray;

namespace {

constexpr int sum(const FixedArray<int>& values) {
    return std::accumulate(values.begin(), values.end(), 0);
}

constexpr int sum_of_copies() {
    FixedArray<int> one{3};
    one[0] = 1;
    one[2] = 2;
    FixedArray<int> copy = one;
    copy[1] = 10; // its own
    one = std::move(copy);
    return sum(one);
}
static_assert(sum_of_copies() == 13);

} // namespace

TEST_CASE("FixedArray: begins with zeros", "[core]") {
    const FixedArray<int> values{100};
    CHECK(values.size() == 100);
    CHECK(sum(values) == 0);
}

TEST_CASE("FixedArray: is a value", "[core]") {
    FixedArray<int> one{2};
    one[1] = 5;
    FixedArray<int> other = one;
    other[0] = 1;
    CHECK(sum(one) == 5);
    CHECK(sum(other) == 6);
    one = other;
    CHECK(sum(one) == 6);
    FixedArray<int> moved = std::move(one);
    CHECK(sum(moved) == 6);
    CHECK(one.size() ==
          0); // NOLINT(bugprone-use-after-move): nothing is left, and that is what is asked
    one = moved;
    CHECK(sum(one) == 6);
}

TEST_CASE("FixedArray: of no values it has no memory", "[core]") {
    STATIC_REQUIRE(FixedArray<int>{0}.begin() == nullptr);
    const FixedArray<int> none{0};
    const FixedArray<int> copy{none};
    CHECK(copy.size() == 0);
    CHECK(copy.begin() == copy.end());
}

TEST_CASE("FixedArray: a number of values that a 32-bit target cannot hold is known", "[core]") {
    struct Sums {
        std::uint64_t numbers[3];
    };
    constexpr std::uint64_t on_32_bits = 0x7FFF'FFFF;
    STATIC_REQUIRE(dashpot::detail::fits_in_memory<Sums>(89'478'485, on_32_bits));
    STATIC_REQUIRE_FALSE(dashpot::detail::fits_in_memory<Sums>(89'478'486, on_32_bits));
    STATIC_REQUIRE_FALSE(dashpot::detail::fits_in_memory<Sums>(0xFFFF'FFFF, on_32_bits));
}

} // namespace tests::core_detail_fixed_array
