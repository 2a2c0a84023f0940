// SPDX-License-Identifier: MIT
#ifndef DASHPOT_TESTS_GUARD_BULKHEAD_GAME_HPP
#define DASHPOT_TESTS_GUARD_BULKHEAD_GAME_HPP

#include <dashpot/guard/bulkhead.hpp>

#include <cstdint>
#include <limits>
#include <ostream>
#include <utility>
#include <vector>

/// Strings of operations, played to a bulkhead and to a count of its slots. What is played the dice
/// say.
namespace model::bulkhead_game {

enum class Kind : std::uint8_t { acquire, release, assign, resize, look };

struct Operation {
    Kind kind = Kind::look;
    std::uint32_t permit = 0; // of those that are there
    std::uint32_t limit = 0;
};

inline std::ostream& operator<<(std::ostream& out, const Operation& op) {
    switch (op.kind) {
    case Kind::acquire: return out << "try_acquire\n";
    case Kind::release: return out << "release permit " << op.permit << '\n';
    case Kind::assign: return out << "assign the last permit to permit " << op.permit << '\n';
    case Kind::resize: return out << "resize to " << op.limit << '\n';
    case Kind::look: break;
    }
    return out << "look\n";
}

template <class Dice>
void add_some(Dice& dice, std::vector<Operation>& operations) {
    Operation op;
    switch (dice.below(8)) {
    case 0:
    case 1:
    case 2: op.kind = Kind::acquire; break;
    case 3:
    case 4:
        op.kind = Kind::release;
        op.permit = dice.below(64);
        break;
    case 5:
        op.kind = Kind::assign;
        op.permit = dice.below(64);
        break;
    case 6:
        op.kind = Kind::resize;
        op.limit = dice.template pick<std::uint32_t>(
            {0, 1, 2, dice.below(8), std::numeric_limits<std::uint32_t>::max()});
        break;
    default: break;
    }
    operations.push_back(op);
}

class Game {
  public:
    explicit Game(std::uint32_t limit) : bulkhead_{limit}, limit_{limit} {}

    /// False if the bulkhead is not what the count says.
    bool play(const Operation& op) {
        bool is_same = true;
        switch (op.kind) {
        case Kind::acquire: {
            auto permit = bulkhead_.try_acquire();
            is_same = static_cast<bool>(permit) == (taken_ < limit_);
            if (permit) ++taken_;
            permits_.push_back(std::move(permit)); // those that hold nothing, too
            break;
        }
        case Kind::release:
            if (!permits_.empty()) {
                auto& permit = chosen(op);
                if (permit) --taken_;
                permit.release();
                is_same = !permit;
            }
            break;
        case Kind::assign:
            if (!permits_.empty()) { // whatever the one held is freed as the other takes its place
                auto permit = std::move(permits_.back());
                permits_.pop_back();
                if (permits_.empty()) {
                    if (permit) --taken_;
                    break;
                }
                auto& other = chosen(op);
                if (other) --taken_;
                other = std::move(permit);
            }
            break;
        case Kind::resize:
            limit_ = op.limit;
            bulkhead_.resize(limit_);
            break;
        case Kind::look: break;
        }
        return is_same && bulkhead_.in_flight() == taken_ && bulkhead_.max_concurrent() == limit_ &&
               bulkhead_.available() == (limit_ > taken_ ? limit_ - taken_ : 0);
    }

  private:
    dashpot::Bulkhead::Permit& chosen(const Operation& op) {
        return permits_[op.permit % permits_.size()];
    }

    dashpot::Bulkhead bulkhead_;
    std::uint32_t limit_;
    std::uint32_t taken_ = 0;
    std::vector<dashpot::Bulkhead::Permit> permits_;
};

} // namespace model::bulkhead_game

#endif
