// SPDX-License-Identifier: MIT
// The breaker that threads share against the machine within it, told everything under no lock: what is
// decided from the published word and gate alone must be what the machine would have said.
#include "guard/breaker_game.hpp"

#include "catch.hpp"
#include "policy/window_model.hpp"

#include <cstdint>

namespace tests::guard_circuit_breaker_property {

using namespace model::breaker_game;

TEMPLATE_TEST_CASE("CircuitBreaker: decides without the lock as its machine does, on any string of "
                   "operations",
                   "[guard]", ConsecutiveFailures, CountWindow, TimeWindow) {
    for (std::uint64_t seed = 1; seed != 5'001; ++seed) {
        model::Dice dice{seed};
        const BreakerOptions options = some_options(dice);
        const auto policy = some(dice, TestType{});
        Game<TestType> game{policy, options, some_start(dice)};
        for (int i = 0; i != 60; ++i) {
            if (!game.step(dice)) FAIL("seed " << seed << ":\n" << game.trace());
        }
    }
    SUCCEED("5 000 lives");
}

} // namespace tests::guard_circuit_breaker_property
