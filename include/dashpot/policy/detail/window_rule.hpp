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

/// What a window holds: the sums over its calls.
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

/// The verdict on a window, whatever its shape: failure rate and slow rate, on the same numbers.
struct WindowRule {
    std::uint32_t minimum_calls;
    double failure_rate;
    std::optional<SlowCalls> slow_calls;

    [[nodiscard]] constexpr Counts counts(const WindowSums& sums) const noexcept {
        Counts counts{.calls = sums.calls, .failures = sums.failures};
        if (slow_calls) counts.slow = sums.slow; // a policy before this one may have judged them
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

    /// While no verdict stands, nothing opens as long as only successes that are not slow come, and
    /// nothing fades but the oldest calls to make room for them: they lower the rates, or leave them.
    [[nodiscard]] constexpr bool successes_open_nothing(const WindowSums& sums) const noexcept {
        return sums.is_clean() || sums.calls >= minimum_calls;
    }
};

} // namespace dashpot::inline DASHPOT_ABI::detail

#endif
