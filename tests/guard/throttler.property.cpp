// SPDX-License-Identifier: MIT
// The throttler against a list of calls, on random strings of operations.
#include "guard/throttle_game.hpp"
#include "property.hpp"

#include "catch.hpp"

#include <cstdint>
#include <vector>

namespace tests::guard_throttler_property {

using namespace model::throttle_game;

TEST_CASE("Throttler: refuses what a list of calls says, on any string of operations",
          "[guard][property]") {
    for (std::uint64_t seed = 1; seed != 5'001; ++seed) {
        model::Dice dice{seed};
        const Throttle options = some_options(dice);
        const Outcome usual = dice.pick({Outcome::success, Outcome::failure});
        std::vector<Operation> operations;
        for (int i = 0; i != 80; ++i) add_some(dice, usual, operations);
        const auto difference = [&](const auto& some) {
            return model::first_disagreement(Game{options}, some);
        };
        if (!difference(operations)) continue;
        CAPTURE(seed, options);
        FAIL("they differ at the end of\n" << model::counterexample(operations, difference));
    }
    SUCCEED("no difference");
}

} // namespace tests::guard_throttler_property
