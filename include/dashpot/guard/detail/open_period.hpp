// SPDX-License-Identifier: MIT
#ifndef DASHPOT_GUARD_DETAIL_OPEN_PERIOD_HPP
#define DASHPOT_GUARD_DETAIL_OPEN_PERIOD_HPP

#include <dashpot/core/abi.hpp>
#include <dashpot/core/detail/wait.hpp>
#include <dashpot/core/duration.hpp>
#include <dashpot/policy/backoff.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace dashpot::inline DASHPOT_ABI::detail {

/// When a breaker opened, how long it waits, and how long its probes may then stay unanswered.
///
/// **Contract.** Means something in OPEN and HALF_OPEN only. The wait is drawn when the circuit opens,
/// and again if the reset timeout is changed. **Threads.** None: a value, passed the time.
class OpenPeriod {
  public:
    /// No default probe timeout grows beyond this length; one that begins longer stays as long.
    static constexpr std::chrono::nanoseconds longest_doubled = std::chrono::minutes{10};

    /// No target makes a breaker wait longer than this.
    static constexpr std::chrono::nanoseconds longest_asked = std::chrono::minutes{10};

    constexpr OpenPeriod(const Backoff& reset_timeout, std::uint64_t seed) noexcept
        : chance_{reset_timeout.seed().value_or(seed)} {}

    /// Opens now. `is_reopening`: from HALF_OPEN, where the wait grows.
    constexpr void begin(const Backoff& reset_timeout, Instant now, bool is_reopening) noexcept {
        reopenings_ = is_reopening ? reopenings_ + 1 : 0;
        asked_ = {};
        draw(reset_timeout);
        opened_at_ = now;
    }

    /// Makes the wait that began last at least this long, at most longest_asked. The default probe
    /// timeout stays as it is.
    constexpr void wait_at_least(std::chrono::nanoseconds asked) noexcept {
        asked_ = (std::min)(asked, longest_asked);
    }

    /// Takes another reset timeout over. `is_in_force`: the breaker is OPEN or HALF_OPEN.
    constexpr void change(const Backoff& reset_timeout, bool is_in_force) noexcept {
        chance_ = reset_timeout.seed().value_or(chance_);
        if (is_in_force) draw(reset_timeout);
    }

    /// Returns true if a wait was drawn by a chance that no seed fixed, and not yet by draw_again().
    [[nodiscard]] constexpr bool needs_chance() const noexcept { return needs_chance_; }

    /// Draws the wait again, by a chance that this process alone has: a copy of this value in another
    /// process, made by a fork, would have drawn the same.
    constexpr void draw_again(const Backoff& reset_timeout, std::uint64_t chance) noexcept {
        chance_ ^= chance;
        draw(reset_timeout);
        needs_chance_ = false;
    }

    [[nodiscard]] constexpr Instant began_at() const noexcept { return opened_at_; }

    [[nodiscard]] constexpr Wait wait() const noexcept {
        return {opened_at_, (std::max)(reset_timeout_, asked_)};
    }

    /// Returns the default probe timeout of the half-open period that begins now: the wait in force for
    /// the first one, and twice as long for each further one. The target may be healthy, and slower
    /// than the last timeout.
    constexpr std::chrono::nanoseconds next_probe_timeout() noexcept {
        const std::chrono::nanoseconds timeout = probe_timeout_;
        if (timeout < longest_doubled) probe_timeout_ = (std::min)(timeout * 2, longest_doubled);
        return timeout;
    }

  private:
    constexpr void draw(const Backoff& reset_timeout) noexcept {
        reset_timeout_ = reset_timeout.delay(reopenings_, next_chance(chance_));
        probe_timeout_ = reset_timeout_;
        needs_chance_ = reset_timeout.curve().jitter > 0 && !reset_timeout.seed();
    }

    Instant opened_at_{};
    std::chrono::nanoseconds reset_timeout_{0};
    std::chrono::nanoseconds asked_{0};         // by the target, when it opened
    std::chrono::nanoseconds probe_timeout_{0}; // of the next half-open period
    std::uint64_t chance_;                      // for the jitter
    std::uint32_t reopenings_ = 0;              // from HALF_OPEN, since it was last CLOSED
    bool needs_chance_ = false;
};

} // namespace dashpot::inline DASHPOT_ABI::detail

#endif
