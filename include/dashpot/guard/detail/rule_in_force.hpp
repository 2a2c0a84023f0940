// SPDX-License-Identifier: MIT
#ifndef DASHPOT_GUARD_DETAIL_RULE_IN_FORCE_HPP
#define DASHPOT_GUARD_DETAIL_RULE_IN_FORCE_HPP

#include <dashpot/core/abi.hpp>
#include <dashpot/core/duration.hpp>
#include <dashpot/core/reason.hpp>
#include <dashpot/guard/detail/call_report.hpp>
#include <dashpot/policy/detail/policy_checks.hpp>
#include <dashpot/policy/failure_policy.hpp>
#include <dashpot/policy/next_success.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>

namespace dashpot::inline DASHPOT_ABI::detail {

/// A policy that can be replaced in a running guard, because no step of that can fail.
template <class P>
concept CanBeReconfigured =
    std::is_nothrow_destructible_v<P> && std::is_nothrow_destructible_v<typename P::Tally>;

/// The rule of CLOSED and METRICS_ONLY: a policy and the Tally made from it, with defaults for the
/// members that they do not have.
///
/// **Contract.** Both keep their addresses as long as they live, also if two rules are swapped: a Tally
/// may point at its policy.
/// **Threads.** It is a value without synchronization. **Cost.** It allocates once, when it is made.
template <FailurePolicy P>
class RuleInForce {
    static_assert(check_offers<P>());

  public:
    using Tally = typename P::Tally;

    constexpr explicit RuleInForce(P policy) : pair_{new Pair{std::move(policy)}} {}
    constexpr RuleInForce(const RuleInForce& other)
        : pair_{new Pair{*other.pair_}}, decision_is_due_{other.decision_is_due_} {}
    constexpr RuleInForce(RuleInForce&& other) noexcept
        : pair_{std::exchange(other.pair_, nullptr)}, decision_is_due_{other.decision_is_due_} {}
    constexpr RuleInForce& operator=(RuleInForce other) noexcept {
        swap(other);
        return *this;
    }
    constexpr ~RuleInForce() { delete pair_; }

    constexpr void swap(RuleInForce& other) noexcept {
        std::swap(pair_, other.pair_);
        std::swap(decision_is_due_, other.decision_is_due_);
    }

    [[nodiscard]] constexpr const P& policy() const noexcept { return pair_->policy; }
    [[nodiscard]] constexpr Tally& tally() noexcept { return pair_->tally; }
    [[nodiscard]] constexpr const Tally& tally() const noexcept { return pair_->tally; }

    /// Returns the duration above which a call is slow; `never` if slow calls are not judged.
    [[nodiscard]] constexpr std::chrono::nanoseconds slow_after() const noexcept {
        if constexpr (JudgesSlowCalls<P>) {
            const std::optional<Nanoseconds> limit = policy().slow_after();
            return limit ? std::chrono::nanoseconds{*limit} : never;
        } else {
            return never;
        }
    }

    /// Returns the duration up to which the length of a call does not matter; `never` if no length
    /// matters.
    [[nodiscard]] constexpr std::chrono::nanoseconds quick_up_to() const noexcept {
        if constexpr (MeasuresCalls<P>) {
            const std::optional<Nanoseconds> limit = policy().measure_above();
            return limit ? (std::min)(std::chrono::nanoseconds{*limit}, slow_after()) : slow_after();
        } else {
            return slow_after();
        }
    }

    /// Records a call, and returns the reason if the circuit must open now.
    constexpr std::optional<Reason> record(const FinishedCall& call) noexcept {
        decision_is_due_ = false;
        return tally().record(call);
    }

    constexpr void clear() noexcept {
        decision_is_due_ = false;
        tally().clear();
    }

    /// Removes the calls of a decision that was only counted.
    constexpr void start_again() noexcept {
        if constexpr (StartsAgain<Tally>) {
            tally().start_again();
        } else {
            tally().clear();
        }
    }

    /// Returns what must happen to the next success that is not slow.
    [[nodiscard]] constexpr NextSuccess next_success() const noexcept {
        if (decision_is_due_) return NextSuccess::record();
        if constexpr (ForeseesSuccess<Tally>) {
            const NextSuccess next = tally().next_success();
            const bool is_counted = next.kind() == NextSuccess::Kind::count;
            // Without a clock reading for each success, no end would be noticed.
            const bool can_count =
                RecordsSuccesses<Tally> && (CountsUntil<Tally> || next.end() == (Instant::max)());
            return is_counted && !can_count ? NextSuccess::record() : next;
        } else if constexpr (KnowsQuiet<Tally>) {
            return tally().quiet() ? NextSuccess::skip() : NextSuccess::record();
        } else {
            return NextSuccess::record();
        }
    }

    /// Records successes that were counted.
    constexpr void record_successes(std::uint64_t count) noexcept {
        if constexpr (RecordsSuccesses<Tally>) {
            if (count != 0) tally().record_successes(count);
        }
    }

    /// Records successes that were counted. Returns the number of those that changed anything.
    constexpr std::uint64_t record_changes(std::uint64_t count) noexcept {
        if constexpr (CountsUntil<Tally>) { // it places calls in time, so each counts
            record_successes(count);
            return count;
        } else if constexpr (RecordsSuccesses<Tally>) {
            std::uint64_t changes = 0;
            for (; changes != count && next_success() != NextSuccess::skip(); ++changes) {
                record_successes(1);
            }
            return changes;
        } else {
            return 0;
        }
    }

    /// Takes over what fits of the calls that `before` holds. They may already reach a threshold: the
    /// decision is made with the next call.
    constexpr void take_over(const RuleInForce& before) noexcept {
        if constexpr (TakesOver<Tally>) tally().take_over(before.tally());
        decision_is_due_ = true;
    }

  private:
    struct Pair {
        constexpr explicit Pair(P p) : policy{std::move(p)}, tally{std::as_const(policy)} {}
        P policy;
        Tally tally;
    };
    Pair* pair_;                   // null when moved from
    bool decision_is_due_ = false; // on the calls that were taken over, with the next call
};

} // namespace dashpot::inline DASHPOT_ABI::detail

#endif
