// SPDX-License-Identifier: MIT
// The breaker that threads share against the machine within it, told everything under no lock: what is
// decided from the published word and gate alone must be what the machine would have said.
#include "guard/breaker_game.hpp"
#include "property.hpp"

#include "catch.hpp"

#include <cstdint>
#include <vector>

namespace tests::guard_circuit_breaker_property {

using namespace model::breaker_game;

TEMPLATE_TEST_CASE("CircuitBreaker: decides without the lock as its machine does, on any string of "
                   "operations",
                   "[guard]", ConsecutiveFailures, CountWindow, TimeWindow) {
    for (std::uint64_t seed = 1; seed != 5'001; ++seed) {
        model::Dice dice{seed};
        const BreakerOptions options = some_options(dice);
        const auto policy = some(dice, TestType{});
        const Instant start = some_start(dice);
        std::vector<Operation<TestType>> operations;
        for (int i = 0; i != 60; ++i) add_some(dice, operations);
        const auto difference = [&](const auto& some) {
            return model::first_disagreement(Game<TestType>{policy, options, start}, some);
        };
        if (!difference(operations)) continue;
        CAPTURE(seed, policy, options, start.time_since_epoch().count());
        FAIL("they differ at the end of\n" << model::counterexample(operations, difference));
    }
    SUCCEED("5 000 lives");
}

} // namespace tests::guard_circuit_breaker_property
