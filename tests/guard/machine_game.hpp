// SPDX-License-Identifier: MIT
#ifndef DASHPOT_TESTS_GUARD_MACHINE_GAME_HPP
#define DASHPOT_TESTS_GUARD_MACHINE_GAME_HPP

#include "guard/breaker_model.hpp"

#include <dashpot/guard/detail/breaker_machine.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <ostream>
#include <type_traits>
#include <utility>
#include <vector>

/// Strings of questions, answers, commands and times, played to the rules of a breaker and to the model
/// that follows the contract word by word. What is played the dice say.
namespace model::machine_game {

using dashpot::BreakerOptions;
using dashpot::ExponentialBackoff;
using dashpot::detail::BreakerMachine;

enum class Kind : std::uint8_t {
    admit,
    allow,
    answer,
    record,
    ignore,
    record_ignored,
    command,
    read,
    reconfigure
};

struct Operation {
    Kind kind;
    Time time;
    std::uint32_t permit; // of those that are out
    bool failed, slow;
    Reason command;
    std::uint64_t change; // from which the new policy and setting come
};

inline std::ostream& operator<<(std::ostream& out, const Operation& op) {
    constexpr std::array names{"admit",          "allow",   "answer", "record",     "ignore",
                               "record_ignored", "command", "read",   "reconfigure"};
    out << "at " << op.time << ' ' << names.at(static_cast<std::size_t>(op.kind));
    if (op.kind == Kind::command) out << ' ' << to_string(op.command);
    if (op.kind == Kind::reconfigure) out << ' ' << op.change;
    if (op.kind == Kind::answer || op.kind == Kind::ignore) out << " permit " << op.permit;
    if (op.kind == Kind::answer || op.kind == Kind::record) {
        out << (op.slow ? " slow" : "") << (op.failed ? " failure" : " success");
    }
    return out << '\n';
}

inline BreakerOptions options_of(const Setting& setting) {
    BreakerOptions options{
        .reset_timeout = ExponentialBackoff{.initial = std::chrono::nanoseconds{setting.wait},
                                            .factor = double(setting.factor),
                                            .cap = std::chrono::nanoseconds{setting.cap},
                                            .seed = 1},
        .half_open = {.probes = setting.probes, .successes_to_close = setting.needed}};
    options.initial_state = setting.initial_state;
    if (setting.lease != 0) options.half_open.probe_timeout = std::chrono::nanoseconds{setting.lease};
    return options;
}

template <class P>
BreakerMachine<P> machine_of(const P& policy, const Setting& setting, Time now) {
    const BreakerOptions options = options_of(setting);
    policy.validate();
    options.validate();
    return {policy, options, at(now), 1};
}

/// A machine that is told everything, or only what the promises of its policy require.
template <class P>
struct Told {
    using Machine = BreakerMachine<P>;
    using Effect = typename Machine::Effect;

    Machine machine;
    bool everything;

    Effect record(std::optional<std::uint64_t> generation, const FinishedCall& call) {
        const std::uint64_t whose = generation.value_or(Machine::any_generation);
        if (everything) return machine.record(whose, call);
        const bool is_current = !generation || whose == machine.generation();
        if (!call.failed && !call.slow && is_current &&
            machine.next_success() == dashpot::NextSuccess::skip()) {
            return {true};
        }
        if (!Machine::foresees_opening || machine.state() == State::half_open) {
            return machine.record(whose, call);
        }
        constexpr std::chrono::nanoseconds longest = (std::chrono::nanoseconds::max)();
        const dashpot::detail::CallReport report{
            .failed = call.failed, .timing = {call.slow ? longest : std::chrono::nanoseconds{0}}};
        if (machine.needs_end(report)) return machine.record(whose, call);
        FinishedCall untimed = call;
        untimed.at = {};
        return machine.record(whose, untimed);
    }

    Effect obey(Reason command, Instant now) {
        if (command == Reason::trip) return machine.trip(now);
        if (command == Reason::reset) return machine.command(State::closed, command, now);
        const State to = command == Reason::disable        ? State::disabled
                         : command == Reason::metrics_only ? State::metrics_only
                                                           : State::forced_open;
        return machine.command(to, command, now);
    }
};

template <class Dice>
Setting some_setting(Dice& dice) {
    Setting setting;
    setting.wait = dice.template pick<Time>({1, 10, 10, 1000, last});
    setting.factor = setting.wait == last ? 1 : dice.template pick<Time>({1, 2, 3});
    setting.cap =
        setting.factor == 1 ? setting.wait : setting.wait * dice.template pick<Time>({1, 3, 10});
    setting.lease = dice.template pick<Time>({0, 0, 1, 5, 25, last});
    setting.probes = 1 + dice.below(4);
    setting.needed = 1 + dice.below(setting.probes);
    if (dice.below(8) == 0) {
        setting.initial_state =
            dice.template pick<State>({State::disabled, State::forced_open, State::metrics_only});
    }
    return setting;
}

template <class Dice>
ConsecutiveFailures some_run(Dice& dice) {
    return {.threshold = 1 + dice.below(4)};
}

template <class Dice>
CountWindow some_count_window(Dice& dice) {
    CountWindow policy{.size = 1 + dice.below(6)};
    policy.minimum_calls = 1 + dice.below(policy.size);
    return with_some_rates(dice, policy);
}

template <class Dice>
TimeWindow some_time_window(Dice& dice) {
    TimeWindow policy{.buckets = 1 + dice.below(4), .minimum_calls = 1 + dice.below(4)};
    policy.length =
        std::chrono::nanoseconds{policy.buckets * dice.template pick<Time>({1, 4, 10, 1'000'000})};
    return with_some_rates(dice, policy);
}

inline ConsecutiveFailures some_like(Dice& dice, const ConsecutiveFailures& /*before*/) {
    return some_run(dice);
}

inline CountWindow some_like(Dice& dice, const CountWindow& before) {
    CountWindow policy = some_count_window(dice);
    if (dice.below(3) != 0) return policy;
    policy.size = before.size;
    policy.minimum_calls = 1 + dice.below(policy.size);
    return policy;
}

/// Often of as long buckets.
inline TimeWindow some_like(Dice& dice, const TimeWindow& before) {
    TimeWindow policy = some_time_window(dice);
    if (dice.below(4) != 0) policy.length = before.length / before.buckets * policy.buckets;
    return policy;
}

/// Plays the operations to a machine and to the model.
template <class P>
class Game {
  public:
    Game(const P& policy, const Setting& setting, Time start, bool everything)
        : policy_{policy}, setting_{setting}, told_{machine_of(policy, setting, start), everything},
          model_{policy, setting, start} {}

    /// True if machine and model agree.
    bool play(const Operation& op) {
        std::optional<std::uint64_t> generation; // of the permit that answers
        if (op.kind == Kind::answer || op.kind == Kind::ignore) {
            if (permits_.empty()) return true;
            const auto chosen =
                permits_.begin() + static_cast<std::ptrdiff_t>(op.permit % permits_.size());
            generation = *chosen;
            permits_.erase(chosen);
        }
        return is_same(op, generation) && told_.machine.state() == shown(op).state &&
               model_.shows(shown(op), op.time) && refuses(op.time) == model_.refuses(op.time);
    }

  private:
    using Effect = typename Told<P>::Effect;

    bool is_same(const Operation& op, std::optional<std::uint64_t> generation) {
        const Instant now = at(op.time);
        const FinishedCall call{op.failed, op.slow && !std::is_same_v<P, ConsecutiveFailures>, now};
        switch (op.kind) {
        case Kind::admit:
        case Kind::allow: {
            const bool named = op.kind == Kind::admit;
            const Effect effect = told_.machine.admit(now, !named);
            if (effect.was_taken && named) permits_.push_back(told_.machine.generation());
            return is_same(effect, model_.admit(named, op.time));
        }
        case Kind::answer:
        case Kind::record:
            return is_same(told_.record(generation, call), model_.record(generation, call, op.time));
        case Kind::ignore:
        case Kind::record_ignored: {
            const Effect effect =
                told_.machine.give_back(generation.value_or(BreakerMachine<P>::any_generation));
            return is_same(effect, {model_.give_back(generation)});
        }
        case Kind::command:
            return told_.obey(op.command, now).moved_by == model_.obey(op.command, op.time);
        case Kind::reconfigure: reconfigure(op.change); break;
        case Kind::read: break;
        }
        return true;
    }

    void reconfigure(std::uint64_t change) {
        Dice dice{change};
        P policy = dice.below(4) == 0 ? policy_ : some_like(dice, policy_);
        const Setting setting = dice.below(3) == 0 ? setting_ : some_setting(dice);
        policy_ = policy;
        setting_ = setting;
        model_.reconfigure(policy, setting);
        dashpot::detail::RuleInForce<P> rule{policy};
        (void)told_.machine.reconfigure(rule, options_of(setting));
    }

    static bool is_same(const Effect& effect, const Answer& answer) {
        return effect.was_taken == answer.counted && effect.moved_by == answer.moved_by;
    }

    [[nodiscard]] Snapshot shown(const Operation& op) const {
        return told_.machine.snapshot(at(op.time));
    }

    [[nodiscard]] bool refuses(Time now) const {
        return told_.machine.state() == State::forced_open || told_.machine.wait().is_on(at(now));
    }

    P policy_;
    Setting setting_;
    Told<P> told_;
    Breaker<P> model_;
    std::vector<std::uint64_t> permits_; // that are out, by their generation
};

/// The number of the first operation at which a machine and the model differ.
template <class P>
std::optional<std::size_t> first_difference(const P& policy, const Setting& setting,
                                            const std::vector<Operation>& operations) {
    if (operations.empty()) return std::nullopt;
    Game<P> full{policy, setting, operations.front().time, true};
    Game<P> sparing{policy, setting, operations.front().time, false};
    for (std::size_t i = 0; i != operations.size(); ++i) {
        if (!full.play(operations[i]) || !sparing.play(operations[i])) return i;
    }
    return std::nullopt;
}

template <class Dice>
std::vector<Operation> some_operations(Dice& dice, const Setting& setting) {
    std::vector<Operation> operations(1 + dice.below(40));
    Time now = dice.template pick<Time>(
        {0, 0, -30, 1'000'000'007, first, last - 30, static_cast<Time>(dice.next())});
    const std::uint32_t failing = dice.below(11), slow = dice.below(6); // of ten
    const bool is_commanded = dice.below(2) == 0;
    for (Operation& op : operations) {
        const std::uint32_t step = dice.below(40);
        if (step < 8) now = plus(now, dice.template pick<Time>({1, 2, 4, 5, 10}));
        if (step >= 8 && step < 18)
            now = plus(now, plus(setting.wait, dice.template pick<Time>({-1, 0, 0, 1})));
        if (step >= 18 && step < 20)
            now = plus(now, plus(setting.cap, dice.template pick<Time>({-1, 0})));
        if (step >= 20 && step < 22)
            now = plus(now, plus(setting.lease, dice.template pick<Time>({-1, 0})));
        if (step == 22) now = plus(now, -dice.template pick<Time>({1, 5, 20, 1000}));
        if (step == 23 && dice.below(5) == 0)
            now = dice.template pick<Time>({first, 0, last, static_cast<Time>(dice.next())});

        const std::uint32_t kind = dice.below(is_commanded ? 43 : 36);
        op.kind = kind < 12   ? Kind::admit
                  : kind < 16 ? Kind::allow
                  : kind < 25 ? Kind::answer
                  : kind < 31 ? Kind::record
                  : kind < 33 ? Kind::ignore
                  : kind < 34 ? Kind::record_ignored
                  : kind < 36 ? Kind::read
                  : kind < 40 ? Kind::command
                              : Kind::reconfigure;
        op.time = now;
        op.permit = dice.below(3) == 0 ? dice.below(100) : 0;
        op.failed = dice.below(10) < failing;
        op.slow = dice.below(10) < slow;
        op.command =
            dice.template pick<Reason>({Reason::trip, Reason::reset, Reason::reset, Reason::disable,
                                        Reason::force_open, Reason::metrics_only});
        op.change = op.kind == Kind::reconfigure ? dice.next() : 0;
    }
    return operations;
}

} // namespace model::machine_game

#endif
