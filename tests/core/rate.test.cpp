// SPDX-License-Identifier: MIT
#include <dashpot/core/rate.hpp>

#include "catch.hpp"

#include <cstdint>
#include <limits>

namespace tests::core_rate {

using dashpot::is_rate;
using dashpot::detail::ratio;

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

static_assert(noexcept(is_rate(0.5)) && noexcept(ratio(1, 2)));

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

TEST_CASE("Ratio: is the quotient of the two numbers as doubles, for every small pair", "[core]") {
    std::uint64_t wrong = 0;
    for (std::uint32_t whole = 1; whole <= 300; ++whole) {
        for (std::uint32_t part = 0; part <= whole; ++part) {
            if (ratio(part, whole) != double(part) / double(whole)) ++wrong;
        }
    }
    CHECK(wrong == 0);
}

TEST_CASE("Ratio: reaches a percentage exactly when the whole numbers say so", "[core]") {
    std::uint64_t wrong = 0;
    for (std::uint32_t percent = 1; percent <= 100; ++percent) {
        const double rate = percent / 100.0; // correctly rounded: the double that the literal would be
        for (std::uint32_t whole = 1; whole <= 300; ++whole) {
            for (std::uint32_t part = 0; part <= whole; ++part) {
                if ((ratio(part, whole) >= rate) != (part * 100 >= percent * whole)) ++wrong;
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
                if ((ratio(part, whole) >= rate) != (part * 64 >= parts * whole)) ++wrong;
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
            const double rate = double(part) / double(whole);
            for (const std::uint64_t times : {1U, 3U, 7U, 1000U, 1000003U}) {
                if (!(ratio(times * part, times * whole) >= rate)) ++wrong;
                if (ratio(times * part - 1, times * whole) >= rate) ++wrong;
            }
        }
    }
    CHECK(wrong == 0);
}

TEST_CASE("Ratio: one call less never reaches the rate, however many calls there are", "[core]") {
    const std::uint64_t whole =
        GENERATE(as<std::uint64_t>{}, 2, 10, 200, 1000, 65536, 1000000, 4000000000);
    CHECK(ratio(whole / 2, whole) >= 0.5);
    CHECK_FALSE(ratio(whole / 2 - 1, whole) >= 0.5);
    CHECK_FALSE(ratio(whole - 1, whole) >= 1.0);
}

} // namespace tests::core_rate
