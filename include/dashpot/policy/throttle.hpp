// SPDX-License-Identifier: MIT
#ifndef DASHPOT_POLICY_THROTTLE_HPP
#define DASHPOT_POLICY_THROTTLE_HPP

#include <dashpot/core/abi.hpp>
#include <dashpot/core/contract.hpp>
#include <dashpot/core/detail/exact_double.hpp>
#include <dashpot/core/detail/fixed_array.hpp>
#include <dashpot/core/detail/print.hpp>
#include <dashpot/core/detail/wide.hpp>
#include <dashpot/core/duration.hpp>
#include <dashpot/core/rate.hpp>
#include <dashpot/policy/detail/bucket_ring.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <limits>

namespace dashpot::inline DASHPOT_ABI {

namespace detail {

/// Returns a number from 0 up in billionths, rounded to the nearest, at most 2^62.
[[nodiscard]] constexpr std::uint64_t billionths(const double& number) noexcept {
    constexpr std::int64_t most = std::int64_t{1} << 62U;
    const std::int64_t tenths = whole_part(product(number, 1e10));
    return static_cast<std::uint64_t>(tenths >= most ? most : (tenths + 5) / 10);
}

} // namespace detail

/// Which share of the calls a Throttler refuses: the more of the latest calls failed, the more.
///
/// **Contract.** The probability is max(0, (requests - `accepts_factor` * accepts) / (requests + 1)),
/// at most `max_refused`. Requests and accepts are those of the last `length`: accepts are the
/// successes, requests the successes, the failures and the calls that were refused here.
/// - Below `minimum_calls` requests, no call is refused.
/// - Buckets are aligned to the clock's epoch. If the clock steps back, the window stays at the latest
///   time that it was passed.
///
/// **Errors.** validate() refuses options out of range.
/// **Source.** *Site Reliability Engineering*, "Handling Overload": client-side adaptive throttling.
struct Throttle {
    /// How many requests each accepted request allows. A target that accepts 1 of `accepts_factor`
    /// requests is not throttled. Must be 1 or more. Is rounded to 1e-9. Default 2.
    double accepts_factor = 2.0;
    /// The length of the window. Must be > 0 and a multiple of `buckets` nanoseconds. Default 10 s.
    Nanoseconds length = std::chrono::seconds{10};
    /// The number of buckets; calls leave the window by the bucket. Must be 1 or more. Default 10.
    std::uint32_t buckets = 10;
    /// The number of requests that the window must hold before a call is refused. Must be 1 or more.
    /// Default 20.
    std::uint32_t minimum_calls = 20;
    /// The greatest share that is refused, in (0, 1]. With 1, nearly no call finds out that the target
    /// has recovered. Is rounded to 1e-9. Default 0.9.
    double max_refused = 0.9;

    friend bool operator==(const Throttle&, const Throttle&) = default;

    /// Writes the options as the initializer that makes them.
    template <class Traits>
    friend std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& out,
                                                        const Throttle& options) {
        return detail::FieldPrinter{out, "Throttle"}
            .field("accepts_factor", options.accepts_factor)
            .field("length", options.length)
            .field("buckets", options.buckets)
            .field("minimum_calls", options.minimum_calls)
            .field("max_refused", options.max_refused)
            .end();
    }

    constexpr void validate() const {
        if (!detail::is_in(accepts_factor, 1.0, (std::numeric_limits<double>::max)())) {
            refuse_option("Throttle::accepts_factor", accepts_factor, "must be 1 or more");
        }
        if (buckets == 0) refuse_option("Throttle::buckets", buckets, "must be 1 or more");
        if (!detail::fits_in_memory<std::uint64_t>(2 * std::uint64_t{buckets})) {
            refuse_option("Throttle::buckets", buckets, "must be fewer on this 32-bit target");
        }
        if (length.count() <= 0 || length.count() % std::int64_t{buckets} != 0) {
            refuse_option("Throttle::length", length, "must be longer than 0s and divide into ",
                          buckets, " buckets of whole nanoseconds; change length or buckets");
        }
        if (minimum_calls == 0) {
            refuse_option("Throttle::minimum_calls", minimum_calls, "must be 1 or more");
        }
        if (!is_rate(max_refused) || detail::billionths(max_refused) == 0) {
            refuse_option("Throttle::max_refused", max_refused,
                          "must be in (0, 1]; for 90 % write 0.9");
        }
    }

    class Tally;
};

/// The window of a Throttle, and the part of a refusal that is carried from call to call. It is passed
/// the time.
///
/// **Threads.** It is a value without synchronization. **Cost.** O(1) for each call, O(`buckets`) after
/// a pause. It has 16 bytes per bucket.
class Throttle::Tally {
  public:
    /// The sums over a window.
    struct Counts {
        std::uint64_t requests = 0;
        std::uint64_t accepts = 0;

        friend constexpr bool operator==(const Counts&, const Counts&) = default;

        constexpr void add(const Counts& other) noexcept {
            requests += other.requests;
            accepts += other.accepts;
        }
        constexpr void subtract(const Counts& other) noexcept {
            requests -= other.requests;
            accepts -= other.accepts;
        }
    };

    constexpr explicit Tally(const Throttle& policy)
        : factor_{detail::billionths(policy.accepts_factor)},
          most_{share(detail::billionths(policy.max_refused), billion)},
          minimum_calls_{policy.minimum_calls}, window_{policy.length, policy.buckets} {}

    /// Decides whether to refuse the next call, and counts a call that is refused.
    ///
    /// The refusals are spread evenly: each call adds the probability to a sum, and a call that brings
    /// the sum to 1 is refused.
    constexpr bool refuses(Instant now) noexcept {
        window_.move_to(now);
        carried_ += probability(window_.sums());
        if (carried_ < one) return false;
        carried_ -= one;
        window_.add(Counts{1, 0});
        return true;
    }

    constexpr void record_success(Instant now, std::uint64_t count = 1) noexcept {
        window_.move_to(now);
        window_.add(Counts{count, count});
    }
    constexpr void record_failure(Instant now) noexcept {
        window_.move_to(now);
        window_.add(Counts{1, 0});
    }

    /// Records successes of the newest bucket.
    constexpr void record_batch(std::uint64_t count) noexcept { window_.add(Counts{count, count}); }

    /// Returns true if no call is refused until a call fails, however much time passes.
    [[nodiscard]] constexpr bool is_calm() const noexcept {
        Counts latest;
        for (std::size_t age = 0; age != window_.size(); ++age) {
            latest.add(window_.of_age(age));
            if (exceeds(latest)) return false;
        }
        return true;
    }

    /// Returns the end of the newest bucket, or the earliest time before the first call.
    [[nodiscard]] constexpr Instant bucket_ends() const noexcept { return window_.newest_ends(); }

    [[nodiscard]] constexpr Counts counts(Instant now) const noexcept { return window_.sums_at(now); }

    [[nodiscard]] constexpr double refuse_probability(Instant now) const noexcept {
        return detail::product(detail::nearest_double(probability(counts(now))), 0x1p-62);
    }

    /// Takes over what fits of another window, if its buckets have the same length.
    constexpr void take_over(const Tally& before) noexcept {
        carried_ = before.carried_;
        window_.take_over(before.window_);
    }

  private:
    static constexpr std::uint64_t one = std::uint64_t{1} << 62U; // a probability of 1
    static constexpr std::uint64_t billion = 1'000'000'000;

    /// Returns part / whole, rounded up: the sum of n equal shares reaches each whole number in time.
    [[nodiscard]] static constexpr std::uint64_t share(std::uint64_t part,
                                                       std::uint64_t whole) noexcept {
        const detail::Division divided = detail::divide(detail::wide_product(part, one), whole);
        return divided.quotient.low + (divided.rest != 0 ? 1 : 0);
    }

    [[nodiscard]] constexpr bool exceeds(const Counts& sums) const noexcept {
        return detail::wide_product(sums.requests, billion) >
               detail::wide_product(sums.accepts, factor_);
    }

    [[nodiscard]] constexpr std::uint64_t probability(const Counts& sums) const noexcept {
        if (sums.requests < minimum_calls_ || !exceeds(sums)) return 0;
        constexpr std::uint64_t most = 4'000'000'000; // with more requests, a share of each
        const std::uint64_t scale = sums.requests / most + 1;
        const std::uint64_t requests = sums.requests / scale;
        const std::uint64_t allowed = detail::wide_product(sums.accepts / scale, factor_).low;
        if (requests * billion <= allowed) return 0;
        return (std::min)(most_, share(requests * billion - allowed, (requests + 1) * billion));
    }

    std::uint64_t factor_; // billionths
    std::uint64_t most_;   // as one
    std::uint32_t minimum_calls_;
    std::uint64_t carried_ = 0; // below one
    detail::BucketRing<Counts> window_;
};

} // namespace dashpot::inline DASHPOT_ABI

#endif
