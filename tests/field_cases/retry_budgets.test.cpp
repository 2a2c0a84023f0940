// SPDX-License-Identifier: MIT
// Budgets that saved up too much, earned too much or nothing, and never recovered.
#include "catch.hpp"

#include <dashpot/guard/retry_budget.hpp>

#include <tuple>

namespace tests::field_cases_retry_budgets {

using dashpot::RetryBudget;

namespace {

int withdraw_all(RetryBudget& budget) {
    int taken = 0;
    while (budget.try_withdraw()) ++taken;
    return taken;
}

} // namespace

// A stable day saved up a million tokens, and the next outage was not limited.
TEST_CASE("RetryBudget: a stable day saves up no more than a start does") {
    RetryBudget fresh{{.ratio = 0.1, .capacity = 10}};
    RetryBudget old{{.ratio = 0.1, .capacity = 10}};
    for (int i = 0; i != 1000; ++i) old.deposit();
    CHECK(withdraw_all(old) == 10);
    CHECK(withdraw_all(fresh) == 10);
    CHECK_FALSE(old.try_withdraw());
    CHECK(old.balance() == 0);
}

// The price of a retry was 1 / ratio, cut to an integer: 0.6 was like 1.0.
TEST_CASE("RetryBudget: no ratio is rounded") {
    for (const auto& [ratio, successes, extra] :
         {std::tuple{0.6, 10, 6}, std::tuple{0.3, 10, 3}, std::tuple{0.7, 10, 7},
          std::tuple{0.1, 10, 1}, std::tuple{0.15, 100, 15}}) {
        RetryBudget budget{{.ratio = ratio, .capacity = 100}};
        CHECK(withdraw_all(budget) == 100);
        for (int i = 0; i != successes; ++i) budget.deposit();
        CHECK(withdraw_all(budget) == extra);
        CHECK(budget.balance() == 0);
    }
}

// Once empty, there was no retry until the process was started again.
TEST_CASE("RetryBudget: an empty budget recovers by successes alone") {
    RetryBudget budget{{.ratio = 0.1, .capacity = 5}};
    CHECK(withdraw_all(budget) == 5);
    for (int i = 0; i != 10; ++i) CHECK_FALSE(budget.try_withdraw());
    CHECK(budget.balance() == 0);
    for (int i = 0; i != 10; ++i) budget.deposit();
    CHECK(budget.balance() == 1);
    CHECK(budget.try_withdraw());
}

} // namespace tests::field_cases_retry_budgets
