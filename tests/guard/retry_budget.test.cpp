// SPDX-License-Identifier: MIT
#include <dashpot/guard/retry_budget.hpp>

#include "catch.hpp"

#include <concepts>
#include <cstdint>
#include <limits>
#include <sstream>
#include <stdexcept>
#include <string>
#include <type_traits>

namespace tests::guard_retry_budget {

using dashpot::RetryBudget;
using dashpot::RetryBudgetOptions;

namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr std::uint32_t most = std::numeric_limits<std::uint32_t>::max();

constexpr std::uint64_t thousandths(double ratio) {
    return RetryBudgetOptions{.ratio = ratio}.thousandths();
}
static_assert(thousandths(0.1) == 100 && thousandths(1.0) == 1000 && thousandths(0.001) == 1);
static_assert(thousandths(0.3) == 300 && thousandths(0.7) == 700 && thousandths(0.15) == 150);
static_assert(thousandths(0.1 + 0.9e-9) == 100 && thousandths(0.1 - 0.9e-9) == 100);
static_assert(thousandths(0.1 + 1.1e-9) == 0 && thousandths(0.1 - 1.1e-9) == 0);
static_assert(thousandths(0.0) == 0 && thousandths(-0.1) == 0 && thousandths(1.001) == 0);
static_assert(thousandths(0.0005) == 0 && thousandths(0.9e-9) == 0 && thousandths(10.0) == 0);
static_assert(thousandths(not_a_number) == 0);
static_assert(thousandths(1.0 - 0.9e-9) == 1000 && thousandths(1.0 + 0.9e-9) == 0);

int withdraw_all(RetryBudget& budget) {
    int taken = 0;
    while (budget.try_withdraw()) ++taken;
    return taken;
}

std::string message_of(const RetryBudgetOptions& options) {
    try {
        const RetryBudget budget{options};
    } catch (const std::invalid_argument& error) {
        return error.what();
    }
    return "accepted";
}

} // namespace

TEST_CASE("RetryBudget: starts full, and never falls below nothing", "[guard]") {
    RetryBudget budget{{.ratio = 0.1, .capacity = 10}};
    CHECK(budget.balance() == 10);
    CHECK(withdraw_all(budget) == 10);
    CHECK(budget.balance() == 0);
    CHECK_FALSE(budget.try_withdraw());
    CHECK(budget.balance() == 0);
    CHECK(budget.refused() == 2);
}

TEST_CASE("RetryBudget: never rises above its capacity", "[guard]") {
    RetryBudget budget{{.ratio = 0.3, .capacity = 2}};
    for (int i = 0; i != 1000; ++i) budget.deposit();
    budget.give_back();
    CHECK(budget.balance() == 2);
    CHECK(budget.try_withdraw());
    budget.deposit();
    CHECK(budget.balance() == 1.3);
    budget.give_back(); // as much as there is room for
    CHECK(budget.balance() == 2);
    CHECK(withdraw_all(budget) == 2);
}

TEST_CASE("RetryBudget: every ratio earns exactly what it says", "[guard]") {
    for (const int thousandth : {1, 7, 100, 150, 300, 333, 600, 700, 999, 1000}) {
        RetryBudget budget{{.ratio = thousandth / 1000.0, .capacity = 1'000'000}};
        CHECK(withdraw_all(budget) == 1'000'000);
        for (int i = 0; i != 1000; ++i) budget.deposit();
        CHECK(budget.balance() == thousandth);
        CHECK(withdraw_all(budget) == thousandth);
    }
}

TEST_CASE("RetryBudget: what was withdrawn in vain is given back", "[guard]") {
    RetryBudget budget{{.ratio = 0.1, .capacity = 3}};
    CHECK(withdraw_all(budget) == 3);
    budget.give_back();
    CHECK(budget.balance() == 1);
    CHECK(budget.try_withdraw());
    CHECK_FALSE(budget.try_withdraw());
}

TEST_CASE("RetryBudget: a part of a token pays for nothing", "[guard]") {
    RetryBudget budget{{.ratio = 0.999, .capacity = 1}};
    CHECK(budget.try_withdraw());
    budget.deposit();
    CHECK_FALSE(budget.try_withdraw());
    budget.deposit();
    CHECK(budget.balance() == 1);
    CHECK(budget.try_withdraw());
}

TEST_CASE("RetryBudget: holds the greatest capacity", "[guard]") {
    RetryBudget budget{{.ratio = 1.0, .capacity = most}};
    CHECK(budget.balance() == most);
    CHECK(budget.try_withdraw());
    CHECK(budget.balance() == most - 1);
    budget.deposit();
    budget.deposit();
    CHECK(budget.balance() == most);
}

TEST_CASE("RetryBudget: refuses options out of range by name", "[guard]") {
    CHECK(message_of({}) == "accepted");
    CHECK(message_of({.ratio = 0.0}) ==
          "RetryBudgetOptions::ratio is 0, must be a multiple of 0.001 in "
          "(0, 1]; for 10 % write 0.1");
    CHECK(message_of({.ratio = 10}) ==
          "RetryBudgetOptions::ratio is 10, must be a multiple of 0.001 in "
          "(0, 1]; for 10 % write 0.1");
    CHECK(message_of({.ratio = 0.0105}) != "accepted");
    CHECK(message_of({.ratio = not_a_number}) != "accepted");
    CHECK(message_of({.capacity = 0}) == "RetryBudgetOptions::capacity is 0, must be 1 or more");
}

TEST_CASE("RetryBudget: other options keep the balance, as far as it fits", "[guard]") {
    RetryBudget budget{{.ratio = 0.5, .capacity = 10}};
    CHECK(budget.try_withdraw());
    budget.reconfigure({.ratio = 0.2, .capacity = 20});
    CHECK(budget.balance() == 9);
    CHECK(budget.options() == RetryBudgetOptions{.ratio = 0.2, .capacity = 20});
    budget.deposit();
    CHECK(budget.balance() == 9.2);
    budget.reconfigure({.ratio = 1.0, .capacity = 3});
    CHECK(budget.balance() == 3);
    CHECK_THROWS_AS(budget.reconfigure({.capacity = 0}), std::invalid_argument);
    CHECK(budget.options().capacity == 3);
    CHECK(withdraw_all(budget) == 3);
    budget.deposit();
    const RetryBudget::Snapshot now = budget.snapshot();
    CHECK(now.balance == 1);
    CHECK(now.refused == 1);
    CHECK(now.options.ratio == 1.0);
}

TEST_CASE("RetryBudget: prints its options as the initializer that makes them", "[guard]") {
    std::ostringstream out;
    out << RetryBudgetOptions{.ratio = 0.25, .capacity = 7};
    CHECK(out.str() == "RetryBudgetOptions{.ratio = 0.25, .capacity = 7}");
}

TEST_CASE("RetryBudget: is pinned where it is, and its calls do not throw", "[guard]") {
    STATIC_REQUIRE_FALSE(std::is_copy_constructible_v<RetryBudget>);
    STATIC_REQUIRE_FALSE(std::is_move_constructible_v<RetryBudget>);
    STATIC_REQUIRE_FALSE(std::is_nothrow_default_constructible_v<RetryBudget>);
    STATIC_REQUIRE(requires(RetryBudget& budget, const RetryBudget& read) {
        { budget.deposit() } noexcept;
        { budget.give_back() } noexcept;
        { budget.try_withdraw() } noexcept -> std::same_as<bool>;
        { read.balance() } noexcept -> std::same_as<double>;
        { read.refused() } noexcept -> std::same_as<std::uint64_t>;
    });
}

} // namespace tests::guard_retry_budget
