// SPDX-License-Identifier: MIT
#ifndef DASHPOT_GUARD_DETAIL_PUBLISHED_BUCKET_HPP
#define DASHPOT_GUARD_DETAIL_PUBLISHED_BUCKET_HPP

#include <dashpot/core/abi.hpp>
#include <dashpot/core/detail/cache_line.hpp>
#include <dashpot/core/detail/wide.hpp>
#include <dashpot/core/duration.hpp>
#include <dashpot/core/threading.hpp>
#include <dashpot/policy/rate_limit.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <limits>

namespace dashpot::inline DASHPOT_ABI::detail {

/// A bucket in one atomic word, from which permits are taken without a lock.
///
/// The word is the point in time at which the bucket is full, in the bucket's units, on a scale that
/// publish() chooses. It is absent while a thread has taken the bucket out under the guard's lock, and
/// as long as one word cannot hold the bucket exactly.
///
/// A word has one meaning: with another rate or scale, only words are published that are larger than
/// all words before. Therefore a compare-exchange succeeds only if the scale that the thread read is
/// the word's scale, and a refusal is valid if the word is still the same afterwards.
///
/// **Threads.** Any thread may call attempt() and available(). publish() and take_out() are called
/// under the guard's lock.
class PublishedBucket {
  public:
    /// The result of an attempt to take permits.
    struct Attempt {
        enum class Result : std::uint8_t {
            granted,
            refused,
            unknown, ///< The bucket is not in the word: it must be looked at under the lock.
        };
        Result result = Result::unknown;
        std::uint32_t per_nanosecond = 1;
        std::uint64_t missing = 0; // units, from `at` on
        Instant at{};              // the time at which it was refused
    };

    /// Loads the word. An attempt() starts with it.
    [[nodiscard]] std::uint64_t load() const noexcept { return word_.load(std::memory_order_acquire); }

    /// Takes permits if that many are earned. `permits` must not be 0.
    ///
    /// @param word  what load() returned
    /// @param floor  the latest time that is known from elsewhere
    [[nodiscard]] Attempt attempt(std::uint64_t word, Instant now, Instant floor,
                                  std::uint32_t permits) noexcept {
        while (word != absent) {
            const Scale scale = read_scale();
            const Instant at = (std::max)(now, (std::max)(floor, scale.earliest));
            if (at > scale.last || permits > scale.burst) break;
            const std::uint64_t time = scale.at(at);
            const std::uint64_t start = (std::max)(word, time);
            const std::uint64_t cost = scale.per_permit * permits;
            const std::uint64_t room = scale.capacity - cost;
            if (start - time <= room) {
                // Acquire pairs with the release in publish(), release with the acquire in take_out().
                if (!word_.compare_exchange_weak(word, start + cost, std::memory_order_acq_rel,
                                                 std::memory_order_acquire))
                    continue;
                latest_.store(at.time_since_epoch().count(), std::memory_order_relaxed);
                return {Attempt::Result::granted};
            }
            const std::uint64_t again = load();
            if (again == word)
                return {Attempt::Result::refused, scale.per_nanosecond, start - time - room, at};
            word = again;
        }
        return {};
    }

    /// Returns the time that was stored by the latest grants, or an earlier time.
    [[nodiscard]] Instant latest() const noexcept { return instant(latest_); }

    /// Moves the bucket out of the word, so that the caller can change it under its lock.
    void take_out(RateLimit::Bucket& bucket) noexcept {
        const std::uint64_t word = word_.exchange(absent, std::memory_order_acq_rel);
        if (word != absent) {
            highest_ = (std::max)(highest_, word);
            bucket.set_full_at(base_ + Wide{0, word});
        }
        bucket.observe(latest());
    }

    /// Publishes a bucket that was taken out, if one word can hold it.
    void publish(const RateLimit::Bucket& bucket) noexcept {
        const TokenRate& rate = bucket.rate();
        const Wide time = rate.at(bucket.latest());
        const Wide full_at = (std::max)(bucket.full_at(), time);
        latest_.store(bucket.latest().time_since_epoch().count(), std::memory_order_relaxed);
        if (rate.per_nanosecond > most_per_nanosecond || rate.capacity() > Wide{0, most_ahead} ||
            full_at - time > Wide{0, most_ahead})
            return;
        if (rate != rate_ || bucket.latest() > last_) {
            if (highest_ > most_ahead * 2) return; // the words are used up
            set_scale(rate, bucket.latest(), time);
        }
        word_.store((full_at - base_).low, std::memory_order_release);
    }

    /// The greatest denominator of a rate for which a word lasts for years.
    static constexpr std::uint32_t most_per_nanosecond = 64;

  private:
    static constexpr std::uint64_t absent = ~std::uint64_t{0};
    // No sum of words overflows: a scale begins below twice this many units, lasts for as many, and
    // holds at most as many units of debt, or of a full bucket.
    static constexpr std::uint64_t most_ahead = std::uint64_t{1} << 62U;

    struct Scale {
        Instant earliest;
        Instant last;
        std::uint64_t shift;
        std::uint64_t per_permit;
        std::uint64_t capacity;
        std::uint32_t per_nanosecond;
        std::uint32_t burst;

        /// Returns a point in time on the scale. The sum is right modulo 2^64.
        [[nodiscard]] constexpr std::uint64_t at(Instant when) const noexcept {
            return static_cast<std::uint64_t>(when.time_since_epoch().count()) * per_nanosecond + shift;
        }
    };

    [[nodiscard]] static Instant instant(const threading::atomic<std::int64_t>& stored) noexcept {
        return Instant{std::chrono::nanoseconds{stored.load(std::memory_order_acquire)}};
    }

    // Each load acquires: if one of them reads a new scale, a later look at the word finds that the old
    // word is gone. Pairs with the stores in set_scale().
    [[nodiscard]] Scale read_scale() const noexcept {
        constexpr auto acquire = std::memory_order_acquire;
        return {(std::max)(instant(earliest_), latest()),
                instant(until_),
                shift_.load(acquire),
                per_permit_.load(acquire),
                capacity_.load(acquire),
                per_nanosecond_.load(acquire),
                burst_.load(acquire)};
    }

    /// Makes the scale on which `start`, the time `since`, is the first word that was never used.
    void set_scale(const TokenRate& rate, Instant since, Wide start) noexcept {
        constexpr auto release = std::memory_order_release;
        rate_ = rate;
        base_ = start - Wide{0, highest_ + 1};
        const auto length = static_cast<std::int64_t>(most_ahead / rate.per_nanosecond);
        last_ = Instant{saturating_add(since.time_since_epoch(), std::chrono::nanoseconds{length})};
        const auto time = static_cast<std::uint64_t>(since.time_since_epoch().count());
        earliest_.store(since.time_since_epoch().count(), release);
        until_.store(last_.time_since_epoch().count(), release);
        shift_.store(highest_ + 1 - time * rate.per_nanosecond, release);
        per_permit_.store(rate.per_permit, release);
        capacity_.store(rate.capacity().low, release);
        per_nanosecond_.store(rate.per_nanosecond, release);
        burst_.store(rate.burst, release);
    }

    // One cache line, written by each grant.
    alignas(cache_line) threading::atomic<std::uint64_t> word_{absent};
    threading::atomic<std::int64_t> latest_{(std::numeric_limits<std::int64_t>::min)()};
    threading::atomic<std::int64_t> earliest_{0};
    threading::atomic<std::int64_t> until_{0};
    threading::atomic<std::uint64_t> shift_{0};
    threading::atomic<std::uint64_t> per_permit_{0};
    threading::atomic<std::uint64_t> capacity_{0};
    threading::atomic<std::uint32_t> per_nanosecond_{0};
    threading::atomic<std::uint32_t> burst_{0};
    // Only used under the guard's lock.
    alignas(cache_line) TokenRate rate_{0, 0, 0};
    Wide base_{};               // the point that the word 0 stands for, modulo 2^128
    std::uint64_t highest_ = 0; // the largest word that any thread may have read
    Instant last_{};            // the end of the scale
};

} // namespace dashpot::inline DASHPOT_ABI::detail

#endif
