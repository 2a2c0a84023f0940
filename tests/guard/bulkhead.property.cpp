// SPDX-License-Identifier: MIT
// The bulkhead against a count of its slots, on random strings of operations.
#include "guard/bulkhead_game.hpp"
#include "property.hpp"

#include "catch.hpp"

#include <cstdint>
#include <vector>

namespace tests::guard_bulkhead_property {

using namespace model::bulkhead_game;

TEST_CASE("Bulkhead: has the slots that a count says, on any string of operations",
          "[guard][property]") {
    for (std::uint64_t seed = 1; seed != 20'001; ++seed) {
        model::Dice dice{seed};
        const std::uint32_t limit = dice.below(5);
        std::vector<Operation> operations;
        for (int i = 0; i != 60; ++i) add_some(dice, operations);
        const auto difference = [&](const auto& some) {
            return model::first_disagreement(Game{limit}, some);
        };
        if (!difference(operations)) continue;
        CAPTURE(seed, limit);
        FAIL("they differ at the end of\n" << model::counterexample(operations, difference));
    }
    SUCCEED("no difference");
}

} // namespace tests::guard_bulkhead_property
