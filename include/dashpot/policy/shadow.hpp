// SPDX-License-Identifier: MIT
#ifndef DASHPOT_POLICY_SHADOW_HPP
#define DASHPOT_POLICY_SHADOW_HPP

#include <dashpot/core/abi.hpp>
#include <dashpot/core/detail/print.hpp>
#include <dashpot/policy/detail/shadow_tally.hpp>
#include <dashpot/policy/failure_policy.hpp>

#include <chrono>
#include <cstddef>
#include <iosfwd>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>

namespace dashpot::inline DASHPOT_ABI {

/// Tries other policies beside the live one, on the same calls.
///
///     using Tried = dashpot::Shadow<dashpot::ConsecutiveFailures, dashpot::TimeWindow>;
///     dashpot::CircuitBreaker<dashpot::SteadyClock, Tried> breaker{
///         {.live = {.threshold = 5}, .candidates = {{.length = 10s, .failure_rate = 0.3}}}};
///
///     breaker.candidates()[0].would_have_opened; // 3 times, while the live policy opened once
///
/// **Contract.** The circuit opens and closes exactly as with `Live` alone.
/// - Each candidate is passed the same calls and judges them with numbers of its own. Each candidate
///   has its own limit for slow calls.
/// - If a candidate would open the circuit, its `would_have_opened` grows by one and its numbers start
///   again from zero, as in METRICS_ONLY.
/// - A candidate sees the calls that the live policy sees: those in CLOSED and METRICS_ONLY, not the
///   probes. Its numbers start again from zero at each change of state, but `would_have_opened` stays.
/// - reconfigure() keeps `would_have_opened` of candidates that do not change, and sets it to zero for
///   the others.
///
/// CircuitBreaker::candidates() returns the numbers of the candidates.
/// **Threads.** It is a value without synchronization. **Cost.** Each call costs the sum of all
/// policies. A success is counted without a lock only if this is possible for each of them.
/// **Errors.** validate() refuses what the policies refuse.
///
/// @tparam Live        the policy that decides
/// @tparam Candidates  the policies that only count
template <FailurePolicy Live, FailurePolicy... Candidates>
struct Shadow {
    /// The policy that decides.
    Live live{};
    /// The policies that only count, in the order of CircuitBreaker::candidates().
    std::tuple<Candidates...> candidates{};

    friend bool operator==(const Shadow&, const Shadow&) = default;

    /// Writes the policies as the initializer that makes them.
    template <class Traits>
        requires(detail::PrintsItself<Live, Traits> && ... && detail::PrintsItself<Candidates, Traits>)
    friend std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& out,
                                                        const Shadow& options) {
        detail::FieldPrinter{out, "Shadow"}.field("live", options.live);
        detail::write_text(out, ", .candidates = {");
        std::apply(
            [&]<class... Each>(const Each&... each) {
                [[maybe_unused]] const char* separator = "";
                ((detail::write_text(out, std::exchange(separator, ", ")), out << each), ...);
            },
            options.candidates);
        detail::write_text(out, "}}");
        return out;
    }

    constexpr void validate() const {
        live.validate();
        std::apply([](const auto&... each) { (each.validate(), ...); }, candidates);
    }

    /// Returns the limit of the live policy: no other makes a call slow.
    [[nodiscard]] constexpr std::optional<std::chrono::nanoseconds> slow_after() const noexcept {
        return detail::slow_limit(live);
    }

    /// Returns the shortest limit of all policies.
    [[nodiscard]] constexpr std::optional<std::chrono::nanoseconds> measure_above() const noexcept {
        return std::apply(
            [this](const auto&... each) {
                return detail::shortest(detail::measured_limit(live), detail::measured_limit(each)...);
            },
            candidates);
    }

    using Tally = std::conditional_t<(detail::ForeseesOpening<typename Live::Tally> && ... &&
                                      detail::ForeseesOpening<typename Candidates::Tally>),
                                     detail::ForeseeingShadowTally<Shadow, Live, Candidates...>,
                                     detail::ShadowTally<Shadow, Live, Candidates...>>;
};

} // namespace dashpot::inline DASHPOT_ABI

#endif
