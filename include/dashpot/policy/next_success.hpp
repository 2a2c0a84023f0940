// SPDX-License-Identifier: MIT
#ifndef DASHPOT_POLICY_NEXT_SUCCESS_HPP
#define DASHPOT_POLICY_NEXT_SUCCESS_HPP

#include <dashpot/core/abi.hpp>
#include <dashpot/core/duration.hpp>

#include <cstdint>

namespace dashpot::inline DASHPOT_ABI {

/// What a guard must do with the next success that is not slow: the answer of a policy's Tally.
///
///     NextSuccess next_success() const noexcept {
///         if (failures_ == 0 && is_full_) return NextSuccess::skip();
///         return NextSuccess::record();
///     }
///
/// **Contract.** record() is always correct. The other answers save the guard's lock, and promise
/// something:
/// - count() promises that no number of successes from now on can open the circuit. The guard counts
///   them without the lock, and passes their number to `record_successes()` before it calls any other
///   function of the Tally.
/// - count_until() promises this only for successes before the given instant.
/// - skip() promises that another success has no observable effect at any later time. The guard drops
///   such successes.
///
/// **Threads.** It is a value.
class NextSuccess {
  public:
    enum class Kind : std::uint8_t {
        record, ///< Pass it to `record()` at once.
        count,  ///< Count it, and pass the count to `record_successes()` later.
        skip    ///< Do nothing.
    };

    [[nodiscard]] static constexpr NextSuccess record() noexcept { return NextSuccess{Kind::record}; }
    [[nodiscard]] static constexpr NextSuccess count() noexcept { return NextSuccess{Kind::count}; }
    [[nodiscard]] static constexpr NextSuccess count_until(Instant end) noexcept {
        return NextSuccess{Kind::count, end};
    }
    [[nodiscard]] static constexpr NextSuccess skip() noexcept { return NextSuccess{Kind::skip}; }

    [[nodiscard]] constexpr Kind kind() const noexcept { return kind_; }

    /// Returns the instant from which the answer no longer holds; `Instant::max()` if it has no end.
    [[nodiscard]] constexpr Instant end() const noexcept { return end_; }

    friend bool operator==(const NextSuccess&, const NextSuccess&) = default;

  private:
    constexpr explicit NextSuccess(Kind kind, Instant end = (Instant::max)()) noexcept
        : kind_{kind}, end_{end} {}

    Kind kind_;
    Instant end_;
};

} // namespace dashpot::inline DASHPOT_ABI

#endif
