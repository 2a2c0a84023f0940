// SPDX-License-Identifier: MIT
#ifndef DASHPOT_TESTS_PROPERTY_HPP
#define DASHPOT_TESTS_PROPERTY_HPP

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

/// What property tests need: chance that a seed repeats, and the shortest counterexample.
namespace model {

/// Different numbers from every seed, the same from the same.
class Dice {
  public:
    explicit Dice(std::uint64_t seed) : state_{seed * 0x9E3779B97F4A7C15U + 1} {}

    std::uint64_t next() { // xorshift64*
        state_ ^= state_ >> 12U;
        state_ ^= state_ << 25U;
        state_ ^= state_ >> 27U;
        return state_ * 0x2545F4914F6CDD1DU;
    }
    std::uint32_t below(std::uint32_t end) { return static_cast<std::uint32_t>((next() >> 32U) % end); }
    std::int64_t up_to(std::int64_t most) {
        return static_cast<std::int64_t>(next() % (static_cast<std::uint64_t>(most) + 1));
    }
    template <class T>
    T pick(std::initializer_list<T> from) {
        return from.begin()[below(static_cast<std::uint32_t>(from.size()))];
    }

  private:
    std::uint64_t state_;
};

/// Takes one out of what is held, any number being good.
template <class T>
T taken_out(std::vector<T>& held, std::uint32_t which) {
    const auto chosen = held.begin() + static_cast<std::ptrdiff_t>(which % held.size());
    T taken = std::move(*chosen);
    held.erase(chosen);
    return taken;
}

/// What is needed of `operations` to see the difference whose place `first_difference` tells, if any.
template <class Operation, class F>
std::string counterexample(std::vector<Operation> operations, const F& first_difference) {
    for (bool shrunk = true; shrunk;) {
        shrunk = false;
        if (const auto end = first_difference(operations)) operations.resize(*end + 1);
        for (std::size_t i = 0; i != operations.size() && !shrunk; ++i) {
            std::vector<Operation> fewer = operations;
            fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
            shrunk = first_difference(fewer).has_value();
            if (shrunk) operations = std::move(fewer);
        }
    }
    std::ostringstream text;
    for (const Operation& op : operations) text << op;
    return text.str();
}

/// The number of the first operation that `game` does not agree with, if there is one.
template <class Game, class Operation>
std::optional<std::size_t> first_disagreement(Game&& game, const std::vector<Operation>& operations) {
    for (std::size_t i = 0; i != operations.size(); ++i) {
        if (!game.play(operations[i])) return i;
    }
    return std::nullopt;
}

} // namespace model

#endif
