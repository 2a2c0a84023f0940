// SPDX-License-Identifier: MIT
#ifndef DASHPOT_POLICY_FAILURE_POLICY_HPP
#define DASHPOT_POLICY_FAILURE_POLICY_HPP

#include <dashpot/core/abi.hpp>
#include <dashpot/core/duration.hpp>
#include <dashpot/core/reason.hpp>

#include <chrono>
#include <concepts>
#include <cstdint>
#include <optional>

namespace dashpot::inline DASHPOT_ABI {

/// One call that counts, as a FailurePolicy is told of it. Ignored calls are not told.
struct FinishedCall {
    bool failed = false; ///< The target failed it.
    bool slow = false;   ///< It took longer than the policy's slow_after(); false where there is none.
    Instant at{}; ///< When it was recorded. May stand still or step back. Not set where would_open() is
                  ///< offered.
};

/// The numbers that a policy judges by.
struct Counts {
    std::uint64_t calls = 0;    ///< Calls held: of the run, of the window, or probes answered.
    std::uint64_t failures = 0; ///< How many of them failed.
    std::uint64_t slow = 0; ///< How many were slow, failed or not. 0 where slow calls are not judged.
    std::optional<double>
        failure_rate{};                ///< Empty: no rate is judged, or there are not enough calls yet.
    std::optional<double> slow_rate{}; ///< Empty: no rate is judged, or there are not enough calls yet.

    friend bool operator==(const Counts&, const Counts&) = default;
};

/// What a policy remembers: it is told of each call and says when the circuit must open.
///
/// **Contract.** `record()` is told of every success and failure in turn and answers a Reason exactly
/// when the circuit is to open now. `clear()` forgets all calls. `counts()` reads the numbers as they
/// stand at `now`. `quiet()` is true only if another success that is not slow would change nothing
/// that anybody can see, at any later time: the guard then skips telling.
/// **Threads.** None: the guard calls it under its lock, one call at a time.
/// **Cost.** Yours; O(1) is expected. `record()` and `clear()` must not allocate.
template <class T>
concept FailureTally = requires(T& tally, const T& read, const FinishedCall& call, Instant now) {
    { tally.record(call) } noexcept -> std::same_as<std::optional<Reason>>;
    { tally.clear() } noexcept;
    { read.counts(now) } noexcept -> std::same_as<Counts>;
    { read.quiet() } noexcept -> std::same_as<bool>;
};

/// A rule that decides when a circuit opens: options that are a plain value, and a Tally that keeps
/// the numbers. Yours is as good as ours.
///
/// **Contract.** `validate()` calls refuse_option() for a field out of range. `P::Tally` is made from
/// a `const P&` and models FailureTally. It may offer more, and the guard then does less:
/// - `std::optional<std::chrono::nanoseconds> P::slow_after() const noexcept`: calls that take longer
///   are told as slow. Without it, or where it is empty, no call is timed. Any duration of whole
///   nanoseconds will do, as an optional or not; one that is too long for nanoseconds is for ever.
/// - `bool Tally::would_open(const FinishedCall&) const noexcept`: whether telling it of that call now
///   would open the circuit. A Tally that offers it must not look at `FinishedCall::at`: the guard then
///   reads the clock only for a call that opens the circuit, and not for each one.
/// - `bool Tally::may_batch_successes() const noexcept` and `void
///   Tally::record_successes(std::uint64_t) noexcept`: whether successes that are not slow could not
///   open the circuit, however many are told from now on, before `Instant Tally::batch_ends() const
///   noexcept` if it offers that. The guard then need not take its lock for each, and tells them
///   together, before anything else. It asks only while no verdict stands: it clears the Tally after
///   one.
/// - `void Tally::take_over(const Tally& before) noexcept`: takes what it can use of the calls that
///   another Tally of the same policy type holds, whose options may differ. It is asked of a Tally just
///   made, when a running breaker is given another policy, under the lock: it must not allocate.
///   Outcomes stay as they were judged. A verdict may stand after it; the guard opens nothing until the
///   next call is told. Without it a changed policy begins empty.
///
/// An offer of another shape does not compile in a guard. A Tally may keep a pointer to the policy that
/// it was made from: both keep their addresses, and the policy lives as long.
///
/// A policy is told the time; it reads no clock, takes no lock and calls nobody back.
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

template <class T>
concept ForeseesOpening = requires(const T& tally, const FinishedCall& call) {
    { tally.would_open(call) } noexcept -> std::same_as<bool>;
};

template <class T>
concept BatchesSuccesses = requires(T& tally, const T& read, std::uint64_t count) {
    { read.may_batch_successes() } noexcept -> std::same_as<bool>;
    { tally.record_successes(count) } noexcept;
};

template <class T>
concept TakesOver = requires(T& tally, const T& before) {
    { tally.take_over(before) } noexcept;
};

template <class T>
concept EndsBatches = BatchesSuccesses<T> && requires(const T& tally) {
    { tally.batch_ends() } noexcept -> std::same_as<Instant>;
};

} // namespace detail

} // namespace dashpot::inline DASHPOT_ABI

#endif
