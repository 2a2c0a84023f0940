// SPDX-License-Identifier: MIT
#include <dashpot/core/rate.hpp>

#include "catch.hpp"
#include "property.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace tests::core_rate {

using dashpot::is_rate;
using dashpot::detail::ratio;
using dashpot::detail::reaches;

namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double least = std::numeric_limits<double>::denorm_min();
constexpr double one_step = std::numeric_limits<double>::epsilon();
constexpr std::uint64_t most_calls = std::numeric_limits<std::uint32_t>::max();

// Both ends of (0, 1], one step to either side of each.
static_assert(is_rate(least));
static_assert(!is_rate(0.0));
static_assert(!is_rate(-0.0));
static_assert(!is_rate(-least));
static_assert(is_rate(1.0));
static_assert(is_rate(1.0 - one_step / 2));
static_assert(!is_rate(1.0 + one_step));

// What people write by mistake.
static_assert(!is_rate(not_a_number) && !is_rate(-not_a_number));
static_assert(!is_rate(infinity) && !is_rate(-infinity));
static_assert(!is_rate(50) && !is_rate(-1) && !is_rate(100.0001) && !is_rate(1.0000001));

// The same doubles as the literals that users write.
static_assert(ratio(3, 10) == 0.3);
static_assert(ratio(7, 100) == 0.07);
static_assert(ratio(2, 3) == 2.0 / 3);
static_assert(ratio(99, 200) < 0.5 && ratio(100, 200) == 0.5);
static_assert(ratio(0, 1) == 0.0 && ratio(1, 1) == 1.0);

// As many calls as can be counted.
static_assert(ratio(most_calls, most_calls) == 1.0);
static_assert(ratio(most_calls - 1, most_calls) < 1.0);
static_assert(ratio(1, most_calls) > 0.0);
static_assert(ratio(most_calls / 2, most_calls) < 0.5 && ratio(most_calls / 2 + 1, most_calls) > 0.5);
static_assert(ratio(std::uint64_t{1} << 63U, ~std::uint64_t{0}) ==
              0.5); // both sides of it were rounded

// Not above the rate, not below it.
static_assert(reaches(7, 100, 0.07) && !reaches(6, 100, 0.07));
static_assert(reaches(1, 5, 0.2) && !reaches(0, 5, 0.2));
static_assert(reaches(2, 3, 2.0 / 3) && !reaches(2, 3, 2.0 / 3 + one_step / 2));
static_assert(reaches(9, 9, 1.0) && !reaches(8, 9, 1.0));
static_assert(reaches(1, most_calls, least) && !reaches(0, most_calls, least));
static_assert(reaches(most_calls - 1, most_calls, 1.0 - 0x1p-31) &&
              !reaches(most_calls - 2, most_calls, 1.0 - 0x1p-32));
static_assert(reaches(~std::uint64_t{0} - 1, ~std::uint64_t{0}, 1.0)); // the same double
static_assert(!reaches(~std::uint64_t{0} - 2048, ~std::uint64_t{0}, 1.0));
// What is no rate is never reached.
static_assert(!reaches(9, 9, not_a_number) && !reaches(9, 9, 50.0) && !reaches(9, 9, infinity) &&
              !reaches(9, 9, -0.5) && !reaches(9, 9, 1.0 + one_step));

static_assert(noexcept(is_rate(0.5)) && noexcept(ratio(1, 2)) && noexcept(reaches(1, 2, 0.5)));

} // namespace

TEST_CASE("Rate: is a ratio above nothing and up to the whole", "[core]") {
    const double rate =
        GENERATE(as<double>{}, least, 1e-9, 0.07, 0.3, 0.5, 2.0 / 3, 1.0 - one_step / 2, 1.0);
    CHECK(is_rate(rate));
    CHECK_FALSE(is_rate(-rate));
    CHECK_FALSE(is_rate(1.0 + one_step + rate));
}

TEST_CASE("Rate: a percentage, a negative number and no number at all are none", "[core]") {
    const double mistake = GENERATE(as<double>{}, 0.0, -0.0, -1.0, 1.0000001, 50.0, 100.0, 100.0001,
                                    not_a_number, infinity, -infinity);
    CHECK_FALSE(is_rate(mistake));
}

// On x87 the test itself would round twice, and with -ffast-math multiply by the reciprocal.
#if !defined(__FAST_MATH__) && (!defined(__FLT_EVAL_METHOD__) || __FLT_EVAL_METHOD__ == 0)
TEST_CASE("Ratio: is the quotient of the two numbers as doubles, for every small pair", "[core]") {
    std::uint64_t wrong = 0;
    for (std::uint32_t whole = 1; whole <= 300; ++whole) {
        for (std::uint32_t part = 0; part <= whole; ++part) {
            if (ratio(part, whole) != double(part) / double(whole)) ++wrong;
        }
    }
    CHECK(wrong == 0);
}

TEST_CASE("Ratio: is the processor's quotient, and reaches it and no more, for numbers of any size",
          "[core]") {
    model::Dice dice{1};
    std::uint64_t wrong = 0;
    for (int i = 0; i != 200'000; ++i) {
        const std::uint64_t whole = std::max<std::uint64_t>(dice.next() >> dice.below(64), 1);
        const std::uint64_t part =
            dice.below(2) == 0 ? dice.next() % whole : whole - dice.next() % whole;
        const double quotient = static_cast<double>(part) / static_cast<double>(whole);
        if (ratio(part, whole) != quotient) ++wrong;
        for (const double rate : {quotient, std::nextafter(quotient, 0.0),
                                  std::nextafter(quotient, 2.0), ratio(dice.next() % whole, whole)}) {
            if (is_rate(rate) && reaches(part, whole, rate) != (quotient >= rate)) ++wrong;
        }
    }
    CHECK(wrong == 0);
}
#endif

TEST_CASE("Ratio: reaches a percentage exactly when the whole numbers say so", "[core]") {
    std::uint64_t wrong = 0;
    for (std::uint32_t percent = 1; percent <= 100; ++percent) {
        const double rate = ratio(percent, 100); // the double that the literal would be
        for (std::uint32_t whole = 1; whole <= 300; ++whole) {
            for (std::uint32_t part = 0; part <= whole; ++part) {
                if (reaches(part, whole, rate) != (part * 100 >= percent * whole)) ++wrong;
            }
        }
    }
    CHECK(wrong == 0);
}

TEST_CASE("Ratio: reaches every fraction that doubles hold exactly when the whole numbers say so",
          "[core]") {
    std::uint64_t wrong = 0;
    for (std::uint32_t parts = 1; parts <= 64; ++parts) {
        const double rate = parts / 64.0;
        for (std::uint32_t whole = 1; whole <= 300; ++whole) {
            for (std::uint32_t part = 0; part <= whole; ++part) {
                if (reaches(part, whole, rate) != (part * 64 >= parts * whole)) ++wrong;
            }
        }
    }
    CHECK(wrong == 0);
}

TEST_CASE("Ratio: a rate written as a quotient is reached by its own numbers and by multiples of them",
          "[core]") {
    std::uint64_t wrong = 0;
    for (std::uint32_t whole = 1; whole <= 300; ++whole) {
        for (std::uint32_t part = 1; part <= whole; ++part) {
            const double rate = ratio(part, whole);
            for (const std::uint64_t times : {1U, 3U, 7U, 1000U, 1000003U}) {
                if (!reaches(times * part, times * whole, rate)) ++wrong;
                if (reaches(times * part - 1, times * whole, rate)) ++wrong;
            }
        }
    }
    CHECK(wrong == 0);
}

TEST_CASE("Ratio: one call less never reaches the rate, however many calls there are", "[core]") {
    const std::uint64_t whole =
        GENERATE(as<std::uint64_t>{}, 2, 10, 200, 1000, 65536, 1000000, 4000000000);
    CHECK(reaches(whole / 2, whole, 0.5));
    CHECK_FALSE(reaches(whole / 2 - 1, whole, 0.5));
    CHECK_FALSE(reaches(whole - 1, whole, 1.0));
}

} // namespace tests::core_rate
