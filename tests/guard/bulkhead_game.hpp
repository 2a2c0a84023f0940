// SPDX-License-Identifier: MIT
#ifndef DASHPOT_TESTS_GUARD_BULKHEAD_GAME_HPP
#define DASHPOT_TESTS_GUARD_BULKHEAD_GAME_HPP

#include <dashpot/guard/bulkhead.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

/// Strings of operations, played to a bulkhead and to a count of its slots. What is played the dice
/// say.
namespace model::bulkhead_game {

class Game {
  public:
    explicit Game(std::uint32_t limit) : bulkhead_{limit}, limit_{limit} {}

    /// One random step; false if the bulkhead is not what the count says after it.
    template <class Dice>
    bool step(Dice& dice) {
        bool is_same = true;
        switch (dice.below(8)) {
        case 0:
        case 1:
        case 2: {
            auto permit = bulkhead_.try_acquire();
            is_same = static_cast<bool>(permit) == (taken_ < limit_);
            if (permit) ++taken_;
            permits_.push_back(std::move(permit)); // those that hold nothing, too
            break;
        }
        case 3:
        case 4:
            if (!permits_.empty()) {
                auto& permit = chosen(dice);
                if (permit) --taken_;
                permit.release();
                is_same = !permit;
            }
            break;
        case 5:
            if (!permits_.empty()) { // whatever the one held is freed as the other takes its place
                auto permit = std::move(permits_.back());
                permits_.pop_back();
                if (permits_.empty()) {
                    if (permit) --taken_;
                    break;
                }
                auto& other = chosen(dice);
                if (other) --taken_;
                other = std::move(permit);
            }
            break;
        case 6:
            limit_ = dice.template pick<std::uint32_t>(
                {0, 1, 2, dice.below(8), std::numeric_limits<std::uint32_t>::max()});
            bulkhead_.resize(limit_);
            break;
        default: break;
        }
        return is_same && bulkhead_.in_flight() == taken_ && bulkhead_.max_concurrent() == limit_ &&
               bulkhead_.available() == (limit_ > taken_ ? limit_ - taken_ : 0);
    }

  private:
    template <class Dice>
    dashpot::Bulkhead::Permit& chosen(Dice& dice) {
        return permits_[dice.below(static_cast<std::uint32_t>(permits_.size()))];
    }

    dashpot::Bulkhead bulkhead_;
    std::uint32_t limit_;
    std::uint32_t taken_ = 0;
    std::vector<dashpot::Bulkhead::Permit> permits_;
};

} // namespace model::bulkhead_game

#endif
