// SPDX-License-Identifier: MIT
#ifndef DASHPOT_TESTS_GUARD_BREAKER_GAME_HPP
#define DASHPOT_TESTS_GUARD_BREAKER_GAME_HPP

#include "property.hpp"

#include <dashpot/guard/circuit_breaker.hpp>
#include <dashpot/policy/consecutive_failures.hpp>
#include <dashpot/policy/count_window.hpp>
#include <dashpot/policy/time_window.hpp>
#include <dashpot/testing/manual_clock.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <ostream>
#include <utility>
#include <vector>

/// Strings of operations, played to the breaker that threads share and to the machine within it, which
/// is told everything. What is played the dice say.
namespace model::breaker_game {

using namespace std::chrono_literals;
using dashpot::BreakerOptions;
using dashpot::ConsecutiveFailures;
using dashpot::CountWindow;
using dashpot::Instant;
using dashpot::Outcome;
using dashpot::Reason;
using dashpot::State;
using dashpot::TimeWindow;
using dashpot::testing::ManualClock;

template <class Dice>
ConsecutiveFailures some(Dice& dice, ConsecutiveFailures) {
    return {1 + dice.below(3)};
}

template <class Dice>
std::optional<dashpot::SlowCalls> some_slow_calls(Dice& dice) {
    if (dice.below(3) != 0) return std::nullopt;
    return dashpot::SlowCalls{.longer_than = std::chrono::nanoseconds{dice.below(10)},
                              .rate = dice.below(2) == 0 ? 0.5 : 0.1};
}

template <class Dice>
CountWindow some(Dice& dice, CountWindow policy) {
    policy.size = 1 + dice.below(40);
    policy.minimum_calls = 1 + dice.below(policy.size);
    policy.failure_rate = dice.below(2) == 0 ? 0.5 : 0.1;
    policy.slow_calls = some_slow_calls(dice);
    return policy;
}

template <class Dice>
TimeWindow some(Dice& dice, TimeWindow policy) {
    policy.buckets = 1 + dice.below(3);
    policy.length = std::chrono::nanoseconds{dice.below(4) == 0 ? 7 : 5} * policy.buckets;
    policy.minimum_calls = 1 + dice.below(6);
    policy.failure_rate = dice.below(2) == 0 ? 0.5 : 0.1;
    policy.slow_calls = some_slow_calls(dice);
    return policy;
}

template <class Dice>
BreakerOptions some_options(Dice& dice) {
    BreakerOptions options{.reset_timeout = std::chrono::nanoseconds{dice.below(3) == 0 ? 17 : 10}};
    options.half_open.probes = 1 + dice.below(3);
    options.half_open.successes_to_close = 1 + dice.below(options.half_open.probes);
    if (dice.below(2) == 0) options.half_open.probe_timeout = 4ns;
    options.count_totals = dice.below(4) == 0;
    return options;
}

enum class Kind : std::uint8_t {
    allow,
    try_acquire,
    answer,
    record,
    command,
    reconfigure,
    advance,
    look
};

template <class P>
struct Operation {
    Kind kind = Kind::look;
    Outcome outcome = Outcome::ignored;
    std::optional<std::chrono::nanoseconds> length{}; // that an answer tells of its call
    std::uint32_t permit = 0;                         // of those that are held
    std::uint32_t times = 1;
    Reason command = Reason::reset;
    std::optional<P> policy{};
    std::optional<BreakerOptions> options{};
    std::chrono::nanoseconds by{0};

    friend std::ostream& operator<<(std::ostream& out, const Operation& op) {
        switch (op.kind) {
        case Kind::allow: return out << "allow\n";
        case Kind::try_acquire: return out << "try_acquire\n";
        case Kind::answer: out << "permit " << op.permit << ": "; break;
        case Kind::record: out << "record " << op.times << " times "; break;
        case Kind::command: return out << to_string(op.command) << '\n';
        case Kind::reconfigure:
            out << "reconfigure";
            if (op.policy) out << ' ' << *op.policy;
            if (op.options) out << ' ' << *op.options;
            return out << '\n';
        case Kind::advance: return out << "advance " << op.by.count() << '\n';
        case Kind::look: return out << "look\n";
        }
        out << to_string(op.outcome);
        if (op.length) out << " after " << op.length->count();
        return out << '\n';
    }
};

template <class Dice>
std::chrono::nanoseconds some_length(Dice& dice) {
    return dice.below(8) == 0 ? std::chrono::nanoseconds{dice.below(12)} : 0ns;
}

/// One operation, and now and then a look at what came of it. Not after each: who looks makes the
/// breaker tell its policy all that it put off.
template <class P, class Dice>
void add_some(Dice& dice, std::vector<Operation<P>>& operations) {
    Operation<P> op{.outcome = static_cast<Outcome>(dice.below(3))};
    switch (dice.below(13)) {
    case 0:
    case 1: op.kind = Kind::allow; break;
    case 2:
    case 3: op.kind = Kind::try_acquire; break;
    case 4:
    case 5:
    case 6:
        op.kind = Kind::answer;
        op.permit = dice.below(64);
        if (dice.below(4) == 0) op.length = some_length(dice);
        break;
    case 7:
        op.kind = Kind::record;
        if (dice.below(8) == 0) op.times = dice.below(600);
        op.length = some_length(dice);
        break;
    case 8:
        if (dice.below(3) != 0) break;
        op.kind = Kind::command;
        op.command = dice.template pick<Reason>({Reason::trip, Reason::trip, Reason::force_open,
                                                 Reason::disable, Reason::metrics_only, Reason::reset,
                                                 Reason::reset, Reason::reset, Reason::reset});
        break;
    case 9:
        if (dice.below(2) != 0) break;
        op.kind = Kind::reconfigure;
        if (dice.below(4) != 0) op.policy = some(dice, P{});
        if (dice.below(2) != 0) op.options = some_options(dice);
        break;
    default:
        op.kind = Kind::advance;
        op.by = dice.template pick<std::chrono::nanoseconds>({0ns, 1ns, 4ns, 9ns, 10ns, 11ns, -3ns});
    }
    operations.push_back(op);
    if (dice.below(3) == 0) operations.push_back({.kind = Kind::look});
}

template <class P>
void command(dashpot::CircuitBreaker<ManualClock, P>& breaker, Reason which) {
    if (which == Reason::trip) breaker.trip();
    if (which == Reason::force_open) breaker.force_open();
    if (which == Reason::disable) breaker.disable();
    if (which == Reason::metrics_only) breaker.metrics_only();
    if (which == Reason::reset) breaker.reset();
}

/// Answers that nobody's permit gives.
template <class P>
void record(dashpot::CircuitBreaker<ManualClock, P>& breaker, const Operation<P>& op) {
    const std::chrono::nanoseconds length = op.length.value_or(0ns);
    if (op.outcome == Outcome::success) breaker.record_success(length);
    if (op.outcome == Outcome::failure) breaker.record_failure(length);
    if (op.outcome == Outcome::ignored) breaker.record_ignored();
}

template <class P>
class Game {
    using Breaker = dashpot::CircuitBreaker<ManualClock, P>;
    using Machine = dashpot::detail::BreakerMachine<P>;

  public:
    Game(const P& policy, const BreakerOptions& options, Instant start)
        : policy_{policy}, options_{options}, clock_{start}, breaker_{policy, options, clock_},
          machine_{policy, options, start, 1},
          subscription_{
              breaker_.on_transition([this](const auto& event) { heard_.push_back(event); })} {}

    /// True if breaker and machine agree.
    bool play(const Operation<P>& op) {
        switch (op.kind) {
        case Kind::allow: {
            const bool allowed = admit(true);
            return breaker_.allow() == allowed;
        }
        case Kind::try_acquire: {
            const bool admitted = admit(false);
            std::optional<std::chrono::nanoseconds> left;
            if (machine_.state() == State::open) left = machine_.wait().rest(clock_.now());
            auto permit = breaker_.try_acquire();
            const bool is_same = static_cast<bool>(permit) == admitted &&
                                 permit.generation() == machine_.generation() &&
                                 (admitted || permit.refusal().retry_after == left);
            if (permit) permits_.push_back({std::move(permit), begin()});
            return is_same;
        }
        case Kind::answer: {
            if (permits_.empty()) return true;
            Held held = taken_out(permits_, op.permit);
            const auto measured =
                held.begin ? dashpot::detail::between(*held.begin, clock_.now()) : 0ns;
            const bool counted =
                answer(held.permit.generation(), op.outcome, op.length.value_or(measured));
            return (op.length ? held.permit.record(op.outcome, *op.length)
                              : held.permit.record(op.outcome)) == counted;
        }
        case Kind::record:
            for (std::uint32_t times = op.times; times != 0; --times) {
                (void)answer(Machine::any_generation, op.outcome, op.length.value_or(0ns));
                record(breaker_, op);
            }
            return true;
        case Kind::command:
            command(breaker_, op.command);
            obey(op.command);
            return true;
        case Kind::reconfigure: reconfigure(op); return true;
        case Kind::advance: clock_.advance(op.by); return true;
        case Kind::look: break;
        }
        return looks_the_same();
    }

  private:
    bool note(const typename Machine::Effect& effect) {
        if (effect.moved_by) expected_.push_back({*effect.moved_by, machine_.generation()});
        return effect.was_taken;
    }

    bool admit(bool unnamed) {
        const bool admitted = note(machine_.admit(clock_.now(), unnamed));
        refused_ += admitted ? 0U : 1U;
        return admitted;
    }

    bool answer(std::uint64_t generation, Outcome outcome, std::chrono::nanoseconds length) {
        if (outcome != Outcome::ignored) {
            return note(machine_.record(generation, {.failed = outcome == Outcome::failure,
                                                     .slow = length > machine_.slow_after(),
                                                     .at = clock_.now()}));
        }
        const bool was_taken = note(machine_.give_back(generation));
        // Without a probe to give back, a permit of this generation may be ignored all the same.
        return was_taken || generation == machine_.generation();
    }

    /// When a call begins, if calls are timed.
    std::optional<Instant> begin() const {
        if (machine_.slow_after() == dashpot::detail::never) return std::nullopt;
        return clock_.now();
    }

    void reconfigure(const Operation<P>& op) {
        policy_ = op.policy.value_or(policy_);
        options_ = op.options.value_or(options_);
        breaker_.reconfigure(policy_, options_);
        dashpot::detail::RuleInForce<P> rule{policy_};
        (void)machine_.reconfigure(rule, options_);
    }

    void obey(Reason which) {
        const Instant now = clock_.now();
        if (which == Reason::trip) {
            note(machine_.trip(now));
            return;
        }
        const State to = which == Reason::force_open     ? State::forced_open
                         : which == Reason::disable      ? State::disabled
                         : which == Reason::metrics_only ? State::metrics_only
                                                         : State::closed;
        note(machine_.command(to, which, now));
    }

    bool looks_the_same() const {
        const auto seen = breaker_.snapshot();
        const auto expected = machine_.snapshot(clock_.now());
        return breaker_.state() == expected.state && breaker_.retry_after() == expected.retry_after &&
               seen.state == expected.state && seen.generation == expected.generation &&
               seen.calls == expected.calls && seen.failures == expected.failures &&
               seen.slow == expected.slow && seen.slow_rate == expected.slow_rate &&
               seen.failure_rate == expected.failure_rate && seen.totals == expected.totals &&
               seen.would_have_opened == expected.would_have_opened &&
               seen.probes_in_flight == expected.probes_in_flight && seen.since == expected.since &&
               seen.opened_at == expected.opened_at && seen.retry_after == expected.retry_after &&
               seen.refused == refused_ &&
               std::equal(heard_.begin(), heard_.end(), expected_.begin(), expected_.end(),
                          [](const auto& event, const auto& cause) {
                              return event.reason == cause.first && event.generation == cause.second;
                          });
    }

    struct Held {
        typename Breaker::Permit permit;
        std::optional<Instant> begin;
    };

    P policy_;
    BreakerOptions options_;
    ManualClock clock_;
    Breaker breaker_;
    Machine machine_;
    std::vector<dashpot::Transition> heard_;
    dashpot::Subscription subscription_; // after what its listener writes to
    std::vector<std::pair<Reason, std::uint64_t>> expected_;
    std::vector<Held> permits_;
    std::uint64_t refused_ = 0;
};

template <class Dice>
Instant some_start(Dice& dice) {
    return dice.template pick<Instant>({Instant{}, Instant{-5ns}, Instant{1000s}, (Instant::min)()});
}

} // namespace model::breaker_game

#endif
