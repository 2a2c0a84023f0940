// SPDX-License-Identifier: MIT
// The queued bulkhead against a list of waiters, on random strings of operations.
#include "guard/queue_game.hpp"
#include "property.hpp"

#include "catch.hpp"

#include <cstdint>
#include <vector>

namespace tests::guard_queued_bulkhead_property {

using namespace model::queue_game;

TEST_CASE("QueuedBulkhead: grants and refuses what a list of waiters says, on any string of operations",
          "[guard][property]") {
    for (std::uint64_t seed = 1; seed != 10'001; ++seed) {
        model::Dice dice{seed};
        const QueueOptions options = some_options(dice);
        std::vector<Operation> operations;
        for (int i = 0; i != 60; ++i) add_some(dice, operations);
        const auto difference = [&](const auto& some) {
            return model::first_disagreement(Game{options}, some);
        };
        if (!difference(operations)) continue;
        CAPTURE(seed, options);
        FAIL("they differ at the end of\n" << model::counterexample(operations, difference));
    }
    SUCCEED("no difference");
}

} // namespace tests::guard_queued_bulkhead_property
