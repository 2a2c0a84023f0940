// SPDX-License-Identifier: MIT
#ifndef DASHPOT_POLICY_FAILURE_POLICY_HPP
#define DASHPOT_POLICY_FAILURE_POLICY_HPP

#include <dashpot/core/abi.hpp>
#include <dashpot/core/duration.hpp>
#include <dashpot/core/reason.hpp>
#include <dashpot/policy/next_success.hpp>

#include <chrono>
#include <concepts>
#include <cstdint>
#include <optional>

namespace dashpot::inline DASHPOT_ABI {

/// One success or failure, as it is passed to a FailurePolicy. Ignored calls are not passed.
struct FinishedCall {
    bool failed = false; ///< True if the call failed.
    bool slow = false; ///< True if the call took longer than the policy's slow_after(). False if there
                       ///< is no slow_after().
    Instant at{};      ///< The time of recording. It may stand still or step back. It is not set if the
                       ///< Tally has would_open().
    std::chrono::nanoseconds elapsed{0}; ///< How long the call took. 0 if it was not measured, or if
                                         ///< the policy has no measure_above().
};

/// The numbers that a policy judges.
struct Counts {
    std::uint64_t calls = 0;    ///< The calls of the run or window, or the answered probes.
    std::uint64_t failures = 0; ///< The number of failed calls.
    std::uint64_t slow = 0;     ///< The slow calls, failed or not. 0 if slow calls are not judged.
    std::optional<double>
        failure_rate{};                ///< Empty: no rate is judged, or there are not enough calls yet.
    std::optional<double> slow_rate{}; ///< Empty: no rate is judged, or there are not enough calls yet.

    friend bool operator==(const Counts&, const Counts&) = default;
};

/// The recorded calls of a policy. It is called with each success and failure, and decides when the
/// circuit must open.
///
/// **Contract.** A FailureTally provides these functions:
/// - `record()` is called with every success and failure in turn. It returns a Reason exactly if the
///   circuit must open now.
/// - `clear()` removes all calls.
/// - `counts()` returns the numbers as they are at `now`.
///
/// **Threads.** The guard calls the tally under its lock, one call at a time, so the tally needs no
/// synchronization.
/// **Cost.** O(1) per call is expected. `record()` and `clear()` must not allocate.
template <class T>
concept FailureTally = requires(T& tally, const T& read, const FinishedCall& call, Instant now) {
    { tally.record(call) } noexcept -> std::same_as<std::optional<Reason>>;
    { tally.clear() } noexcept;
    { read.counts(now) } noexcept -> std::same_as<Counts>;
};

/// A rule that decides when a circuit opens: options that are a plain value, and a Tally that keeps
/// the numbers. Custom policies are used in the same way as the policies of this library.
///
/// **Contract.** `validate()` calls refuse_option() for a field that is out of range. `P::Tally` is
/// constructed from a `const P&` and models FailureTally. These members are optional, and save the
/// guard work or keep calls:
/// - `std::optional<std::chrono::nanoseconds> P::slow_after() const noexcept`: a call that takes
///   longer is recorded as slow. If the function is missing or returns an empty value, calls are not
///   timed. The return type may be any duration of whole nanoseconds, or an optional of one. A
///   duration that is too long for nanoseconds means forever.
/// - `std::optional<std::chrono::nanoseconds> P::measure_above() const noexcept`: each call that takes
///   longer is recorded with its length, FinishedCall::elapsed, also if it is not slow. The return
///   type is that of `slow_after()`. A Shadow uses this for the limits of its candidates.
/// - `bool Tally::would_open(const FinishedCall&) const noexcept`: returns true if recording that call
///   now would open the circuit. A Tally with this function must not read `FinishedCall::at`. The
///   guard then reads the clock only for a call that opens the circuit.
/// - `NextSuccess Tally::next_success() const noexcept`: returns what the guard must do with the next
///   success that is not slow. Without this function each success is recorded, which is always
///   correct. The guard calls it only while the circuit need not open: it clears the Tally when the
///   circuit opens.
/// - `void Tally::record_successes(std::uint64_t) noexcept`: records successes that the guard has
///   counted. Without this function NextSuccess::count() means NextSuccess::record(). So does
///   NextSuccess::count_until() in a Tally with would_open(), because the guard then reads no clock.
/// - `bool Tally::quiet() const noexcept`: a short form of `next_success()` in a Tally that never lets
///   the guard count. True means NextSuccess::skip(), false means NextSuccess::record().
/// - `void Tally::take_over(const Tally& before) noexcept`: takes over the usable calls of another
///   Tally of the same policy type, whose options may differ. The guard calls it on a new Tally when a
///   running breaker gets another policy. It is called under the lock and must not allocate. Outcomes
///   stay as they were judged. If the calls already reach a threshold, the guard does not open before
///   the next call is recorded. Without this function a changed policy starts empty.
/// - `void Tally::start_again() noexcept`: in METRICS_ONLY, removes the calls of the decision that was
///   counted as would_have_opened. Without this function the guard calls `clear()`.
///
/// An optional member of another shape does not compile in a guard. A Tally may keep a pointer to the
/// policy that it was made from: both keep their addresses, and the policy lives as long as the Tally.
///
/// A policy is passed the time. It reads no clock, takes no lock and calls no user code.
template <class P>
concept FailurePolicy = std::copyable<P> && std::equality_comparable<P> && requires(const P& policy) {
    policy.validate();
    typename P::Tally;
} && std::constructible_from<typename P::Tally, const P&> && FailureTally<typename P::Tally>;

namespace detail {

template <class P>
concept JudgesSlowCalls = requires(const P& policy) {
    { policy.slow_after() } noexcept -> std::convertible_to<std::optional<Nanoseconds>>;
};

template <class P>
concept MeasuresCalls = requires(const P& policy) {
    { policy.measure_above() } noexcept -> std::convertible_to<std::optional<Nanoseconds>>;
};

/// Needs to know how long calls take, at least with some values of its options.
template <class P>
concept TimesCalls = JudgesSlowCalls<P> || MeasuresCalls<P>;

template <class T>
concept ForeseesOpening = requires(const T& tally, const FinishedCall& call) {
    { tally.would_open(call) } noexcept -> std::same_as<bool>;
};

template <class T>
concept ForeseesSuccess = requires(const T& tally) {
    { tally.next_success() } noexcept -> std::same_as<NextSuccess>;
};

template <class T>
concept KnowsQuiet = requires(const T& tally) {
    { tally.quiet() } noexcept -> std::same_as<bool>;
};

template <class T>
concept RecordsSuccesses = requires(T& tally, std::uint64_t count) {
    { tally.record_successes(count) } noexcept;
};

/// Has answers that may end with time, so the guard reads the clock for each success that it counts.
template <class T>
concept CountsUntil = ForeseesSuccess<T> && RecordsSuccesses<T> && !ForeseesOpening<T>;

template <class T>
concept StartsAgain = requires(T& tally) {
    { tally.start_again() } noexcept;
};

template <class T>
concept TakesOver = requires(T& tally, const T& before) {
    { tally.take_over(before) } noexcept;
};

} // namespace detail

} // namespace dashpot::inline DASHPOT_ABI

#endif
