// SPDX-License-Identifier: MIT
// The waits of a backoff against their formula, for any options, attempts and chances.
#include "policy/window_model.hpp"
#include "property.hpp"

#include <dashpot/policy/backoff.hpp>

#include "catch.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <limits>
#include <ostream>
#include <stdexcept>
#include <vector>

namespace tests::policy_backoff_property {

using dashpot::Backoff;
using dashpot::ExponentialBackoff;
using model::Dice;
using model::last;
using model::Time;
using std::chrono::nanoseconds;

namespace {

struct Question {
    std::uint32_t attempt;
    std::uint64_t chance;
};

std::ostream& operator<<(std::ostream& out, const Question& asked) {
    return out << "the wait before attempt " << asked.attempt << ", by chance " << asked.chance << '\n';
}

/// From a nanosecond to for ever, each number of digits as likely.
nanoseconds some_time(Dice& dice) {
    const Time most = last >> dice.below(63);
    return nanoseconds{dice.below(8) == 0 ? most : 1 + dice.up_to(most - 1)};
}

ExponentialBackoff some_curve(Dice& dice) {
    ExponentialBackoff curve{.initial = some_time(dice)};
    const Time initial = curve.initial.count();
    const double any = 1 + double(dice.below(1'000)) / 300;
    curve.factor =
        dice.pick<double>({1.0, std::nextafter(1.0, 2.0), 1.1, 1.5, 2.0, 2.0, 3.0, any, any, 1e9});
    const nanoseconds other = some_time(dice);
    curve.cap = std::max<nanoseconds>(
        curve.initial,
        dice.pick<nanoseconds>({nanoseconds{initial}, nanoseconds{model::plus(initial, 1)},
                                nanoseconds{model::plus(initial, initial)}, other, other,
                                nanoseconds{last - 1}, nanoseconds{last}}));
    const double share = double(dice.below(1'000)) / 1'000;
    curve.jitter = dice.pick<double>({0.0, 0.0, share, share, std::nextafter(1.0, 0.0), 1.0,
                                      std::numeric_limits<double>::denorm_min()});
    return curve;
}

std::vector<Question> some_questions(Dice& dice, const ExponentialBackoff& curve) {
    std::vector<Question> questions(12);
    constexpr std::uint32_t latest = std::numeric_limits<std::uint32_t>::max();
    const bool is_soon_there = curve.factor == 1.0 || curve.factor > 1.05; // or it takes seconds
    for (Question& each : questions) {
        each.attempt = dice.pick<std::uint32_t>({dice.below(4), dice.below(70), dice.below(2'000),
                                                 is_soon_there ? latest - dice.below(2) : 0});
        each.chance = dice.pick<std::uint64_t>({0, 1, dice.next(), dice.next(), ~std::uint64_t{0}});
    }
    return questions;
}

/// As near as a number and a rounding of it by each of so many steps can be.
bool is_near(nanoseconds wait, long double exact, long double steps) {
    return std::abs(static_cast<long double>(wait.count()) - exact) <= 1.0L + exact * steps * 0x1p-52L;
}

/// Compares each wait with the formula, and with those that were asked for before.
class Game {
  public:
    Game(const Backoff& backoff, const ExponentialBackoff& curve) : backoff_{backoff}, curve_{curve} {}

    bool play(const Question& asked) {
        const nanoseconds whole = backoff_.delay(asked.attempt);
        const nanoseconds wait = backoff_.delay(asked.attempt, asked.chance);
        const bool is_so = is_as_long_as(whole, asked.attempt) &&
                           is_share_of(wait, whole, asked.chance) &&
                           backoff_.delay(asked.attempt, asked.chance) == wait &&
                           std::all_of(earlier_.begin(), earlier_.end(), [&](const Answer& before) {
                               return is_in_order(before, {asked, whole, wait}) &&
                                      is_in_order({asked, whole, wait}, before);
                           });
        earlier_.push_back({asked, whole, wait});
        return is_so;
    }

  private:
    struct Answer {
        Question asked;
        nanoseconds whole, wait;
    };

    bool is_as_long_as(nanoseconds whole, std::uint32_t attempt) const {
        const auto cap = static_cast<long double>(curve_.cap.count());
        const long double exact = static_cast<long double>(curve_.initial.count()) *
                                  std::pow(static_cast<long double>(curve_.factor), attempt);
        const long double steps = 4.0L + attempt;
        if (attempt == 0 && whole != curve_.initial) return false;
        if (exact > cap * (1.0L + steps * 0x1p-52L)) return whole == curve_.cap;
        return whole >= curve_.initial && whole <= curve_.cap && is_near(whole, exact, steps);
    }

    bool is_share_of(nanoseconds wait, nanoseconds whole, std::uint64_t chance) const {
        if (curve_.jitter == 0.0) return wait == whole;
        const long double taken =
            static_cast<long double>(whole.count()) * curve_.jitter * (chance * 0x1p-64L);
        const long double left = std::max(1.0L, static_cast<long double>(whole.count()) - taken);
        return wait.count() >= 1 && wait <= whole &&
               std::abs(static_cast<long double>(wait.count()) - left) <=
                   1.0L + static_cast<long double>(whole.count()) * 0x1p-50L;
    }

    /// A later attempt waits as long or longer, and by more of a chance none waits longer.
    static bool is_in_order(const Answer& a, const Answer& b) {
        if (a.asked.attempt > b.asked.attempt) return true;
        if (a.whole > b.whole) return false;
        return a.asked.attempt != b.asked.attempt || a.asked.chance > b.asked.chance ||
               a.wait >= b.wait;
    }

    const Backoff backoff_;
    const ExponentialBackoff curve_;
    std::vector<Answer> earlier_;
};

void check(const Backoff& backoff, const ExponentialBackoff& curve, Dice& dice, std::uint64_t seed) {
    const auto questions = some_questions(dice, curve);
    const auto difference = [&](const auto& some) {
        return model::first_disagreement(Game{backoff, curve}, some);
    };
    if (!difference(questions)) return;
    CAPTURE(seed, backoff);
    FAIL("they differ in the last of\n" << model::counterexample(questions, difference));
}

bool is_refused(const Backoff& backoff) {
    try {
        backoff.validate();
    } catch (const std::invalid_argument&) {
        return true;
    }
    return false;
}

} // namespace

TEST_CASE("Backoff: waits as long as the formula says, for any curve", "[policy][property]") {
    for (std::uint64_t seed = 1; seed != 20'001; ++seed) {
        Dice dice{seed};
        const ExponentialBackoff curve = some_curve(dice);
        if (is_refused(curve)) FAIL("seed " << seed << ": refused " << Backoff{curve});
        check(curve, curve, dice, seed);
    }
    SUCCEED("20 000 curves");
}

TEST_CASE("Backoff: of any plain duration is always that duration", "[policy][property]") {
    for (std::uint64_t seed = 1; seed != 5'001; ++seed) {
        Dice dice{seed};
        const nanoseconds wait = some_time(dice);
        check(wait, {.initial = wait, .factor = 1.0, .cap = wait}, dice, seed);
    }
    SUCCEED("5 000 durations");
}

TEST_CASE("Backoff: refuses exactly the curves that are out of range", "[policy][property]") {
    constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
    constexpr double infinity = std::numeric_limits<double>::infinity();
    int refused = 0;
    for (std::uint64_t seed = 1; seed != 20'001; ++seed) {
        Dice dice{seed};
        ExponentialBackoff curve = some_curve(dice);
        if (dice.below(4) == 0)
            curve.initial = nanoseconds{dice.pick<Time>({0, -1, model::first, curve.cap.count(), 1})};
        if (dice.below(4) == 0)
            curve.factor = dice.pick<double>({std::nextafter(1.0, 0.0), 0.0, -2.0, not_a_number,
                                              infinity, 1e9, std::nextafter(1e9, 2e9)});
        if (dice.below(4) == 0)
            curve.cap = nanoseconds{dice.pick<Time>({curve.initial.count(), 1, 0, last, model::first})};
        if (dice.below(4) == 0)
            curve.jitter = dice.pick<double>({-std::numeric_limits<double>::denorm_min(), -0.0, 50.0,
                                              std::nextafter(1.0, 2.0), not_a_number, infinity});
        const bool is_in_range = curve.initial > nanoseconds::zero() && curve.factor >= 1.0 &&
                                 curve.factor <= 1e9 && curve.cap >= curve.initial &&
                                 curve.jitter >= 0.0 && curve.jitter <= 1.0;
        refused += is_in_range ? 0 : 1;
        if (is_refused(curve) == is_in_range) FAIL("seed " << seed << ": " << Backoff{curve});
    }
    CHECK((refused > 5'000 && refused < 15'000));
}

} // namespace tests::policy_backoff_property
