// SPDX-License-Identifier: MIT
// What guards cost in memory, and that neighbours share no cache line.
#include <dashpot/dashpot.hpp>

#include "catch.hpp"

#include <cstddef>

namespace tests::guard_footprint {

using namespace dashpot;

namespace {

constexpr std::size_t line = detail::cache_line;

/// Objects that stand side by side have no line in common.
template <class T>
constexpr bool has_its_own_lines = alignof(T) == line && sizeof(T) % line == 0;

} // namespace

#if defined(__GLIBCXX__) && defined(__x86_64__) &&                                                     \
    defined(__linux__) // elsewhere a mutex has another size
TEST_CASE("A breaker: takes as much memory as the documentation says", "[guard]") {
    STATIC_REQUIRE(sizeof(CircuitBreaker<>) == 1088);
    STATIC_REQUIRE(sizeof(CircuitBreaker<SteadyClock, CountWindow>) == 1088);
    STATIC_REQUIRE(sizeof(CircuitBreaker<SteadyClock, TimeWindow>) == 1088);
    STATIC_REQUIRE(sizeof(CircuitBreaker<>::Permit) == 32);
}

TEST_CASE("A target: takes as much memory as the documentation says", "[registry]") {
    STATIC_REQUIRE(sizeof(Target<>) == 1280);
    STATIC_REQUIRE(sizeof(Target<>::Entry) == 40);
}
#endif

TEST_CASE("Guards: share no cache line with their neighbours", "[guard]") {
    STATIC_REQUIRE(has_its_own_lines<CircuitBreaker<>>);
    STATIC_REQUIRE(has_its_own_lines<RateLimiter<>>);
    STATIC_REQUIRE(has_its_own_lines<RetryBudget>);
    STATIC_REQUIRE(has_its_own_lines<Throttler<>>);
    STATIC_REQUIRE(has_its_own_lines<CircuitBreaker<SteadyClock, CountWindow>>);
    STATIC_REQUIRE(has_its_own_lines<CircuitBreaker<SteadyClock, TimeWindow>>);
    STATIC_REQUIRE(has_its_own_lines<Target<>>);
}

} // namespace tests::guard_footprint
