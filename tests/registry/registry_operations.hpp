// SPDX-License-Identifier: MIT
#ifndef DASHPOT_TESTS_REGISTRY_REGISTRY_OPERATIONS_HPP
#define DASHPOT_TESTS_REGISTRY_REGISTRY_OPERATIONS_HPP

#include "guard/machine_game.hpp"
#include "registry/registry_model.hpp"

#include <dashpot/core/outcome.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

/// Operations on a registry, its targets and its clock. What is done the dice say.
namespace model::registry_game {

using dashpot::Outcome;

enum class Kind : std::uint8_t {
    get,
    get_with, // a function
    find,
    drop,
    enter,
    answer,
    call,
    command,
    resize,
    reconfigure,
    acquire,
    release,
    listen,
    listen_to_all,
    stop_listening,
    remove,
    configure,
    configure_prefix,
    evict_idle,
    advance,
    for_each
};

/// What options an operation gives, beside those with a number.
enum : std::uint32_t { several = 3, bad = several, throws, asks_for_itself };

struct Operation {
    Kind kind;
    std::string name;
    std::uint32_t options;
    std::uint32_t which; // of the hands, slots or listeners
    std::uint32_t limit;
    Outcome outcome;
    bool slow, keeps;
    Reason command;
    Time time;
};

inline std::ostream& operator<<(std::ostream& out, const Operation& op) {
    constexpr std::array names{
        "get",        "get with", "find",           "drop",        "enter",     "answer",
        "call",       "command",  "resize",         "reconfigure", "acquire",   "release",
        "listen to",  "listen",   "stop listening", "remove",      "configure", "configure_prefix",
        "evict_idle", "advance",  "for_each"};
    out << names.at(static_cast<std::size_t>(op.kind));
    const auto is_one_of = [&](auto... kinds) { return ((op.kind == kinds) || ...); };
    if (is_one_of(Kind::drop, Kind::enter, Kind::answer)) out << " hand " << op.which;
    if (is_one_of(Kind::release, Kind::stop_listening)) out << ' ' << op.which;
    if (is_one_of(Kind::evict_idle, Kind::advance)) out << ' ' << op.time;
    if (is_one_of(Kind::get, Kind::get_with, Kind::find, Kind::call, Kind::command, Kind::resize,
                  Kind::reconfigure, Kind::acquire, Kind::listen, Kind::remove, Kind::configure,
                  Kind::configure_prefix))
        out << " \"" << op.name << '"';
    if (is_one_of(Kind::get_with, Kind::reconfigure, Kind::configure, Kind::configure_prefix)) {
        if (op.options < several) out << ": options " << op.options;
        if (op.options == bad) out << ": bad options";
        if (op.options == throws) out << ": a function that throws";
        if (op.options == asks_for_itself) out << ": a function that asks for this name";
    }
    if (op.kind == Kind::command) out << ": " << to_string(op.command);
    if (op.kind == Kind::resize) out << ": " << op.limit;
    if (is_one_of(Kind::answer, Kind::call))
        out << (op.slow ? ": slow " : ": ") << to_string(op.outcome);
    if (is_one_of(Kind::get, Kind::get_with, Kind::find) && op.keeps) out << ", keep it";
    return out << '\n';
}

/// Names that begin with each other, for they are prefixes, too.
template <class Dice>
std::string some_name(Dice& dice) {
    std::string name;
    for (std::uint32_t length = dice.below(4); length != 0; --length)
        name += dice.below(3) == 0 ? 'b' : 'a';
    return name;
}

template <class Dice>
Operation some_operation(Dice& dice) {
    Operation op{};
    const auto kind = dice.below(100);
    op.kind = kind < 18   ? Kind::get
              : kind < 25 ? Kind::get_with
              : kind < 29 ? Kind::find
              : kind < 35 ? Kind::drop
              : kind < 39 ? Kind::enter
              : kind < 43 ? Kind::answer
              : kind < 52 ? Kind::call
              : kind < 57 ? Kind::command
              : kind < 59 ? Kind::resize
              : kind < 61 ? Kind::reconfigure
              : kind < 63 ? Kind::acquire
              : kind < 65 ? Kind::release
              : kind < 67 ? Kind::listen
              : kind < 68 ? Kind::listen_to_all
              : kind < 70 ? Kind::stop_listening
              : kind < 73 ? Kind::remove
              : kind < 77 ? Kind::configure
              : kind < 80 ? Kind::configure_prefix
              : kind < 88 ? Kind::evict_idle
              : kind < 98 ? Kind::advance
                          : Kind::for_each;
    op.name = some_name(dice);
    op.options = dice.below(several);
    if (dice.below(8) == 0) op.options = bad;
    if (op.kind == Kind::get_with && dice.below(5) == 0)
        op.options = dice.below(2) == 0 ? throws : asks_for_itself;
    op.which = dice.below(16);
    op.limit = dice.template pick<std::uint32_t>({0, 1, 2, 10});
    op.outcome = static_cast<Outcome>(dice.below(3));
    op.slow = dice.below(8) == 0;
    op.keeps = dice.below(3) == 0;
    op.command =
        dice.template pick<Reason>({Reason::trip, Reason::reset, Reason::reset, Reason::disable,
                                    Reason::force_open, Reason::metrics_only});
    op.time = op.kind == Kind::evict_idle
                  ? dice.template pick<Time>({0, 0, 1, 10, 10, 20, last, -1})
                  : dice.template pick<Time>({1, 4, 5, 9, 10, 10, 11, 20, 1'000, -1, -10});
    return op;
}

template <class P>
struct Rules {
    std::vector<Equipment<P>> equipment; // the first of them the defaults
    std::size_t max_targets;
    std::optional<Time> evict_after;
    Time start;
};

/// `some_policy(dice)` makes a policy.
template <class Dice, class F>
auto some_rules(Dice& dice, F some_policy) {
    using P = decltype(some_policy(dice));
    Rules<P> rules{};
    const std::uint32_t first_limit = dice.below(several);
    for (std::uint32_t i = 0; i != several; ++i) {
        const std::uint32_t limit = 1 + (first_limit + i) % several; // each another, to tell them apart
        Equipment<P> equipment{some_policy(dice), machine_game::some_setting(dice), limit};
        if (i == 0) equipment.setting.initial_state = State::closed;
        rules.equipment.push_back(equipment);
    }
    rules.max_targets = 1 + dice.below(dice.below(3) == 0 ? 16 : 6); // in 16 it finds one that is idle
    if (dice.below(3) != 0) rules.evict_after = dice.template pick<Time>({1, 10, 20, last});
    rules.start = dice.template pick<Time>({0, 0, -15, first, last - 100});
    return rules;
}

} // namespace model::registry_game

#endif
