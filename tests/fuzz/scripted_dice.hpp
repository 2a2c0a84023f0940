// SPDX-License-Identifier: MIT
#ifndef DASHPOT_TESTS_FUZZ_SCRIPTED_DICE_HPP
#define DASHPOT_TESTS_FUZZ_SCRIPTED_DICE_HPP

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>

namespace fuzz {

/// The functions of model::Dice, with bytes for chance: the games of the property tests, but the fuzzer
/// says how they go. One byte is one choice wherever that is enough, so that a changed byte is a
/// changed move and leaves the rest of the game as it was.
class ScriptedDice {
  public:
    explicit ScriptedDice(std::span<const std::uint8_t> script) : script_{script} {}

    [[nodiscard]] bool is_at_end() const { return script_.empty(); }

    std::uint64_t next() { return read(8); }
    std::uint32_t below(std::uint32_t end) {
        return static_cast<std::uint32_t>(read(end <= 0x100U ? 1 : end <= 0x10000U ? 2 : 4)) % end;
    }
    std::int64_t up_to(std::int64_t most) {
        const auto end = static_cast<std::uint64_t>(most) + 1;
        return static_cast<std::int64_t>(read(end <= 0x100U ? 1 : end <= 0x10000U ? 2 : 8) % end);
    }
    template <class T>
    T pick(std::initializer_list<T> from) {
        return from.begin()[below(static_cast<std::uint32_t>(from.size()))];
    }

  private:
    /// Zeros where the script has ended.
    std::uint64_t read(std::size_t bytes) {
        std::uint64_t value = 0;
        for (; bytes != 0; --bytes) {
            value <<= 8U;
            if (script_.empty()) continue;
            value |= script_.front();
            script_ = script_.subspan(1);
        }
        return value;
    }

    std::span<const std::uint8_t> script_;
};

} // namespace fuzz

#endif
