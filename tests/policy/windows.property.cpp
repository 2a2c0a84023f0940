// SPDX-License-Identifier: MIT
// The windows against a model that keeps every call and counts anew each time, on random strings of
// calls, reads and times.
#include "policy/window_game.hpp"

#include "catch.hpp"

#include <cstdint>
#include <vector>

namespace tests::policy_windows_property {

using namespace model;
using namespace model::window_game;

namespace {

template <class P>
void check(const P& policy, const std::vector<Operation>& operations, std::uint64_t seed) {
    const auto difference = [&](const std::vector<Operation>& some) {
        return first_difference(policy, some);
    };
    if (!difference(operations)) return;
    CAPTURE(seed, policy.minimum_calls, policy.failure_rate, policy.slow_calls.has_value());
    FAIL("they differ at the end of\n" << counterexample(operations, difference));
}

constexpr std::uint64_t strings = 100'000; // for each policy

} // namespace

TEST_CASE("CountWindow: agrees with a model that keeps every call", "[policy][property]") {
    for (std::uint64_t seed = 1; seed <= strings; ++seed) {
        Dice dice{seed};
        const CountWindow policy = some_count_window(dice);
        CAPTURE(policy.size);
        check(policy, some_operations(dice, policy), seed);
    }
    SUCCEED("no difference");
}

TEST_CASE("TimeWindow: agrees with a model that keeps every call", "[policy][property]") {
    for (std::uint64_t seed = 1; seed <= strings; ++seed) {
        Dice dice{seed};
        const TimeWindow policy = some_time_window(dice);
        CAPTURE(policy.length.count(), policy.buckets);
        check(policy, some_operations(dice, policy), seed);
    }
    SUCCEED("no difference");
}

} // namespace tests::policy_windows_property
