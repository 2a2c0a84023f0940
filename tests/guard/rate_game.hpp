// SPDX-License-Identifier: MIT
#ifndef DASHPOT_TESTS_GUARD_RATE_GAME_HPP
#define DASHPOT_TESTS_GUARD_RATE_GAME_HPP

#ifdef __SIZEOF_INT128__

#include <dashpot/guard/rate_limiter.hpp>
#include <dashpot/testing/manual_clock.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <ostream>
#include <utility>
#include <vector>

/// Strings of operations, played to a rate limiter and to a count of tokens in 128 bits.
namespace model::rate_game {

using dashpot::Deadline;
using dashpot::Error;
using dashpot::Instant;
using dashpot::RateLimit;
using dashpot::testing::ManualClock;
using Limiter = dashpot::RateLimiter<ManualClock>;

__extension__ using Number = __int128;

constexpr Number longest = std::numeric_limits<std::int64_t>::max();
constexpr Number never = longest;

enum class Kind : std::uint8_t { advance, take, reserve, acquire, cancel, reconfigure, look };

struct Operation {
    Kind kind = Kind::look;
    std::int64_t time = 0; // a step, or the longest wait
    std::uint32_t permits = 1;
    RateLimit limit{};
};

inline std::ostream& operator<<(std::ostream& out, const Operation& op) {
    switch (op.kind) {
    case Kind::advance: return out << "advance " << op.time << " ns\n";
    case Kind::take: return out << "take " << op.permits << '\n';
    case Kind::reserve: return out << "reserve " << op.permits << " within " << op.time << " ns\n";
    case Kind::acquire: return out << "acquire " << op.permits << " within " << op.time << " ns\n";
    case Kind::cancel: return out << "cancel reservation " << op.permits << '\n';
    case Kind::reconfigure: return out << "reconfigure to " << op.limit << '\n';
    case Kind::look: break;
    }
    return out << "look\n";
}

/// Tokens that are counted up as time passes, each as so many units.
class Model {
  public:
    Model(const RateLimit& limit, std::int64_t now) : now_{now} {
        set(limit);
        tokens_ = burst_ * unit_;
    }

    void move_to(std::int64_t now) {
        if (now <= now_) return;
        tokens_ = std::min(burst_ * unit_, tokens_ + (Number{now} - now_) * earned_);
        now_ = now;
    }

    Number wait(std::int64_t clock, std::uint32_t permits) const {
        if (permits == 0) return 0;
        if (permits > burst_) return never;
        const Number missing = permits * unit_ - tokens_;
        if (missing <= 0) return 0;
        return std::min(never, (missing + earned_ - 1) / earned_ + (Number{now_} - clock));
    }

    void take(std::uint32_t permits) { tokens_ -= permits * unit_; }
    void give_back(std::uint32_t permits) {
        tokens_ = std::min(burst_ * unit_, tokens_ + permits * unit_);
    }
    std::uint32_t available() const {
        return tokens_ > 0 ? static_cast<std::uint32_t>(tokens_ / unit_) : 0;
    }
    std::int64_t now() const { return now_; }

    void reconfigure(const RateLimit& limit) {
        const Number before = unit_;
        set(limit);
        const Number product = tokens_ * unit_;
        const Number floor = product / before - (product % before < 0 ? 1 : 0);
        tokens_ = std::min(burst_ * unit_, floor);
    }

  private:
    void set(const RateLimit& limit) {
        const auto common = std::gcd(std::int64_t{limit.permits}, limit.per.count());
        earned_ = limit.permits / common;
        unit_ = limit.per.count() / common;
        burst_ = limit.burst.value_or(limit.permits);
    }

    std::int64_t now_;
    Number tokens_ = 0;
    Number earned_ = 1; // in a nanosecond
    Number unit_ = 1;   // the price of a permit
    Number burst_ = 1;
};

class Game {
  public:
    Game(const RateLimit& limit, Instant start)
        : clock_{start}, limiter_{limit, clock_}, model_{limit, start.time_since_epoch().count()} {}

    bool play(const Operation& op) {
        if (op.kind == Kind::advance) {
            clock_.advance(std::chrono::nanoseconds{op.time});
            return true;
        }
        const std::int64_t clock = clock_.now().time_since_epoch().count();
        model_.move_to(clock);
        if (op.permits == 0 || op.kind == Kind::cancel)
            (void)limiter_.available(); // then the limiter has seen this time, too
        const Number wait = model_.wait(clock, op.permits);
        switch (op.kind) {
        case Kind::take: {
            const auto permit = limiter_.try_acquire(op.permits);
            if (wait == 0) model_.take(op.permits);
            return is_right(permit, wait == 0, Error::rate_limited, wait);
        }
        case Kind::reserve: {
            auto reservation = limiter_.reserve(std::chrono::nanoseconds{op.time}, op.permits);
            const bool is_granted = op.permits == 0 || (wait <= op.time && wait != never);
            if (!is_granted)
                return is_right(reservation, false, Error::rate_limited,
                                wait == never || op.time < 0 ? never : wait - op.time);
            model_.take(op.permits);
            const bool is_same = reservation && reservation.wait().count() == wait;
            if (wait != 0) {
                newest_.push_back(reserved_.size());
                reserved_.push_back({std::move(reservation), clock + wait, op.permits, false});
            }
            return is_same;
        }
        case Kind::acquire: {
            const Deadline deadline{Instant{dashpot::detail::saturating_add(
                std::chrono::nanoseconds{clock}, std::chrono::nanoseconds{op.time})}};
            const Number left = Number{deadline.at().time_since_epoch().count()} - clock;
            const auto permit = limiter_.acquire(deadline, {}, op.permits);
            if (op.permits == 0) return static_cast<bool>(permit);
            const bool is_granted = wait <= left && wait != never;
            if (is_granted) {
                model_.take(op.permits); // a place, from here on
                model_.move_to(static_cast<std::int64_t>(clock + wait));
                return permit && clock_.now().time_since_epoch().count() == clock + wait;
            }
            const bool is_large =
                wait == never && limiter_.limit().burst.value_or(limiter_.limit().permits) < op.permits;
            return is_right(permit, false, is_large ? Error::rate_limited : Error::deadline_exceeded,
                            wait);
        }
        case Kind::cancel: {
            if (reserved_.empty()) return true;
            const std::size_t which = op.permits % reserved_.size();
            Reserved& chosen = reserved_[which];
            const bool is_possible = !chosen.is_over && !newest_.empty() && newest_.back() == which &&
                                     model_.now() < chosen.due;
            chosen.is_over = true;
            if (is_possible) {
                newest_.pop_back();
                model_.give_back(chosen.permits);
            }
            return chosen.reservation.cancel() == is_possible;
        }
        case Kind::reconfigure:
            limiter_.reconfigure(op.limit);
            model_.reconfigure(op.limit);
            return limiter_.limit() == op.limit;
        default: return limiter_.available() == model_.available();
        }
    }

  private:
    struct Reserved {
        Limiter::Reservation reservation;
        Number due;
        std::uint32_t permits;
        bool is_over;
    };

    template <class Answer>
    static bool is_right(const Answer& answer, bool is_granted, Error reason, Number wait) {
        if (static_cast<bool>(answer) != is_granted) return false;
        return is_granted || (answer.refusal().reason == reason && answer.refusal().retry_after &&
                              answer.refusal().retry_after->count() == wait);
    }

    ManualClock clock_;
    Limiter limiter_;
    Model model_;
    std::vector<Reserved> reserved_;
    std::vector<std::size_t> newest_; // of reserved_, those that can still be the newest
};

template <class Dice>
RateLimit some_limit(Dice& dice) {
    RateLimit limit{
        .permits = dice.template pick<std::uint32_t>(
            {1, 2, 3, 7, 10, 64, 65, 97, 1000, 1'000'003, 4'000'000'000, 1 + dice.below(5000)}),
        .per = std::chrono::nanoseconds{
            dice.template pick<std::int64_t>({1, 7, 1000, 999'983, 1'000'000'000, 1'500'000'000,
                                              86'400'000'000'000, 1 + dice.up_to(10'000'000'000)})}};
    if (dice.below(2) == 0)
        limit.burst =
            dice.template pick<std::uint32_t>({1, 2, 5, 10, 1 + dice.below(100), 4'294'967'295});
    return limit;
}

template <class Dice>
std::int64_t some_step(Dice& dice, const RateLimit& limit) {
    const std::int64_t one = std::max<std::int64_t>(1, limit.per.count() / limit.permits);
    return dice.template pick<std::int64_t>({0, 1, one - 1, one, one + 1, dice.up_to(one), 3 * one,
                                             limit.per.count(), -dice.up_to(2 * one),
                                             dice.below(50) == 0 ? std::int64_t{1} << 61U : one});
}

template <class Dice>
Instant some_start(Dice& dice) {
    return Instant{std::chrono::nanoseconds{dice.template pick<std::int64_t>(
        {0, 0, std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max(),
         static_cast<std::int64_t>(dice.next())})}};
}

/// Adds an operation. `now` is the limit in force after the operations so far.
template <class Dice>
void add_some(Dice& dice, bool may_change, RateLimit& now, std::vector<Operation>& operations) {
    Operation op;
    op.kind = dice.template pick<Kind>(
        {Kind::advance, Kind::advance, Kind::advance, Kind::take, Kind::take, Kind::take, Kind::reserve,
         Kind::acquire, Kind::cancel, Kind::look, may_change ? Kind::reconfigure : Kind::take});
    const std::uint32_t burst = now.burst.value_or(now.permits);
    op.permits = dice.template pick<std::uint32_t>(
        {0, 1, 1, 1, 2, 3, burst, burst / 2, burst - 1, dice.below(20) == 0 ? burst + 1 : 1});
    op.time = some_step(dice, now);
    if (op.kind != Kind::advance && dice.below(4) == 0) op.time = 3 * now.per.count();
    if (op.kind == Kind::reconfigure) now = op.limit = dice.below(4) == 0 ? now : some_limit(dice);
    operations.push_back(op);
}

} // namespace model::rate_game

#endif // __SIZEOF_INT128__

#endif
