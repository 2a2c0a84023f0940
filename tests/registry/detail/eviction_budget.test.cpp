// SPDX-License-Identifier: MIT
#include <dashpot/registry/detail/eviction_budget.hpp>

#include "catch.hpp"

#include <chrono>
#include <cstddef>
#include <limits>

namespace tests::registry_detail_eviction_budget {

using namespace std::chrono_literals;
using dashpot::Instant;
using dashpot::detail::EvictionBudget;

namespace {
constexpr std::size_t unlimited = std::numeric_limits<std::size_t>::max();
constexpr std::size_t few = EvictionBudget::few;
} // namespace

TEST_CASE("EvictionBudget: allows one visit of all targets per second, then a few each time",
          "[registry]") {
    EvictionBudget budget;
    const Instant start{-5s};
    CHECK(budget.visits(start, 100) == unlimited);
    budget.spend(99);
    CHECK(budget.visits(start, 100) == unlimited); // one visit is left
    budget.spend(few + 1);
    CHECK(budget.visits(start, 100) == few);
    budget.spend(few); // is free
    CHECK(budget.visits(start + 1s - 1ns, 100) == few);
    CHECK(budget.visits(start + 1s, 100) == unlimited);
}

TEST_CASE("EvictionBudget: a clock that steps back begins another second", "[registry]") {
    EvictionBudget budget;
    CHECK(budget.visits(Instant{10s}, 20) == unlimited);
    budget.spend(20);
    CHECK(budget.visits(Instant{10s}, 20) == few);
    CHECK(budget.visits(Instant{9s}, 20) == unlimited);
}

} // namespace tests::registry_detail_eviction_budget
