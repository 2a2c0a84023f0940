// SPDX-License-Identifier: MIT
// The registry against a map of names, on random strings of operations on it, its targets and its
// clock.
#include "property.hpp"
#include "registry/registry_game.hpp"

#include "catch.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace tests::registry_registry_property {

using namespace model::registry_game;
using model::Dice;

namespace {

template <class MakePolicy>
void check(const MakePolicy& make_policy) {
    for (std::uint64_t seed = 1; seed != 4'001; ++seed) {
        Dice dice{seed};
        const auto rules = some_rules(dice, make_policy);
        std::vector<Operation> operations;
        for (int i = 0; i != 80; ++i) operations.push_back(some_operation(dice));
        const auto difference = [&](const auto& some) {
            return model::first_disagreement(Game{rules}, some);
        };
        if (!difference(operations)) continue;
        CAPTURE(seed, rules.max_targets, rules.evict_after.value_or(0), rules.start);
        std::string options;
        for (const auto& each : rules.equipment)
            options += Catch::Detail::stringify(options_of(each)) + '\n';
        FAIL("options 0 (the defaults) and others:\n"
             << options << "they differ at the end of\n"
             << model::counterexample(operations, difference));
    }
    SUCCEED("no difference");
}

} // namespace

TEST_CASE("Registry: has the targets that a map of names says, by consecutive failures",
          "[registry][property]") {
    check([](Dice& dice) { return model::machine_game::some_run(dice); });
}

TEST_CASE("Registry: has the targets that a map of names says, by a count window",
          "[registry][property]") {
    check([](Dice& dice) { return model::machine_game::some_count_window(dice); });
}

TEST_CASE("Registry: has the targets that a map of names says, by a time window",
          "[registry][property]") {
    check([](Dice& dice) { return model::machine_game::some_time_window(dice); });
}

} // namespace tests::registry_registry_property
