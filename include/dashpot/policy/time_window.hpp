// SPDX-License-Identifier: MIT
#ifndef DASHPOT_POLICY_TIME_WINDOW_HPP
#define DASHPOT_POLICY_TIME_WINDOW_HPP

#include <dashpot/core/abi.hpp>
#include <dashpot/core/contract.hpp>
#include <dashpot/core/detail/print.hpp>
#include <dashpot/core/duration.hpp>
#include <dashpot/core/rate.hpp>
#include <dashpot/core/reason.hpp>
#include <dashpot/policy/detail/fixed_array.hpp>
#include <dashpot/policy/detail/window_rule.hpp>
#include <dashpot/policy/failure_policy.hpp>
#include <dashpot/policy/slow_calls.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <limits>
#include <optional>

namespace dashpot::inline DASHPOT_ABI {

/// Opens the circuit at a failure rate, or a rate of slow calls, among the calls of the last so many
/// seconds.
///
/// **Contract.** Judges the calls that ended in the current bucket and the `buckets` - 1 before it,
/// after each of them, successes too, once there are `minimum_calls`. So it looks back between `length`
/// - one bucket and `length`. Buckets are aligned to the clock's epoch. It forgets with time on its
/// own, whether calls come or not. Opens at the rate, not above it; rates are never rounded. A clock
/// that steps back is held at the latest time it showed.
/// **Threads.** A value. **Cost.** O(1) per call, O(`buckets`) after a pause of any length; 24 bytes
/// per bucket.
/// **Errors.** validate() refuses a length that does not divide into `buckets` of whole nanoseconds,
/// a minimum of 0, and rates outside (0, 1].
struct TimeWindow {
    /// How far back it looks. > 0, and a multiple of `buckets` nanoseconds. Default 10 s.
    Nanoseconds length = std::chrono::seconds{10};
    /// The parts in which it forgets. 1 or more. Default 10.
    std::uint32_t buckets = 10;
    /// Calls that must be there before any verdict. 1 or more. Default 10.
    std::uint32_t minimum_calls = 10;
    /// The failure rate that opens the circuit, a ratio in (0, 1]. Default 0.5.
    double failure_rate = 0.5;
    /// Judge slow calls too. Default: no.
    std::optional<SlowCalls> slow_calls = std::nullopt;

    friend bool operator==(const TimeWindow&, const TimeWindow&) = default;

    /// Writes it as the initializer that makes it.
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

/// The sums of each bucket in a ring, and of all of them.
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

    /// Until the bucket ends: then calls fade.
    [[nodiscard]] constexpr bool may_batch_successes() const noexcept {
        return newest_bucket_ && rule_.successes_open_nothing(sums_);
    }
    [[nodiscard]] constexpr Instant batch_ends() const noexcept {
        constexpr std::int64_t last = (std::numeric_limits<std::int64_t>::max)();
        const std::int64_t bucket = newest_bucket_.value_or(0);
        if (bucket == last) return (Instant::max)(); // buckets of 1 ns, at the end of all time
        const std::int64_t next = bucket + 1;
        return Instant{
            std::chrono::nanoseconds{next > last / bucket_length_ ? last : next * bucket_length_}};
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

    /// Holds the newest buckets that fit; none if buckets are no longer as long as they were.
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
        if (passed < ring_.size()) { // the oldest stand right behind the newest
            held = sums_;
            for (std::size_t i = 1; i <= passed; ++i) held.subtract(ring_[behind_newest(i)]);
        }
        return rule_.counts(held);
    }

    /// Never: each success counts, and each fades.
    [[nodiscard]] constexpr bool quiet() const noexcept { return false; }

  private:
    /// Rounds down, so that the bucket before the one at the epoch is as long as any other.
    [[nodiscard]] constexpr std::int64_t bucket_at(Instant at) const noexcept {
        const std::int64_t time = at.time_since_epoch().count();
        const bool is_behind = time < 0 && time % bucket_length_ != 0;
        return time / bucket_length_ - (is_behind ? 1 : 0);
    }

    /// 0 for the newest bucket, and for a time before it: a clock does not run backwards here.
    [[nodiscard]] constexpr std::uint64_t buckets_since(std::int64_t bucket) const noexcept {
        if (bucket <= *newest_bucket_) return 0;
        return static_cast<std::uint64_t>(bucket) - static_cast<std::uint64_t>(*newest_bucket_);
    }

    [[nodiscard]] constexpr std::size_t behind_newest(std::size_t step) const noexcept {
        return (newest_ + step) % ring_.size();
    }

    /// The newest is 0 buckets old.
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
    std::optional<std::int64_t> newest_bucket_; // its number; empty until the first call
    std::size_t newest_ = 0;                    // where it stands in ring_
    detail::WindowSums sums_;
    detail::FixedArray<detail::WindowSums> ring_;
};

static_assert(FailurePolicy<TimeWindow>);

} // namespace dashpot::inline DASHPOT_ABI

#endif
