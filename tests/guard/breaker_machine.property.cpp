// SPDX-License-Identifier: MIT
// The rules of a breaker against a model that follows the contract word by word, on random strings of
// questions, answers, commands and times.
#include "guard/machine_game.hpp"

#include "catch.hpp"

#include <cstdint>

namespace tests::guard_breaker_machine_property {

using namespace model;
using namespace model::machine_game;

namespace {

template <class MakePolicy>
void check(const MakePolicy& make_policy) {
    constexpr std::uint64_t strings = 100'000;
    for (std::uint64_t seed = 1; seed <= strings; ++seed) {
        Dice dice{seed};
        const auto policy = make_policy(dice);
        const Setting setting = some_setting(dice);
        const auto operations = some_operations(dice, setting);
        const auto difference = [&](const auto& some) {
            return first_difference(policy, setting, some);
        };
        if (!difference(operations)) continue;
        CAPTURE(seed, setting.wait, setting.factor, setting.cap, setting.lease, setting.probes,
                setting.needed);
        FAIL("they differ at the end of\n" << counterexample(operations, difference));
    }
    SUCCEED("no difference");
}

} // namespace

TEST_CASE("BreakerMachine: keeps the contract by consecutive failures", "[guard][property]") {
    check([](Dice& dice) { return some_run(dice); });
}

TEST_CASE("BreakerMachine: keeps the contract by a count window", "[guard][property]") {
    check([](Dice& dice) { return some_count_window(dice); });
}

TEST_CASE("BreakerMachine: keeps the contract by a time window", "[guard][property]") {
    check([](Dice& dice) { return some_time_window(dice); });
}

} // namespace tests::guard_breaker_machine_property
