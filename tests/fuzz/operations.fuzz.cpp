// SPDX-License-Identifier: MIT
// Bytes are a game: a policy, options, and a string of operations and moves of the clock. The first
// byte chooses which; what the property tests play by chance is then played as the fuzzer wants it.
#include "finding.hpp"
#include "scripted_dice.hpp"

#include "guard/breaker_game.hpp"
#include "guard/bulkhead_game.hpp"
#include "guard/machine_game.hpp"
#include "guard/queue_game.hpp"
#include "guard/rate_game.hpp"
#include "guard/throttle_game.hpp"
#include "policy/window_game.hpp"
#include "property.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace {

using fuzz::ScriptedDice;

constexpr std::size_t longest_game = 1000;

/// A window against a list of all calls.
template <class P>
void play_window(const P& policy, ScriptedDice& dice) {
    const auto operations = model::window_game::some_operations(dice, policy);
    const auto difference = [&](const auto& some) {
        return model::window_game::first_difference(policy, some);
    };
    if (difference(operations))
        fuzz::report("window and model differ at the end of\n" +
                     model::counterexample(operations, difference));
}

/// The rules of a breaker against the contract.
template <class P>
void play_machine(const P& policy, ScriptedDice& dice) {
    const model::Setting setting = model::machine_game::some_setting(dice);
    const auto operations = model::machine_game::some_operations(dice, setting);
    const auto difference = [&](const auto& some) {
        return model::machine_game::first_difference(policy, setting, some);
    };
    if (difference(operations))
        fuzz::report("breaker and model differ at the end of\n" +
                     model::counterexample(operations, difference));
}

/// As many operations as the script is long.
template <class Operation>
std::vector<Operation> scripted(ScriptedDice& dice) {
    std::vector<Operation> operations;
    for (std::size_t i = 0; i != longest_game && !dice.is_at_end(); ++i) add_some(dice, operations);
    return operations;
}

/// The breaker that threads share against its own rules.
template <class P>
void play_breaker(const P& policy, ScriptedDice& dice) {
    namespace breaker = model::breaker_game;
    const auto options = breaker::some_options(dice);
    const auto start = breaker::some_start(dice);
    const auto operations = scripted<breaker::Operation<P>>(dice);
    const auto difference = [&](const auto& some) {
        return model::first_disagreement(breaker::Game<P>{policy, options, start}, some);
    };
    if (difference(operations))
        fuzz::report("breaker and machine differ at the end of\n" +
                     model::counterexample(operations, difference));
}

void play_bulkhead(ScriptedDice& dice) {
    namespace bulkhead = model::bulkhead_game;
    const std::uint32_t limit = dice.below(5);
    const auto operations = scripted<bulkhead::Operation>(dice);
    const auto difference = [&](const auto& some) {
        return model::first_disagreement(bulkhead::Game{limit}, some);
    };
    if (difference(operations))
        fuzz::report("bulkhead and count differ at the end of\n" +
                     model::counterexample(operations, difference));
}

void play_queue(ScriptedDice& dice) {
    namespace queue = model::queue_game;
    const auto options = queue::some_options(dice);
    const auto operations = scripted<queue::Operation>(dice);
    const auto difference = [&](const auto& some) {
        return model::first_disagreement(queue::Game{options}, some);
    };
    if (difference(operations))
        fuzz::report("queued bulkhead and list of waiters differ at the end of\n" +
                     model::counterexample(operations, difference));
}

void play_rate_limiter(ScriptedDice& dice) {
    namespace rate = model::rate_game;
    const auto limit = rate::some_limit(dice);
    const auto start = rate::some_start(dice);
    auto now = limit;
    std::vector<rate::Operation> operations;
    while (operations.size() != longest_game && !dice.is_at_end()) {
        rate::add_some(dice, true, now, operations);
    }
    const auto difference = [&](const auto& some) {
        return model::first_disagreement(rate::Game{limit, start}, some);
    };
    if (difference(operations))
        fuzz::report("rate limiter and count of tokens differ at the end of\n" +
                     model::counterexample(operations, difference));
}

void play_throttler(ScriptedDice& dice) {
    namespace throttle = model::throttle_game;
    const auto options = throttle::some_options(dice);
    std::vector<throttle::Operation> operations;
    while (operations.size() != longest_game && !dice.is_at_end()) {
        throttle::add_some(dice, dashpot::Outcome::failure, operations);
    }
    const auto difference = [&](const auto& some) {
        return model::first_disagreement(throttle::Game{options}, some);
    };
    if (difference(operations))
        fuzz::report("throttler and list of calls differ at the end of\n" +
                     model::counterexample(operations, difference));
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    namespace breaker = model::breaker_game;
    namespace machine = model::machine_game;
    namespace window = model::window_game;
    ScriptedDice dice{{data, size}};
    switch (dice.below(12)) {
    case 0: play_window(window::some_count_window(dice), dice); break;
    case 1: play_window(window::some_time_window(dice), dice); break;
    case 2: play_machine(machine::some_run(dice), dice); break;
    case 3: play_machine(machine::some_count_window(dice), dice); break;
    case 4: play_machine(machine::some_time_window(dice), dice); break;
    case 5: play_breaker(breaker::some(dice, dashpot::ConsecutiveFailures{}), dice); break;
    case 6: play_breaker(breaker::some(dice, dashpot::CountWindow{}), dice); break;
    case 7: play_breaker(breaker::some(dice, dashpot::TimeWindow{}), dice); break;
    case 8: play_bulkhead(dice); break;
    case 9: play_queue(dice); break;
    case 10: play_rate_limiter(dice); break;
    default: play_throttler(dice);
    }
    return 0;
}
