// SPDX-License-Identifier: MIT
#ifndef DASHPOT_POLICY_DETAIL_SHADOW_TALLY_HPP
#define DASHPOT_POLICY_DETAIL_SHADOW_TALLY_HPP

#include <dashpot/core/abi.hpp>
#include <dashpot/core/duration.hpp>
#include <dashpot/core/reason.hpp>
#include <dashpot/policy/detail/policy_checks.hpp>
#include <dashpot/policy/failure_policy.hpp>
#include <dashpot/policy/next_success.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <tuple>
#include <utility>

namespace dashpot::inline DASHPOT_ABI {

/// The numbers of a candidate of a Shadow.
struct CandidateNumbers {
    /// How often the candidate would have opened the circuit. Its other numbers start again from zero
    /// each time.
    std::uint64_t would_have_opened = 0;
    Counts counts{}; ///< The numbers that the candidate judges now.

    friend bool operator==(const CandidateNumbers&, const CandidateNumbers&) = default;
};

namespace detail {

template <class P, class Traits>
concept PrintsItself =
    requires(std::basic_ostream<char, Traits>& out, const P& policy) { out << policy; };

/// Returns the duration above which a call is slow for the policy; empty if it judges no slow calls.
template <class P>
[[nodiscard]] constexpr std::optional<std::chrono::nanoseconds> slow_limit(const P& policy) noexcept {
    if constexpr (JudgesSlowCalls<P>) {
        const std::optional<Nanoseconds> limit = policy.slow_after();
        if (limit) return std::chrono::nanoseconds{*limit};
    }
    return std::nullopt;
}

/// Returns the shortest limit; empty if all are empty.
template <std::same_as<std::optional<std::chrono::nanoseconds>>... Limits>
[[nodiscard]] constexpr std::optional<std::chrono::nanoseconds>
shortest(const Limits&... limits) noexcept {
    std::optional<std::chrono::nanoseconds> result;
    for (const auto& limit : {limits...})
        if (limit && (!result || *limit < *result)) result = limit;
    return result;
}

/// Returns the duration above which the policy needs the length of a call.
template <class P>
[[nodiscard]] constexpr std::optional<std::chrono::nanoseconds>
measured_limit(const P& policy) noexcept {
    if constexpr (MeasuresCalls<P>) {
        const std::optional<Nanoseconds> limit = policy.measure_above();
        return shortest(slow_limit(policy),
                        limit ? std::optional{std::chrono::nanoseconds{*limit}} : std::nullopt);
    } else {
        return slow_limit(policy);
    }
}

/// Returns what the guard must do with the next success, if it were for this Tally alone.
template <class Tally>
[[nodiscard]] constexpr NextSuccess next_success_of(const Tally& tally) noexcept {
    if constexpr (ForeseesSuccess<Tally>) {
        const NextSuccess next = tally.next_success();
        // Without a clock reading for each success, no end would be noticed.
        const bool can_count =
            RecordsSuccesses<Tally> && (CountsUntil<Tally> || next.end() == (Instant::max)());
        return next.kind() == NextSuccess::Kind::count && !can_count ? NextSuccess::record() : next;
    } else if constexpr (KnowsQuiet<Tally>) {
        return tally.quiet() ? NextSuccess::skip() : NextSuccess::record();
    } else {
        return NextSuccess::record();
    }
}

/// Returns what the guard must do with the next success, if it is for two Tallies.
[[nodiscard]] constexpr NextSuccess strictest(NextSuccess one, NextSuccess other) noexcept {
    using Kind = NextSuccess::Kind;
    if (one.kind() == Kind::record || other.kind() == Kind::record) return NextSuccess::record();
    if (one.kind() == Kind::skip) return other;
    if (other.kind() == Kind::skip) return one;
    return NextSuccess::count_until((std::min)(one.end(), other.end()));
}

/// Records successes that were counted. A Tally that counts none has answered NextSuccess::skip().
template <class Tally>
constexpr void record_counted(Tally& tally, std::uint64_t count) noexcept {
    if constexpr (RecordsSuccesses<Tally>) tally.record_successes(count);
}

/// A policy that only counts how often it would open the circuit.
template <FailurePolicy P>
class ShadowCandidate {
    static_assert(check_offers<P>());

  public:
    constexpr explicit ShadowCandidate(const P& policy)
        : policy_{policy}, tally_{std::as_const(policy_)} {}

    constexpr void record(FinishedCall call) noexcept {
        const std::optional<std::chrono::nanoseconds> limit = slow_limit(policy_);
        call.slow = limit && call.elapsed > *limit;
        if (!tally_.record(call)) return;
        ++would_have_opened_;
        tally_.clear();
    }

    constexpr void record_successes(std::uint64_t count) noexcept { record_counted(tally_, count); }
    constexpr void clear() noexcept { tally_.clear(); }

    /// Takes over the calls that fit, and `would_have_opened` if the policy is the same.
    constexpr void take_over(const ShadowCandidate& before) noexcept {
        if constexpr (TakesOver<typename P::Tally>) tally_.take_over(before.tally_);
        if (policy_ == before.policy_) would_have_opened_ = before.would_have_opened_;
    }

    [[nodiscard]] constexpr NextSuccess next_success() const noexcept {
        return next_success_of(tally_);
    }
    [[nodiscard]] constexpr CandidateNumbers numbers(Instant now) const noexcept {
        return {would_have_opened_, tally_.counts(now)};
    }

  private:
    P policy_;
    typename P::Tally tally_;
    std::uint64_t would_have_opened_ = 0;
};

/// The Tally of a Shadow: that of the live policy, and those of the candidates.
template <class Policy, FailurePolicy Live, FailurePolicy... Candidates>
class ShadowTally {
    static_assert(check_offers<Live>());

  public:
    constexpr explicit ShadowTally(const Policy& policy)
        : live_{policy.live},
          candidates_{std::apply(
              [](const Candidates&... each) { return std::tuple<const Candidates&...>{each...}; },
              policy.candidates)} {}

    constexpr std::optional<Reason> record(const FinishedCall& call) noexcept {
        each([&](auto& candidate) { candidate.record(call); });
        return live_.record(call);
    }

    constexpr void clear() noexcept {
        live_.clear();
        each([](auto& candidate) { candidate.clear(); });
    }

    /// What the live policy would have done does not change the numbers of the candidates.
    constexpr void start_again() noexcept {
        if constexpr (StartsAgain<typename Live::Tally>) {
            live_.start_again();
        } else {
            live_.clear();
        }
    }

    [[nodiscard]] constexpr Counts counts(Instant now) const noexcept { return live_.counts(now); }

    [[nodiscard]] constexpr NextSuccess next_success() const noexcept {
        NextSuccess result = next_success_of(live_);
        each([&](const auto& candidate) { result = strictest(result, candidate.next_success()); });
        return result;
    }

    constexpr void record_successes(std::uint64_t count) noexcept {
        record_counted(live_, count);
        each([&](auto& candidate) { candidate.record_successes(count); });
    }

    constexpr void take_over(const ShadowTally& before) noexcept {
        if constexpr (TakesOver<typename Live::Tally>) live_.take_over(before.live_);
        [&]<std::size_t... Index>(std::index_sequence<Index...>) {
            (std::get<Index>(candidates_).take_over(std::get<Index>(before.candidates_)), ...);
        }(std::index_sequence_for<Candidates...>{});
    }

    /// Returns the numbers of each candidate.
    [[nodiscard]] constexpr std::array<CandidateNumbers, sizeof...(Candidates)>
    candidates(Instant now) const noexcept {
        return std::apply(
            [&](const auto&... candidate) {
                return std::array<CandidateNumbers, sizeof...(Candidates)>{candidate.numbers(now)...};
            },
            candidates_);
    }

  protected:
    [[nodiscard]] constexpr const typename Live::Tally& live() const noexcept { return live_; }

  private:
    template <class F>
    constexpr void each(F&& f) noexcept {
        std::apply([&](auto&... candidate) { (f(candidate), ...); }, candidates_);
    }
    template <class F>
    constexpr void each(F&& f) const noexcept {
        std::apply([&](const auto&... candidate) { (f(candidate), ...); }, candidates_);
    }

    typename Live::Tally live_;
    std::tuple<ShadowCandidate<Candidates>...> candidates_;
};

/// A ShadowTally of policies of which none needs the time of a call that does not open the circuit.
template <class Policy, FailurePolicy Live, FailurePolicy... Candidates>
class ForeseeingShadowTally : public ShadowTally<Policy, Live, Candidates...> {
  public:
    using ShadowTally<Policy, Live, Candidates...>::ShadowTally;

    [[nodiscard]] constexpr bool would_open(const FinishedCall& call) const noexcept {
        return this->live().would_open(call);
    }
};

/// A policy with candidates beside it: a Shadow.
template <class P>
concept HasCandidates =
    requires(const typename P::Tally& tally, Instant now) { tally.candidates(now); };

} // namespace detail

} // namespace dashpot::inline DASHPOT_ABI

#endif
