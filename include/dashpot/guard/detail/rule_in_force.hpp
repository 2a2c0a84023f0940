// SPDX-License-Identifier: MIT
#ifndef DASHPOT_GUARD_DETAIL_RULE_IN_FORCE_HPP
#define DASHPOT_GUARD_DETAIL_RULE_IN_FORCE_HPP

#include <dashpot/core/abi.hpp>
#include <dashpot/core/duration.hpp>
#include <dashpot/guard/detail/call_report.hpp>
#include <dashpot/policy/detail/policy_checks.hpp>
#include <dashpot/policy/failure_policy.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>

namespace dashpot::inline DASHPOT_ABI::detail {

/// Whether another policy can take its place with nothing that could fail half-way.
template <class P>
concept CanBeReconfigured =
    std::is_nothrow_destructible_v<P> && std::is_nothrow_destructible_v<typename P::Tally>;

/// A policy and the Tally made from it, with what every caller wants to know of the two.
///
/// **Contract.** Both keep their addresses as long as they live, also when two rules are swapped: a
/// Tally may point at its policy.
/// **Threads.** None: a value. **Cost.** It allocates once, when it is made.
template <FailurePolicy P>
class RuleInForce {
    static_assert(check_offers<P>());

  public:
    using Tally = typename P::Tally;

    constexpr explicit RuleInForce(P policy) : pair_{new Pair{std::move(policy)}} {}
    constexpr RuleInForce(const RuleInForce& other) : pair_{new Pair{*other.pair_}} {}
    constexpr RuleInForce(RuleInForce&& other) noexcept : pair_{std::exchange(other.pair_, nullptr)} {}
    constexpr RuleInForce& operator=(RuleInForce other) noexcept {
        swap(other);
        return *this;
    }
    constexpr ~RuleInForce() { delete pair_; }

    constexpr void swap(RuleInForce& other) noexcept { std::swap(pair_, other.pair_); }

    [[nodiscard]] constexpr const P& policy() const noexcept { return pair_->policy; }
    [[nodiscard]] constexpr Tally& tally() noexcept { return pair_->tally; }
    [[nodiscard]] constexpr const Tally& tally() const noexcept { return pair_->tally; }

    /// A call that takes longer is slow; `never` where slow calls are not judged.
    [[nodiscard]] constexpr std::chrono::nanoseconds slow_after() const noexcept {
        if constexpr (JudgesSlowCalls<P>) {
            const std::optional<Nanoseconds> limit = policy().slow_after();
            return limit ? std::chrono::nanoseconds{*limit} : never;
        } else {
            return never;
        }
    }

    /// Returns true if successes that are not slow cannot open the circuit, however many come.
    [[nodiscard]] constexpr bool may_batch_successes() const noexcept {
        if constexpr (BatchesSuccesses<Tally>) {
            return tally().may_batch_successes();
        } else {
            return tally().quiet();
        }
    }

    /// Successes recorded from then on must be recorded one by one.
    [[nodiscard]] constexpr Instant batch_ends() const noexcept {
        if constexpr (EndsBatches<Tally>) {
            return tally().batch_ends();
        } else {
            return (Instant::max)();
        }
    }

    /// Records successes that were left for later.
    constexpr void record_successes(std::uint64_t count) noexcept {
        if constexpr (BatchesSuccesses<Tally>) {
            if (count != 0) tally().record_successes(count);
        }
    }

    /// The same. @return how many of them changed anything: a quiet Tally stays as it is
    constexpr std::uint64_t record_changes(std::uint64_t count) noexcept {
        if constexpr (BatchesSuccesses<Tally>) {
            if (batch_ends() != (Instant::max)()) { // it places calls in time, so each counts
                record_successes(count);
                return count;
            }
            std::uint64_t changes = 0;
            for (; changes != count && !tally().quiet(); ++changes) record_successes(1);
            return changes;
        } else {
            return 0;
        }
    }

    /// Takes what fits of the calls that `before` holds.
    constexpr void take_over(const RuleInForce& before) noexcept {
        if constexpr (TakesOver<Tally>) tally().take_over(before.tally());
    }

  private:
    struct Pair {
        constexpr explicit Pair(P p) : policy{std::move(p)}, tally{std::as_const(policy)} {}
        P policy;
        Tally tally;
    };
    Pair* pair_; // null when moved from
};

} // namespace dashpot::inline DASHPOT_ABI::detail

#endif
