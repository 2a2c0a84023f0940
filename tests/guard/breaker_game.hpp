// SPDX-License-Identifier: MIT
#ifndef DASHPOT_TESTS_GUARD_BREAKER_GAME_HPP
#define DASHPOT_TESTS_GUARD_BREAKER_GAME_HPP

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
#include <sstream>
#include <string>
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

    /// One random step; false if breaker and machine differ after it.
    template <class Dice>
    bool step(Dice& dice) {
        const auto outcome = static_cast<Outcome>(dice.below(3));
        bool is_same = true;
        switch (dice.below(13)) {
        case 0:
        case 1: {
            const bool allowed = admit(true);
            trace_ << "allow\n";
            is_same = breaker_.allow() == allowed;
            break;
        }
        case 2:
        case 3: {
            trace_ << "try_acquire\n";
            const bool admitted = admit(false);
            const auto left =
                machine_.state() == State::open ? machine_.wait().rest(clock_.now()) : 0ns;
            auto permit = breaker_.try_acquire();
            is_same = static_cast<bool>(permit) == admitted &&
                      permit.generation() == machine_.generation() &&
                      (admitted || permit.refusal().retry_after == left);
            if (permit) permits_.push_back({std::move(permit), begin()});
            break;
        }
        case 4:
        case 5:
        case 6:
            if (!permits_.empty()) {
                const auto chosen =
                    permits_.begin() + static_cast<std::ptrdiff_t>(
                                           dice.below(static_cast<std::uint32_t>(permits_.size())));
                Held held = std::move(*chosen);
                permits_.erase(chosen);
                const bool is_told = dice.below(4) == 0;
                const auto length = is_told      ? some_length(dice)
                                    : held.begin ? dashpot::detail::between(*held.begin, clock_.now())
                                                 : 0ns;
                trace_ << to_string(outcome) << " after " << length.count() << " in generation "
                       << held.permit.generation() << '\n';
                const bool counted = answer(held.permit.generation(), outcome, length);
                is_same = (is_told ? held.permit.record(outcome, length)
                                   : held.permit.record(outcome)) == counted;
            }
            break;
        case 7:
            for (std::uint32_t times = dice.below(8) == 0 ? dice.below(600) : 1; times != 0; --times) {
                const auto length = some_length(dice);
                trace_ << "record " << to_string(outcome) << " after " << length.count() << '\n';
                (void)answer(Machine::any_generation, outcome, length);
                if (outcome == Outcome::success) breaker_.record_success(length);
                if (outcome == Outcome::failure) breaker_.record_failure(length);
                if (outcome == Outcome::ignored) breaker_.record_ignored();
            }
            break;
        case 8:
            if (dice.below(3) == 0) command(dice.below(9));
            break;
        case 9:
            if (dice.below(2) == 0) reconfigure(dice);
            break;
        default: {
            const auto by =
                dice.template pick<std::chrono::nanoseconds>({0ns, 1ns, 4ns, 9ns, 10ns, 11ns, -3ns});
            trace_ << "advance " << by.count() << '\n';
            clock_.advance(by);
        }
        }
        // Not after each step: who looks makes the breaker tell its policy all that it put off.
        return is_same && (dice.below(3) != 0 || looks_the_same());
    }

    std::string trace() const { return trace_.str(); }

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

    template <class Dice>
    static std::chrono::nanoseconds some_length(Dice& dice) {
        return dice.below(8) == 0 ? std::chrono::nanoseconds{dice.below(12)} : 0ns;
    }

    template <class Dice>
    void reconfigure(Dice& dice) {
        if (dice.below(4) != 0) policy_ = some(dice, P{});
        if (dice.below(2) != 0) options_ = some_options(dice);
        trace_ << "reconfigure\n";
        breaker_.reconfigure(policy_, options_);
        P policy = policy_;
        typename P::Tally tally{std::as_const(policy)};
        (void)machine_.reconfigure(policy, tally, options_);
    }

    void command(std::uint32_t which) {
        const Instant now = clock_.now();
        trace_ << "command " << which << '\n';
        switch (which) {
        case 0:
        case 1:
            breaker_.trip();
            note(machine_.trip(now));
            break;
        case 2:
            breaker_.force_open();
            note(machine_.command(State::forced_open, Reason::force_open, now));
            break;
        case 3:
            breaker_.disable();
            note(machine_.command(State::disabled, Reason::disable, now));
            break;
        case 4:
            breaker_.metrics_only();
            note(machine_.command(State::metrics_only, Reason::metrics_only, now));
            break;
        default: breaker_.reset(); note(machine_.command(State::closed, Reason::reset, now));
        }
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
    std::ostringstream trace_;
};

template <class Dice>
Instant some_start(Dice& dice) {
    return dice.template pick<Instant>({Instant{}, Instant{-5ns}, Instant{1000s}, (Instant::min)()});
}

} // namespace model::breaker_game

#endif
