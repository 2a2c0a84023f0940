// SPDX-License-Identifier: MIT
#ifndef DASHPOT_TESTS_POLICY_WINDOW_GAME_HPP
#define DASHPOT_TESTS_POLICY_WINDOW_GAME_HPP

#include "policy/window_model.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <ostream>
#include <utility>
#include <vector>

/// Strings of calls, reads and times, played to a window and to its model. What is played the dice
/// say: model::Dice, or whatever else has its functions.
namespace model::window_game {

enum class Kind : std::uint8_t { record, read, clear };

struct Operation {
    Kind kind;
    bool failed, slow;
    Time time;
};

inline std::ostream& operator<<(std::ostream& out, const Operation& op) {
    if (op.kind == Kind::clear) return out << "clear\n";
    if (op.kind == Kind::read) return out << "read at " << op.time << '\n';
    return out << (op.slow ? "slow " : "") << (op.failed ? "failure" : "success") << " at " << op.time
               << '\n';
}

/// Another success would leave it as it is.
inline bool is_full_and_clean(const CountWindow& policy, const Calls& all) {
    const Calls calls = held(policy, all, 0);
    return calls.size() == policy.size &&
           std::none_of(calls.begin(), calls.end(),
                        [](const auto& call) { return call.failed || call.slow; });
}
inline bool is_full_and_clean(const TimeWindow& /*policy*/, const Calls& /*all*/) { return false; }

/// A window that is told of successes late, and together, wherever it says that this makes no
/// difference; and that is asked before each call whether it would open, if it can say.
template <class P>
class Late {
  public:
    explicit Late(const P& policy) : tally_{policy} {}

    std::optional<Reason> record(const FinishedCall& call) {
        if (!call.failed && !call.slow && !verdict_ && can_wait(call.at)) {
            ++waiting_;
            return std::nullopt;
        }
        catch_up();
        bool was_foreseen = false;
        if constexpr (requires { tally_.would_open(call); }) was_foreseen = tally_.would_open(call);
        verdict_ = tally_.record(call);
        if constexpr (requires { tally_.would_open(call); }) {
            foresees_ = foresees_ && was_foreseen == verdict_.has_value();
        }
        return verdict_;
    }
    /// Each opening was foreseen, and no other.
    bool foresees() const { return foresees_; }

    Counts counts(Instant now) {
        catch_up();
        return tally_.counts(now);
    }
    void clear() {
        waiting_ = 0;
        verdict_.reset();
        tally_.clear();
    }

  private:
    bool can_wait(Instant now) const {
        const NextSuccess next = tally_.next_success();
        if (next.kind() == NextSuccess::Kind::record) return false;
        return dashpot::detail::CountsUntil<typename P::Tally> ? now < next.end() : true;
    }
    void catch_up() {
        if (waiting_ != 0) tally_.record_successes(std::exchange(waiting_, 0));
    }

    typename P::Tally tally_;
    std::uint64_t waiting_ = 0;
    std::optional<Reason> verdict_{}; // of the last call
    bool foresees_ = true;
};

/// The number of the first operation at which the window and the model differ.
template <class P>
std::optional<std::size_t> first_difference(const P& policy, const std::vector<Operation>& operations) {
    typename P::Tally tally{policy};
    Late<P> late{policy};
    Calls all;
    for (std::size_t i = 0; i != operations.size(); ++i) {
        const Operation& op = operations[i];
        if (op.kind == Kind::clear) {
            tally.clear();
            late.clear();
            all.clear();
        } else if (op.kind == Kind::record) {
            all.push_back({op.failed, op.slow, at(op.time)});
            const std::optional<Reason> expected = verdict(policy, counted(policy, all, op.time));
            if (tally.record(all.back()) != expected || late.record(all.back()) != expected) return i;
        } else if (late.counts(at(op.time)) != counted(policy, all, op.time)) {
            return i;
        }
        if (tally.counts(at(op.time)) != counted(policy, all, op.time)) return i;
        if (!late.foresees()) return i;
        if ((tally.next_success() == NextSuccess::skip()) != is_full_and_clean(policy, all)) return i;
    }
    return std::nullopt;
}

/// Moves in both directions, mostly by little, to edges of buckets, and now and then anywhere.
template <class Dice>
Time moved(Dice& dice, Time now, Time bucket, Time length) {
    switch (dice.below(12)) {
    case 0: return plus(now, -dice.up_to(bucket));
    case 1: return plus(now, -dice.up_to(length));
    case 2:
    case 3: return plus(now, dice.up_to(length / 2));
    case 4: return plus(now, plus(length, dice.template pick<Time>({-bucket, -1, 0, 1, bucket})));
    case 5:
    case 6: return plus(now - now % bucket, dice.template pick<Time>({-1, 0, 1, bucket - 1, bucket}));
    case 7:
        if (dice.below(4) != 0) return now;
        return dice.template pick<Time>({first, first + 1, -length, -1, 0, 1, length, last - 1, last,
                                         static_cast<Time>(dice.next())});
    case 8:
    case 9: return plus(now, dice.up_to(bucket));
    default: return now;
    }
}

template <class Dice>
std::vector<Operation> some_operations(Dice& dice, Time bucket, Time length) {
    std::vector<Operation> operations(1 + dice.below(dice.below(8) == 0 ? 120 : 40));
    Time now = dice.template pick<Time>(
        {0, 0, -3 * bucket, 1'000'000'007, first, static_cast<Time>(dice.next())});
    const std::uint32_t failing = dice.below(11), slow = dice.below(11); // of ten
    for (Operation& op : operations) {
        now = moved(dice, now, bucket, length);
        const std::uint32_t kind = dice.below(20);
        op.kind = kind == 0 ? Kind::clear : kind < 6 ? Kind::read : Kind::record;
        op.failed = dice.below(10) < failing;
        op.slow = dice.below(10) < slow;
        op.time = now;
        if (op.kind == Kind::read && dice.below(3) == 0) { // without moving the time of what follows
            op.time = dice.template pick<Time>(
                {first, last, plus(now, length), plus(now, -length), plus(now, bucket)});
        }
    }
    return operations;
}

template <class Dice>
CountWindow some_count_window(Dice& dice) {
    CountWindow policy;
    policy.size = dice.below(8) == 0 ? 25 + dice.below(45) : 1 + dice.below(9); // around a word or two
    policy.minimum_calls = 1 + dice.below(policy.size);
    return with_some_rates(dice, policy);
}

template <class Dice>
TimeWindow some_time_window(Dice& dice) {
    TimeWindow policy;
    policy.buckets = 1 + dice.below(9);
    const Time bucket = dice.template pick<Time>({1, 2, 3, 10, 1'000'000'000, Time{1} << 40, last / 9});
    policy.length = std::chrono::nanoseconds{bucket * policy.buckets};
    policy.minimum_calls = 1 + dice.below(8);
    return with_some_rates(dice, policy);
}

template <class Dice>
std::vector<Operation> some_operations(Dice& dice, const CountWindow& /*policy*/) {
    return some_operations(dice, 10, 40);
}

template <class Dice>
std::vector<Operation> some_operations(Dice& dice, const TimeWindow& policy) {
    const Time length = policy.length.count();
    return some_operations(dice, length / policy.buckets, length);
}

} // namespace model::window_game

#endif
