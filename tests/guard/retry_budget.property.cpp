// SPDX-License-Identifier: MIT
// The retry budget against a count of thousandths, on random strings of operations.
#include <dashpot/guard/retry_budget.hpp>

#include "property.hpp"

#include "catch.hpp"

#include <algorithm>
#include <cstdint>
#include <ostream>
#include <vector>

namespace tests::guard_retry_budget_property {

namespace {

struct Operation {
    enum class Kind : std::uint8_t { deposit, withdraw, give_back, reconfigure } kind;
    std::int64_t thousandths = 1;
    std::uint32_t capacity = 1;
};

std::ostream& operator<<(std::ostream& out, const Operation& op) {
    switch (op.kind) {
    case Operation::Kind::deposit: return out << "deposit\n";
    case Operation::Kind::withdraw: return out << "try_withdraw\n";
    case Operation::Kind::give_back: return out << "give_back\n";
    case Operation::Kind::reconfigure: break;
    }
    return out << "reconfigure to " << op.thousandths << " / 1000, at most " << op.capacity << '\n';
}

dashpot::RetryBudgetOptions options_of(const Operation& op) {
    return {.ratio = static_cast<double>(op.thousandths) / 1000.0, .capacity = op.capacity};
}

class Game {
  public:
    explicit Game(const Operation& start)
        : budget_{options_of(start)}, now_{start}, balance_{1000 * std::int64_t{start.capacity}} {}

    bool play(const Operation& op) {
        bool is_same = true;
        switch (op.kind) {
        case Operation::Kind::deposit:
            budget_.deposit();
            balance_ += now_.thousandths;
            break;
        case Operation::Kind::withdraw: {
            const bool is_granted = balance_ >= 1000;
            is_same = budget_.try_withdraw() == is_granted;
            balance_ -= is_granted ? 1000 : 0;
            break;
        }
        case Operation::Kind::give_back:
            budget_.give_back();
            balance_ += 1000;
            break;
        case Operation::Kind::reconfigure:
            budget_.reconfigure(options_of(op));
            now_ = op;
            break;
        }
        balance_ = std::min(balance_, 1000 * std::int64_t{now_.capacity});
        return is_same && budget_.balance() == static_cast<double>(balance_) / 1000.0;
    }

  private:
    dashpot::RetryBudget budget_;
    Operation now_;
    std::int64_t balance_;
};

} // namespace

TEST_CASE("RetryBudget: has the balance that a count says, on any string of operations",
          "[guard][property]") {
    for (std::uint64_t seed = 1; seed != 10'001; ++seed) {
        model::Dice dice{seed};
        std::vector<Operation> operations;
        for (int i = 0; i != 61; ++i) {
            using enum Operation::Kind;
            operations.push_back({dice.pick({deposit, deposit, deposit, withdraw, withdraw, withdraw,
                                             give_back, dice.below(3) == 0 ? reconfigure : deposit}),
                                  1 + dice.up_to(999), 1 + dice.below(5)});
        }
        const Operation start = operations.back();
        operations.pop_back();
        const auto difference = [&](const auto& some) {
            return model::first_disagreement(Game{start}, some);
        };
        if (!difference(operations)) continue;
        CAPTURE(seed, start.thousandths, start.capacity);
        FAIL("they differ at the end of\n" << model::counterexample(operations, difference));
    }
    SUCCEED("no difference");
}

} // namespace tests::guard_retry_budget_property
