// SPDX-License-Identifier: MIT
#ifndef DASHPOT_POLICY_DETAIL_BUCKET_RING_HPP
#define DASHPOT_POLICY_DETAIL_BUCKET_RING_HPP

#include <dashpot/core/abi.hpp>
#include <dashpot/core/detail/fixed_array.hpp>
#include <dashpot/core/duration.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>

namespace dashpot::inline DASHPOT_ABI::detail {

/// A window over time: the sums of each bucket, and the sums of all buckets.
///
/// **Contract.** It holds the current bucket and those before it, as many as the ring has. Buckets are
/// aligned to the clock's epoch. If the clock steps back, the window stays at the latest time that it
/// was moved to.
/// **Threads.** It is a value without synchronization. **Cost.** Each function is O(1), or O(buckets)
/// after a pause of any length; take_over() is O(buckets).
///
/// @tparam Sums  has `add()` for what is recorded and for other sums, and `subtract()` for other sums.
template <class Sums>
class BucketRing {
  public:
    /// Requires that `length` is a multiple of `buckets` nanoseconds, and that both are more than 0.
    constexpr BucketRing(std::chrono::nanoseconds length, std::uint32_t buckets)
        : bucket_length_{length.count() / std::int64_t{buckets}}, ring_(buckets) {}

    /// Returns true if it was never moved to a time.
    [[nodiscard]] constexpr bool is_unused() const noexcept { return !newest_bucket_; }

    /// Makes the bucket of `at` the newest, and drops those that are too old then.
    constexpr void move_to(Instant at) noexcept {
        const std::int64_t bucket = bucket_at(at);
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

    /// Adds to the newest bucket.
    template <class More>
    constexpr void add(const More& more) noexcept {
        ring_[newest_].add(more);
        sums_.add(more);
    }

    [[nodiscard]] constexpr const Sums& sums() const noexcept { return sums_; }

    /// Returns the sums as they would be if it was moved to `now`.
    [[nodiscard]] constexpr Sums sums_at(Instant now) const noexcept {
        if (!newest_bucket_) return {};
        const std::uint64_t passed = buckets_since(bucket_at(now));
        if (passed >= ring_.size()) return {};
        Sums held = sums_; // the oldest buckets follow directly after the newest
        for (std::size_t i = 1; i <= passed; ++i) held.subtract(ring_[behind_newest(i)]);
        return held;
    }

    /// Returns the end of the newest bucket, or the earliest time if it is unused.
    [[nodiscard]] constexpr Instant newest_ends() const noexcept {
        constexpr std::int64_t last = (std::numeric_limits<std::int64_t>::max)();
        if (!newest_bucket_) return (Instant::min)();
        if (*newest_bucket_ == last) return (Instant::max)(); // 1-ns buckets, at the end of the clock
        const std::int64_t next = *newest_bucket_ + 1;
        return Instant{
            std::chrono::nanoseconds{next > last / bucket_length_ ? last : next * bucket_length_}};
    }

    [[nodiscard]] constexpr std::size_t size() const noexcept { return ring_.size(); }

    /// Returns the bucket of that age, below size(). The newest bucket has age 0.
    [[nodiscard]] constexpr const Sums& of_age(std::size_t age) const noexcept {
        return ring_[index_of_age(age)];
    }

    constexpr void clear() noexcept {
        for (Sums& bucket : ring_) bucket = {};
        sums_ = {};
        newest_bucket_.reset();
    }

    /// Takes over the newest buckets that fit. If the buckets have another length, nothing is taken
    /// over. Requires that this ring is unused.
    constexpr void take_over(const BucketRing& before) noexcept {
        if (before.bucket_length_ != bucket_length_) return;
        newest_bucket_ = before.newest_bucket_;
        for (std::size_t age = 0; age != (std::min)(size(), before.size()); ++age) {
            const Sums& bucket = before.of_age(age);
            ring_[index_of_age(age)] = bucket;
            sums_.add(bucket);
        }
    }

  private:
    /// Returns the number of the bucket. The division rounds down, so that the bucket before the epoch
    /// is as long as any other.
    [[nodiscard]] constexpr std::int64_t bucket_at(Instant at) const noexcept {
        const std::int64_t time = at.time_since_epoch().count();
        const bool is_behind = time < 0 && time % bucket_length_ != 0;
        return time / bucket_length_ - (is_behind ? 1 : 0);
    }

    /// Returns the number of buckets from the newest to `bucket`. It is 0 for the newest bucket and for
    /// earlier ones: time does not run backwards in the window.
    [[nodiscard]] constexpr std::uint64_t buckets_since(std::int64_t bucket) const noexcept {
        if (bucket <= *newest_bucket_) return 0;
        return static_cast<std::uint64_t>(bucket) - static_cast<std::uint64_t>(*newest_bucket_);
    }

    [[nodiscard]] constexpr std::size_t behind_newest(std::size_t step) const noexcept {
        return (newest_ + step) % ring_.size();
    }

    [[nodiscard]] constexpr std::size_t index_of_age(std::size_t age) const noexcept {
        return behind_newest(ring_.size() - age);
    }

    std::int64_t bucket_length_;
    std::optional<std::int64_t> newest_bucket_; // its number; empty while it is unused
    std::size_t newest_ = 0;                    // the index of the newest bucket in ring_
    Sums sums_{};
    FixedArray<Sums> ring_;
};

} // namespace dashpot::inline DASHPOT_ABI::detail

#endif
