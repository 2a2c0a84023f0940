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
#include <dashpot/policy/detail/window_rule.hpp>
#include <dashpot/policy/failure_policy.hpp>
#include <dashpot/policy/next_success.hpp>
#include <dashpot/policy/slow_calls.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <limits>
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

/// A ring with the sums of each bucket, and the sums of all buckets.
class TimeWindow::Tally {
  public:
    constexpr explicit Tally(const TimeWindow& policy)
        : rule_{policy.minimum_calls, policy.failure_rate, policy.slow_calls},
          bucket_length_{policy.length.count() / std::int64_t{policy.buckets}}, ring_(policy.buckets) {}

    constexpr std::optional<Reason> record(const FinishedCall& call) noexcept {
        move_to(bucket_at(call.at));
        ring_[newest_].add(call);
        sums_.add(call);
        return rule_.judge(sums_);
    }

    /// Each success counts until it leaves the window, so none is skipped. None can open the circuit
    /// before the end of the bucket, when calls leave the window.
    [[nodiscard]] constexpr NextSuccess next_success() const noexcept {
        if (!newest_bucket_ || !rule_.successes_open_nothing(sums_)) return NextSuccess::record();
        return NextSuccess::count_until(end_of(*newest_bucket_));
    }

    constexpr void record_successes(std::uint64_t count) noexcept {
        const detail::WindowSums more{.calls = count};
        ring_[newest_].add(more);
        sums_.add(more);
    }

    constexpr void clear() noexcept {
        for (detail::WindowSums& bucket : ring_) bucket = {};
        sums_ = {};
        newest_bucket_.reset();
    }

    /// Takes over the newest buckets that fit. If the buckets have another length, nothing is taken
    /// over.
    /// **Cost.** O(`buckets`).
    constexpr void take_over(const Tally& before) noexcept {
        if (before.bucket_length_ != bucket_length_) return;
        newest_bucket_ = before.newest_bucket_;
        for (std::size_t age = 0; age != (std::min)(ring_.size(), before.ring_.size()); ++age) {
            const detail::WindowSums& bucket = before.ring_[before.of_age(age)];
            ring_[of_age(age)] = bucket;
            sums_.add(bucket);
        }
    }

    [[nodiscard]] constexpr Counts counts(Instant now) const noexcept {
        if (!newest_bucket_) return rule_.counts({});
        const std::uint64_t passed = buckets_since(bucket_at(now));
        detail::WindowSums held;
        if (passed < ring_.size()) { // the oldest buckets follow directly after the newest
            held = sums_;
            for (std::size_t i = 1; i <= passed; ++i) held.subtract(ring_[behind_newest(i)]);
        }
        return rule_.counts(held);
    }

  private:
    /// Returns the number of the bucket. The division rounds down, so that the bucket before the epoch
    /// is as long as any other.
    [[nodiscard]] constexpr std::int64_t bucket_at(Instant at) const noexcept {
        const std::int64_t time = at.time_since_epoch().count();
        const bool is_behind = time < 0 && time % bucket_length_ != 0;
        return time / bucket_length_ - (is_behind ? 1 : 0);
    }

    [[nodiscard]] constexpr Instant end_of(std::int64_t bucket) const noexcept {
        constexpr std::int64_t last = (std::numeric_limits<std::int64_t>::max)();
        if (bucket == last) return (Instant::max)(); // 1-ns buckets, at the end of the clock
        const std::int64_t next = bucket + 1;
        return Instant{
            std::chrono::nanoseconds{next > last / bucket_length_ ? last : next * bucket_length_}};
    }

    /// Returns the number of buckets since `bucket`. It is 0 for the newest bucket and for earlier
    /// ones: time does not run backwards in the window.
    [[nodiscard]] constexpr std::uint64_t buckets_since(std::int64_t bucket) const noexcept {
        if (bucket <= *newest_bucket_) return 0;
        return static_cast<std::uint64_t>(bucket) - static_cast<std::uint64_t>(*newest_bucket_);
    }

    [[nodiscard]] constexpr std::size_t behind_newest(std::size_t step) const noexcept {
        return (newest_ + step) % ring_.size();
    }

    /// Returns the index of the bucket of that age. The newest bucket has age 0.
    [[nodiscard]] constexpr std::size_t of_age(std::size_t age) const noexcept {
        return behind_newest(ring_.size() - age);
    }

    constexpr void move_to(std::int64_t bucket) noexcept {
        if (!newest_bucket_) newest_bucket_ = bucket;
        const std::uint64_t passed = buckets_since(bucket);
        if (passed == 0) return;
        const std::size_t steps =
            passed < ring_.size() ? static_cast<std::size_t>(passed) : ring_.size();
        for (std::size_t i = 0; i != steps; ++i) {
            newest_ = behind_newest(1);
            sums_.subtract(ring_[newest_]);
            ring_[newest_] = {};
        }
        newest_bucket_ = bucket;
    }

    detail::WindowRule rule_;
    std::int64_t bucket_length_;
    std::optional<std::int64_t> newest_bucket_; // its number; empty before the first call
    std::size_t newest_ = 0;                    // the index of the newest bucket in ring_
    detail::WindowSums sums_;
    detail::FixedArray<detail::WindowSums> ring_;
};

static_assert(FailurePolicy<TimeWindow>);

} // namespace dashpot::inline DASHPOT_ABI

#endif
