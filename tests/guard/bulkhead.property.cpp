// SPDX-License-Identifier: MIT
// The bulkhead against a count of its slots, on random strings of operations.
#include "guard/bulkhead_game.hpp"

#include "catch.hpp"
#include "policy/window_model.hpp"

#include <cstdint>

namespace tests::guard_bulkhead_property {

TEST_CASE("Bulkhead: has the slots that a count says, on any string of operations",
          "[guard][property]") {
    for (std::uint64_t seed = 1; seed != 20'001; ++seed) {
        model::Dice dice{seed};
        model::bulkhead_game::Game game{dice.below(5)};
        for (int i = 0; i != 60; ++i) {
            if (!game.step(dice)) FAIL("seed " << seed << ", step " << i);
        }
    }
    SUCCEED("no difference");
}

} // namespace tests::guard_bulkhead_property
