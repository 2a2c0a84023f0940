// SPDX-License-Identifier: MIT
#ifndef DASHPOT_TESTS_GUARD_THROTTLE_GAME_HPP
#define DASHPOT_TESTS_GUARD_THROTTLE_GAME_HPP

#include <dashpot/guard/throttler.hpp>
#include <dashpot/testing/manual_clock.hpp>

#include "property.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <ostream>
#include <utility>
#include <vector>

/// Strings of operations, played to a throttler and to a list of calls.
namespace model::throttle_game {

using namespace std::chrono_literals;
using dashpot::Outcome;
using dashpot::Throttle;
using dashpot::testing::ManualClock;
using Throttler = dashpot::Throttler<ManualClock>;

struct Operation {
    enum class Kind : std::uint8_t { acquire, answer, advance } kind;
    Outcome outcome = Outcome::success;
    std::uint32_t permit = 0;
    std::int64_t step = 0;
};

inline std::ostream& operator<<(std::ostream& out, const Operation& op) {
    switch (op.kind) {
    case Operation::Kind::acquire: return out << "try_acquire\n";
    case Operation::Kind::answer: return out << "permit " << op.permit << ": " << op.outcome << '\n';
    case Operation::Kind::advance: break;
    }
    return out << "advance " << op.step << " ns\n";
}

/// Every call with its time; probabilities as doubles.
class Game {
  public:
    explicit Game(const Throttle& options)
        : options_{options}, throttler_{options, clock_},
          bucket_{options.length.count() / options.buckets} {}

    bool play(const Operation& op) {
        if (op.kind == Operation::Kind::advance) {
            clock_.advance(std::chrono::nanoseconds{op.step});
        } else if (op.kind == Operation::Kind::acquire) {
            carried_ += probability();
            auto permit = throttler_.try_acquire();
            // A sum of doubles may be off by a little where it reaches 1.
            if (permit ? carried_ > 1 + 1e-9 : carried_ < 1 - 1e-9) return false;
            if (permit) {
                permits_.push_back(std::move(permit));
            } else {
                carried_ -= 1;
                calls_.push_back({bucket(), false});
            }
        } else if (!permits_.empty()) {
            auto permit = taken_out(permits_, op.permit);
            permit.record(op.outcome);
            if (op.outcome != Outcome::ignored)
                calls_.push_back({bucket(), op.outcome == Outcome::success});
        }
        const double expected = probability();
        return std::abs(throttler_.refuse_probability() - expected) < 1e-9;
    }

  private:
    struct Call {
        std::int64_t bucket;
        bool is_accepted;
    };

    std::int64_t bucket() const { return clock_.now().time_since_epoch().count() / bucket_; }

    double probability() const {
        double requests = 0;
        double accepts = 0;
        for (const Call& call : calls_) {
            if (bucket() - call.bucket >= options_.buckets) continue;
            ++requests;
            accepts += call.is_accepted ? 1 : 0;
        }
        if (requests < options_.minimum_calls) return 0;
        const double share = (requests - options_.accepts_factor * accepts) / (requests + 1);
        return std::clamp(share, 0.0, options_.max_refused);
    }

    Throttle options_;
    ManualClock clock_;
    Throttler throttler_;
    std::int64_t bucket_;
    std::vector<Call> calls_;
    std::vector<Throttler::Permit> permits_;
    double carried_ = 0;
};

template <class Dice>
Throttle some_options(Dice& dice) {
    return {.accepts_factor = dice.pick({1.0, 1.5, 2.0, 3.7}),
            .length = 12s,
            .buckets = dice.template pick<std::uint32_t>({1, 3, 12}),
            .minimum_calls = dice.template pick<std::uint32_t>({1, 3, 10}),
            .max_refused = dice.pick({0.3, 0.9, 1.0})};
}

/// Adds an operation. `usual` is the outcome of most calls.
template <class Dice>
void add_some(Dice& dice, Outcome usual, std::vector<Operation>& operations) {
    using enum Operation::Kind;
    operations.push_back(
        {dice.pick({acquire, acquire, acquire, answer, answer, answer, answer, advance}),
         dice.pick({Outcome::success, Outcome::failure, Outcome::ignored, usual, usual}), dice.below(8),
         dice.template pick<std::int64_t>({0, 1, 999'999'999, 1'000'000'000, 4'000'000'000,
                                           dice.below(50) == 0 ? 13'000'000'000 : 7})});
}

} // namespace model::throttle_game

#endif
