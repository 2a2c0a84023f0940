// SPDX-License-Identifier: MIT
#include <dashpot/policy/detail/token_rate.hpp>

#include "catch.hpp"

#include <chrono>
#include <cstdint>

namespace tests::policy_detail_token_rate {

using namespace std::chrono_literals;
using dashpot::Instant;
using dashpot::detail::TokenRate;
using dashpot::detail::Wide;

namespace {

constexpr std::chrono::nanoseconds longest = std::chrono::nanoseconds::max();

static_assert(TokenRate::of(100, 1s, 7) == TokenRate{1, 10'000'000, 7});
static_assert(TokenRate::of(3, 1s, 1) == TokenRate{3, 1'000'000'000, 1});
static_assert(TokenRate::of(4'000'000'000, 1s, 1) == TokenRate{4, 1, 1});
static_assert(TokenRate::of(1, 24h, 1) == TokenRate{1, 86'400'000'000'000, 1});

static_assert(TokenRate{3, 5, 4}.cost(2) == Wide{0, 10} &&
              TokenRate{3, 5, 4}.capacity() == Wide{0, 20});
static_assert(TokenRate{3, 5, 4}.at(Instant::min()) == Wide{0, 0});
static_assert(TokenRate{3, 5, 4}.at(Instant::min() + 2ns) == Wide{0, 6});
static_assert(TokenRate{4, 5, 4}.at(Instant{}) == Wide{2, 0});
static_assert(TokenRate{1, 5, 4}.at(Instant::max()) == Wide{0, ~std::uint64_t{0}});

static_assert(TokenRate{3, 1, 1}.time_for({0, 0}) == 0ns);
static_assert(TokenRate{3, 1, 1}.time_for({0, 1}) == 1ns && TokenRate{3, 1, 1}.time_for({0, 3}) == 1ns);
static_assert(TokenRate{3, 1, 1}.time_for({0, 4}) == 2ns);
static_assert(TokenRate{1, 1, 1}.time_for({0, INT64_MAX - 1}) == longest - 1ns);
static_assert(TokenRate{1, 1, 1}.time_for({0, INT64_MAX}) == longest);
static_assert(TokenRate{2, 1, 1}.time_for({0, ~std::uint64_t{0}}) == longest);
static_assert(TokenRate{1, 1, 1}.time_for({1, 0}) == longest);

} // namespace

TEST_CASE("TokenRate: reduces a rate, so that all amounts are whole numbers", "[policy]") {
    CHECK(TokenRate::of(750, 1s, 1) == TokenRate{3, 4'000'000, 1});
    CHECK(TokenRate::of(1'000'003, 1s, 1) == TokenRate{1'000'003, 1'000'000'000, 1});
}

} // namespace tests::policy_detail_token_rate
