// SPDX-License-Identifier: MIT
#ifndef DASHPOT_GUARD_DETAIL_BREAKER_WORD_HPP
#define DASHPOT_GUARD_DETAIL_BREAKER_WORD_HPP

#include <dashpot/core/abi.hpp>
#include <dashpot/core/state.hpp>

#include <cstdint>

namespace dashpot::inline DASHPOT_ABI::detail {

/// Generation, state and quiet bit of a breaker in the 64 bits that it publishes at once.
///
/// Equal words mean: the same generation, so the same state, and the same quiet bit.
class BreakerWord {
  public:
    constexpr BreakerWord() noexcept = default;
    constexpr explicit BreakerWord(std::uint64_t bits) noexcept : bits_{bits} {}
    constexpr BreakerWord(std::uint64_t generation, State state, bool quiet) noexcept
        : bits_{generation << generation_shift | (quiet ? quiet_bit : 0) |
                static_cast<std::uint64_t>(state)} {}

    /// What the word is while a closed breaker of this one's generation is quiet.
    [[nodiscard]] constexpr BreakerWord as_closed_and_quiet() const noexcept {
        return {generation(), State::closed, true};
    }

    [[nodiscard]] constexpr std::uint64_t bits() const noexcept { return bits_; }
    [[nodiscard]] constexpr std::uint64_t generation() const noexcept {
        return bits_ >> generation_shift;
    }
    [[nodiscard]] constexpr State state() const noexcept {
        return static_cast<State>(bits_ & state_mask);
    }
    [[nodiscard]] constexpr bool is_closed() const noexcept { return state() == State::closed; }
    [[nodiscard]] constexpr bool is_closed_and_quiet() const noexcept {
        return (bits_ & (state_mask | quiet_bit)) == quiet_bit;
    }

    friend constexpr bool operator==(BreakerWord, BreakerWord) = default;

  private:
    static constexpr int generation_shift = 8;
    static constexpr std::uint64_t state_mask = 0x7;
    static constexpr std::uint64_t quiet_bit = 0x8;
    static_assert(static_cast<std::uint64_t>(State::closed) == 0);
    static_assert(static_cast<std::uint64_t>(State::metrics_only) <= state_mask);

    std::uint64_t bits_ = 0;
};

} // namespace dashpot::inline DASHPOT_ABI::detail

#endif
