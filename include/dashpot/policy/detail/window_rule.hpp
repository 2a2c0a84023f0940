// SPDX-License-Identifier: MIT
#ifndef DASHPOT_POLICY_DETAIL_WINDOW_RULE_HPP
#define DASHPOT_POLICY_DETAIL_WINDOW_RULE_HPP

#include <dashpot/core/abi.hpp>
#include <dashpot/core/rate.hpp>
#include <dashpot/core/reason.hpp>
#include <dashpot/policy/failure_policy.hpp>
#include <dashpot/policy/slow_calls.hpp>

#include <cstdint>
#include <optional>

namespace dashpot::inline DASHPOT_ABI::detail {

/// The sums over the calls of a window.
struct WindowSums {
    std::uint64_t calls = 0;
    std::uint64_t failures = 0;
    std::uint64_t slow = 0;

    [[nodiscard]] constexpr bool is_clean() const noexcept { return failures == 0 && slow == 0; }

    constexpr void add(const FinishedCall& call) noexcept {
        ++calls;
        if (call.failed) ++failures;
        if (call.slow) ++slow;
    }
    constexpr void add(const WindowSums& other) noexcept {
        calls += other.calls;
        failures += other.failures;
        slow += other.slow;
    }
    constexpr void subtract(const WindowSums& other) noexcept {
        calls -= other.calls;
        failures -= other.failures;
        slow -= other.slow;
    }
};

/// Judges a window of any kind by its failure rate and its slow rate.
struct WindowRule {
    std::uint32_t minimum_calls;
    double failure_rate;
    std::optional<SlowCalls> slow_calls;

    [[nodiscard]] constexpr Counts counts(const WindowSums& sums) const noexcept {
        Counts counts{.calls = sums.calls, .failures = sums.failures};
        if (slow_calls) counts.slow = sums.slow; // a previous policy may have judged slow calls
        if (sums.calls < minimum_calls) return counts;
        counts.failure_rate = ratio(sums.failures, sums.calls);
        if (slow_calls) counts.slow_rate = ratio(sums.slow, sums.calls);
        return counts;
    }

    [[nodiscard]] constexpr std::optional<Reason> judge(const WindowSums& sums) const noexcept {
        if (sums.calls < minimum_calls || sums.calls == 0) return std::nullopt;
        const bool fails = reaches(sums.failures, sums.calls, failure_rate);
        const bool drags = slow_calls && reaches(sums.slow, sums.calls, slow_calls->rate);
        if (fails && drags) return Reason::failure_rate_and_slow_rate;
        if (fails) return Reason::failure_rate;
        if (drags) return Reason::slow_rate;
        return std::nullopt;
    }

    /// Returns true if successes that are not slow cannot open the circuit. This requires that the
    /// window does not open it now, and that only the oldest calls leave, to make room for the
    /// successes. Such successes lower the rates or leave them unchanged.
    [[nodiscard]] constexpr bool successes_open_nothing(const WindowSums& sums) const noexcept {
        return sums.is_clean() || sums.calls >= minimum_calls;
    }
};

} // namespace dashpot::inline DASHPOT_ABI::detail

#endif
