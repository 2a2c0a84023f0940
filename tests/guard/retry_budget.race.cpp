// SPDX-License-Identifier: MIT
#include <dashpot/guard/retry_budget.hpp>

#include "catch.hpp"
#include "guard/race.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace tests::guard_retry_budget_race {

using dashpot::RetryBudget;

TEST_CASE("RetryBudget: threads withdraw what was deposited, and not one token more") {
    RetryBudget budget{{.ratio = 0.1, .capacity = 1'000'000}};
    while (budget.try_withdraw()) {}
    const std::uint64_t refused_before = budget.refused();
    std::atomic<std::uint64_t> taken{0};
    std::atomic<std::uint64_t> refused{0};
    race::together(8, [&](std::size_t i) {
        for (int turn = 0; turn != 20'000; ++turn) {
            budget.deposit();
            if (turn % 4 != 0) continue;
            if (!budget.try_withdraw()) {
                ++refused;
            } else if (i % 2 == 0 && turn % 8 == 0) {
                budget.give_back();
            } else {
                ++taken;
            }
        }
    });
    CHECK(budget.refused() == refused_before + refused);
    CHECK(static_cast<std::uint64_t>(budget.balance() * 1000 + 0.5) + 1000 * taken ==
          std::uint64_t{8} * 20'000 * 100);
}

TEST_CASE("RetryBudget: as many threads as there are tokens get one, however many ask at once") {
    constexpr std::size_t threads = 16;
    RetryBudget budget{{.ratio = 1.0, .capacity = 5}};
    std::atomic<int> granted{0};
    race::in_rounds(
        threads, 1000,
        [&] {
            granted = 0;
            for (int i = 0; i != 7; ++i) budget.deposit();
        },
        [&](std::size_t) { granted += budget.try_withdraw() ? 1 : 0; },
        [&] {
            CHECK(granted == 5);
            CHECK(budget.balance() == 0);
        });
}

TEST_CASE("RetryBudget: reconfigured under load it never holds more than its capacity") {
    RetryBudget budget{{.ratio = 1.0, .capacity = 100}};
    std::atomic<int> at_work{4};
    std::atomic<int> too_much{0};
    race::together(5, [&](std::size_t i) {
        if (i == 0) {
            while (at_work != 0) {
                budget.reconfigure({.ratio = 1.0, .capacity = 100});
                budget.reconfigure({.ratio = 0.5, .capacity = 3});
                too_much += budget.balance() > 3 ? 1 : 0;
            }
            return;
        }
        for (int turn = 0; turn != 20'000; ++turn) {
            budget.deposit();
            if (turn % 16 == 0) budget.give_back();
            if (turn % 64 == 0) (void)budget.try_withdraw();
        }
        --at_work;
    });
    CHECK(too_much == 0);
}

} // namespace tests::guard_retry_budget_race
