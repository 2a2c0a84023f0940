// SPDX-License-Identifier: MIT
#ifndef DASHPOT_POLICY_LIMIT_POLICY_HPP
#define DASHPOT_POLICY_LIMIT_POLICY_HPP

#include <dashpot/core/abi.hpp>
#include <dashpot/core/duration.hpp>

#include <concepts>
#include <cstdint>

namespace dashpot::inline DASHPOT_ABI {

/// One call that an AdaptiveLimiter admitted, as it is passed to a LimitPolicy when the call has ended.
/// Refused and ignored calls are not passed.
struct Sample {
    Instant began{};             ///< When the call was admitted.
    Instant ended{};             ///< When its outcome was recorded.
    std::uint32_t in_flight = 1; ///< Calls in flight when it began, itself included.
    bool dropped = false; ///< The target refused the call, or took too long, because of overload.
};

/// A rule that learns how many calls a target can take at once: options that are a plain value, and an
/// Estimator that keeps the numbers.
///
/// **Contract.** `validate()` calls refuse_option() for a field that is out of range. `P::Estimator` is
/// constructed from a `const P&`:
/// - `record()` is called with each finished call that is a sample, in the order of recording. The
/// times
///   may stand still or step back.
/// - `limit()` returns the limit from now on. It is 1 or more.
/// - `take_over()` is optional. It is called on a new Estimator when a running limiter gets another
///   policy of the same type, and continues what the other one has learned. Without it, a changed
///   policy starts at its initial limit.
///
/// **Threads.** The guard calls the estimator under its lock, one call at a time.
/// **Cost.** O(1) per call is expected. No function may allocate.
///
/// A policy is passed the time. It reads no clock, takes no lock and calls no user code.
template <class P>
concept LimitPolicy = std::copyable<P> && std::equality_comparable<P> &&
                      requires(const P& policy) {
                          policy.validate();
                          typename P::Estimator;
                      } && std::constructible_from<typename P::Estimator, const P&> &&
                      requires(typename P::Estimator& estimator, const typename P::Estimator& read,
                               const Sample& sample) {
                          { estimator.record(sample) } noexcept;
                          { read.limit() } noexcept -> std::same_as<std::uint32_t>;
                      };

namespace detail {

template <class E>
concept TakesLimitOver = requires(E& estimator, const E& before) {
    { estimator.take_over(before) } noexcept;
};

} // namespace detail

} // namespace dashpot::inline DASHPOT_ABI

#endif
