// SPDX-License-Identifier: MIT
// What guards cost in memory, and that neighbours share no cache line.
#include <dashpot/dashpot.hpp>

#include "catch.hpp"

#include <cstddef>

using namespace dashpot;

namespace {

constexpr std::size_t line = detail::cache_line;

/// Objects that stand side by side have no line in common.
template <class T>
constexpr bool has_its_own_lines = alignof(T) == line && sizeof(T) % line == 0;

} // namespace

TEST_CASE("A breaker: takes no more memory than the documentation says", "[guard]") {
    STATIC_REQUIRE(sizeof(CircuitBreaker<>) <= 18 * line);
    STATIC_REQUIRE(sizeof(CircuitBreaker<SteadyClock, CountWindow>) <= 19 * line);
    STATIC_REQUIRE(sizeof(CircuitBreaker<SteadyClock, TimeWindow>) <= 20 * line);
    STATIC_REQUIRE(sizeof(CircuitBreaker<>::Permit) <= 40);
}

TEST_CASE("A target: takes three lines more than its breaker", "[registry]") {
    STATIC_REQUIRE(sizeof(Target<>) <= sizeof(CircuitBreaker<>) + 3 * line);
    STATIC_REQUIRE(sizeof(Target<>::Entry) <= 64);
}

TEST_CASE("Guards: share no cache line with their neighbours", "[guard]") {
    STATIC_REQUIRE(has_its_own_lines<CircuitBreaker<>>);
    STATIC_REQUIRE(has_its_own_lines<CircuitBreaker<SteadyClock, CountWindow>>);
    STATIC_REQUIRE(has_its_own_lines<CircuitBreaker<SteadyClock, TimeWindow>>);
    STATIC_REQUIRE(has_its_own_lines<Target<>>);
}
