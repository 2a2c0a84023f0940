// SPDX-License-Identifier: MIT
#ifndef DASHPOT_POLICY_TIME_WINDOW_HPP
#define DASHPOT_POLICY_TIME_WINDOW_HPP

#include <dashpot/core/abi.hpp>
#include <dashpot/core/contract.hpp>
#include <dashpot/core/detail/fixed_array.hpp>
#include <dashpot/core/detail/print.hpp>
#include <dashpot/core/duration.hpp>
#include <dashpot/core/rate.hpp>
#include <dashpot/core/reason.hpp>
#include <dashpot/policy/detail/bucket_ring.hpp>
#include <dashpot/policy/detail/window_rule.hpp>
#include <dashpot/policy/failure_policy.hpp>
#include <dashpot/policy/next_success.hpp>
#include <dashpot/policy/slow_calls.hpp>

#include <chrono>
#include <cstdint>
#include <iosfwd>
#include <optional>

namespace dashpot::inline DASHPOT_ABI {

/// Opens the circuit at a failure rate, or at a rate of slow calls, among the calls within the last
/// `length`.
///
/// **Contract.** Judges the calls that ended in the current bucket and in the `buckets` - 1 buckets
/// before it. It judges after each call, including successes, as soon as the window holds
/// `minimum_calls`.
/// - The window covers between `length` - one bucket and `length`. Buckets are aligned to the clock's
///   epoch.
/// - Calls leave the window as time passes, even if no new calls come.
/// - The circuit opens if the rate is reached; the rate need not be exceeded. Rates are never rounded.
/// - If the clock steps back, the window stays at the latest time that it was passed.
///
/// **Threads.** It is a value without synchronization. **Cost.** Each call is O(1), and O(`buckets`)
/// after a pause of any length. The window has 24 bytes per bucket.
/// **Errors.** validate() refuses a length that does not divide into `buckets` of whole nanoseconds, a
/// minimum of 0, and rates outside (0, 1].
struct TimeWindow {
    /// The length of the window. Must be > 0 and a multiple of `buckets` nanoseconds. Default 10 s.
    Nanoseconds length = std::chrono::seconds{10};
    /// The number of buckets; calls leave the window by the bucket. Must be 1 or more. Default 10.
    std::uint32_t buckets = 10;
    /// The number of calls that the window must hold before it is judged. Must be 1 or more. Default
    /// 10.
    std::uint32_t minimum_calls = 10;
    /// The failure rate that opens the circuit, a ratio in (0, 1]. Default 0.5.
    double failure_rate = 0.5;
    /// The rule for slow calls. Default: empty; slow calls are not judged.
    std::optional<SlowCalls> slow_calls = std::nullopt;

    friend bool operator==(const TimeWindow&, const TimeWindow&) = default;

    /// Writes the options as the initializer that makes them.
    template <class Traits>
    friend std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& out,
                                                        const TimeWindow& options) {
        return detail::FieldPrinter{out, "TimeWindow"}
            .field("length", options.length)
            .field("buckets", options.buckets)
            .field("minimum_calls", options.minimum_calls)
            .field("failure_rate", options.failure_rate)
            .optional("slow_calls", options.slow_calls)
            .end();
    }

    constexpr void validate() const {
        if (buckets == 0) refuse_option("TimeWindow::buckets", buckets, "must be 1 or more");
        if (!detail::fits_in_memory<detail::WindowSums>(buckets)) {
            refuse_option("TimeWindow::buckets", buckets, "must be fewer on this 32-bit target");
        }
        if (length.count() <= 0 || length.count() % std::int64_t{buckets} != 0) {
            refuse_option("TimeWindow::length", length, "must be longer than 0s and divide into ",
                          buckets, " buckets of whole nanoseconds; change length or buckets");
        }
        if (minimum_calls == 0) {
            refuse_option("TimeWindow::minimum_calls", minimum_calls, "must be 1 or more");
        }
        if (!is_rate(failure_rate)) {
            refuse_option("TimeWindow::failure_rate", failure_rate,
                          "must be in (0, 1]; for 50 % write 0.5");
        }
        if (slow_calls) slow_calls->validate();
    }

    [[nodiscard]] constexpr std::optional<std::chrono::nanoseconds> slow_after() const noexcept {
        return slow_calls ? std::optional<std::chrono::nanoseconds>{slow_calls->longer_than}
                          : std::nullopt;
    }

    class Tally;
};

/// The window of a TimeWindow, and the rule that judges it. It is passed the time.
class TimeWindow::Tally {
  public:
    constexpr explicit Tally(const TimeWindow& policy)
        : rule_{policy.minimum_calls, policy.failure_rate, policy.slow_calls},
          window_{policy.length, policy.buckets} {}

    constexpr std::optional<Reason> record(const FinishedCall& call) noexcept {
        window_.move_to(call.at);
        window_.add(call);
        return rule_.judge(window_.sums());
    }

    /// Each success counts until it leaves the window, so none is skipped. None can open the circuit
    /// before the end of the bucket, when calls leave the window.
    [[nodiscard]] constexpr NextSuccess next_success() const noexcept {
        if (window_.is_unused() || !rule_.successes_open_nothing(window_.sums())) {
            return NextSuccess::record();
        }
        return NextSuccess::count_until(window_.newest_ends());
    }

    constexpr void record_successes(std::uint64_t count) noexcept {
        window_.add(detail::WindowSums{.calls = count});
    }

    constexpr void clear() noexcept { window_.clear(); }

    /// Takes over the newest buckets that fit. If the buckets have another length, nothing is taken
    /// over.
    /// **Cost.** O(`buckets`).
    constexpr void take_over(const Tally& before) noexcept { window_.take_over(before.window_); }

    [[nodiscard]] constexpr Counts counts(Instant now) const noexcept {
        return rule_.counts(window_.sums_at(now));
    }

  private:
    detail::WindowRule rule_;
    detail::BucketRing<detail::WindowSums> window_;
};

static_assert(FailurePolicy<TimeWindow>);

} // namespace dashpot::inline DASHPOT_ABI

#endif
