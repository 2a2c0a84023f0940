// SPDX-License-Identifier: MIT
#ifndef DASHPOT_GUARD_DETAIL_RATE_CORE_HPP
#define DASHPOT_GUARD_DETAIL_RATE_CORE_HPP

#include <dashpot/core/abi.hpp>
#include <dashpot/core/deadline.hpp>
#include <dashpot/core/detail/cache_line.hpp>
#include <dashpot/core/detail/wait.hpp>
#include <dashpot/core/detail/wide.hpp>
#include <dashpot/core/duration.hpp>
#include <dashpot/core/error.hpp>
#include <dashpot/core/threading.hpp>
#include <dashpot/guard/detail/published_bucket.hpp>
#include <dashpot/guard/detail/rate_permit.hpp>
#include <dashpot/guard/detail/waiting_line.hpp>
#include <dashpot/policy/rate_limit.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <limits>
#include <mutex>
#include <optional>
#include <stop_token>
#include <utility>

namespace dashpot::inline DASHPOT_ABI::detail {

/// All of a rate limiter but its clock: the bucket, its lock, and the threads that wait.
///
/// Permits are taken from the published bucket without the lock. What else there is to do takes the
/// bucket out, changes it, and publishes it again.
///
/// **Threads.** Any thread may call it, without the lock. sleep() waits on the calling thread.
class RateCore {
  public:
    /// What is promised to a reservation.
    struct Promise {
        Wait wait{};
        std::uint64_t ticket = 0; // 0: nothing was promised for later
        std::uint64_t before = 0; // the ticket of the reservation before this one
        std::uint32_t permits = 0;
    };

    /// What a thread sees when it looks at its place in the line.
    struct Look {
        std::optional<RatePermit> answer; // empty: it waits on
        Instant due{};
        std::uint64_t change = 0;  // the number of changes so far, for sleep()
        std::stop_token changed{}; // for a clock that lets threads sleep
    };

    /// All numbers of one instant.
    struct Snapshot {
        RateLimit limit{};           ///< The limit, as it was given.
        std::uint32_t available = 0; ///< Whole permits that can be taken now.
        std::uint32_t waiting = 0;   ///< Threads that wait in acquire().
        std::uint64_t refused = 0;   ///< Requests that were refused so far.

        friend bool operator==(const Snapshot&, const Snapshot&) = default;
    };

    RateCore(const RateLimit& limit, Instant now) : bucket_{limit, now}, limit_{limit} {
        published_.publish(bucket_);
    }

    [[nodiscard]] std::uint64_t load() const noexcept { return published_.load(); }

    /// @param word  what load() returned before the clock was read
    [[nodiscard]] RatePermit try_acquire(std::uint64_t word, Instant now,
                                         std::uint32_t permits) noexcept {
        using Result = PublishedBucket::Attempt::Result;
        if (permits == 0) return RatePermit{};
        Instant floor = (Instant::min)();
        for (;;) {
            const auto attempt = published_.attempt(word, now, floor, permits);
            if (attempt.result == Result::granted) [[likely]]
                return RatePermit{};
            if (attempt.result == Result::unknown) [[unlikely]]
                return try_acquire_slowly(now, permits);
            floor = seen_time();
            if (floor > attempt.at) [[unlikely]]
                continue;    // a refused caller has seen a later time
            count_refused(); // before the store, for which it would have to wait
            if (floor < attempt.at) set_seen_time(attempt.at);
            if (attempt.at == now) [[likely]]
                return {Error::rate_limited, attempt.missing, attempt.per_nanosecond};
            const TokenRate rate{attempt.per_nanosecond, 1, 1};
            return {Error::rate_limited,
                    saturating_add(rate.time_for({0, attempt.missing}), between(now, attempt.at))};
        }
    }

    /// @return the promise, or why there is none
    [[nodiscard]] std::pair<Promise, RatePermit> reserve(Instant now, std::chrono::nanoseconds max_wait,
                                                         std::uint32_t permits) noexcept {
        if (permits == 0) return {};
        const InHand in_hand{*this, now};
        const std::chrono::nanoseconds wait = bucket_.wait(now, permits);
        if (wait > max_wait || wait == RateLimit::Bucket::never) {
            const bool is_hopeless = wait == RateLimit::Bucket::never || max_wait.count() < 0;
            return {
                {},
                refused(Error::rate_limited, is_hopeless ? RateLimit::Bucket::never : wait - max_wait)};
        }
        (void)bucket_.take(now, permits);
        if (wait.count() == 0) return {};
        const std::uint64_t before = std::exchange(newest_reservation_, ++tickets_);
        return {Promise{{now, wait}, tickets_, before, permits}, RatePermit{}};
    }

    /// Gives back what was promised, if that is possible.
    [[nodiscard]] bool cancel(const Promise& promise, Instant now) noexcept {
        const InHand in_hand{*this, now};
        if (promise.ticket != newest_reservation_ || !promise.wait.is_on(bucket_.latest()))
            return false;
        newest_reservation_ = promise.before;
        give_back(promise.permits, promise.ticket);
        return true;
    }

    /// Takes permits for a thread that may wait until `deadline`. If the answer is empty, the thread
    /// has a place in the line, and calls look() until it gets an answer, or leave().
    /// @param changed  what is stopped when waits change, if the thread cannot use sleep()
    [[nodiscard]] Look enter(WaitingPlace& place, Instant now, const Deadline& deadline,
                             std::stop_source& changed) noexcept {
        const InHand in_hand{*this, now};
        const std::chrono::nanoseconds wait = bucket_.wait(now, place.permits);
        if (place.permits > bucket_.rate().burst) return {refused(Error::rate_limited, wait)};
        if (is_too_late(wait, now, deadline)) return {refused(Error::deadline_exceeded, wait)};
        place.place = bucket_.take(now, place.permits);
        if (wait.count() == 0) return {RatePermit{}};
        place.ticket = ++tickets_;
        line_.add(place);
        return waits_on(now, wait, changed);
    }

    [[nodiscard]] Look look(WaitingPlace& place, Instant now, const Deadline& deadline, bool is_stopped,
                            std::stop_source& changed) noexcept {
        const InHand in_hand{*this, now};
        if (place.is_granted || bucket_.is_due(place.place, now)) {
            line_.remove(place);
            return {RatePermit{}};
        }
        const std::chrono::nanoseconds wait = bucket_.wait_for(place.place, now);
        if (!is_stopped && place.permits <= bucket_.rate().burst && !is_too_late(wait, now, deadline))
            return waits_on(now, wait, changed);
        leave_locked(place);
        if (is_stopped) return {refused(Error::cancelled)};
        const bool is_never = place.permits > bucket_.rate().burst;
        return {refused(is_never ? Error::rate_limited : Error::deadline_exceeded,
                        bucket_.wait(now, place.permits))};
    }

    /// For a thread that stops waiting without an answer.
    void leave(WaitingPlace& place, Instant now) noexcept {
        const InHand in_hand{*this, now};
        leave_locked(place);
    }

    /// Blocks the thread for `wait`, or until waits have changed since `change`, or a stop. It may
    /// return earlier. `stop` must call wake_all() when it is requested.
    void sleep(std::chrono::nanoseconds wait, std::uint64_t change, const std::stop_token& stop) {
        constexpr std::chrono::nanoseconds longest = std::chrono::hours{1};
        std::unique_lock lock{mutex_};
        if (changes_ == change && !stop.stop_requested())
            woken_.wait_for(lock, (std::min)(wait, longest));
    }

    void wake_all() noexcept {
        const std::lock_guard lock{mutex_};
        woken_.notify_all();
    }

    [[nodiscard]] RatePermit refused(Error reason) noexcept {
        count_refused();
        return RatePermit{reason};
    }
    [[nodiscard]] RatePermit refused(Error reason, std::chrono::nanoseconds wait) noexcept {
        count_refused();
        return {reason, wait};
    }

    [[nodiscard]] std::uint64_t refused() const noexcept {
        return refused_.load(std::memory_order_relaxed);
    }
    [[nodiscard]] Snapshot snapshot(Instant now) const noexcept {
        const InHand in_hand{*this, now};
        return {limit_, bucket_.available(now), line_.size(), refused()};
    }

    void reconfigure(const RateLimit& limit, Instant now) {
        limit.validate();
        const InHand in_hand{*this, now};
        limit_ = limit;
        if (bucket_.has_rate_of(limit)) return;
        line_.for_each_behind(0, [&](WaitingPlace& each) {
            each.is_granted = each.is_granted || bucket_.is_due(each.place, now);
            if (!each.is_granted) each.place = bucket_.permits_behind(each.place);
        });
        bucket_.reconfigure(limit, now);
        line_.for_each_behind(0, [&](WaitingPlace& each) {
            if (!each.is_granted) each.place = bucket_.place_before(each.place);
        });
        ++changes_;
    }

  private:
    /// Holds the lock and the bucket. If waits have changed, it wakes the waiting threads at the end.
    class InHand {
      public:
        InHand(const RateCore& core, Instant now) noexcept : core_{core}, lock_{core.mutex_} {
            core_.published_.take_out(core_.bucket_);
            core_.bucket_.observe(core_.seen_time());
            core_.bucket_.observe(now);
            before_ = core_.changes_;
        }
        InHand(const InHand&) = delete;
        InHand& operator=(const InHand&) = delete;
        ~InHand() {
            core_.published_.publish(core_.bucket_);
            if (core_.changes_ == before_) return;
            core_.woken_.notify_all();
            if (!core_.changed_.stop_possible()) return;
            std::stop_source changed =
                std::exchange(core_.changed_, std::stop_source{std::nostopstate});
            lock_.unlock();
            changed.request_stop(); // calls code of the user: of a clock that lets threads sleep
        }

      private:
        const RateCore& core_;
        std::unique_lock<threading::mutex> lock_;
        std::uint64_t before_ = 0;
    };

    [[nodiscard]] RatePermit try_acquire_slowly(Instant now, std::uint32_t permits) noexcept {
        const InHand in_hand{*this, now};
        const std::chrono::nanoseconds wait = bucket_.wait(now, permits);
        if (wait.count() != 0) return refused(Error::rate_limited, wait);
        (void)bucket_.take(now, permits);
        return RatePermit{};
    }

    [[nodiscard]] static bool is_too_late(std::chrono::nanoseconds wait, Instant now,
                                          const Deadline& deadline) noexcept {
        return wait == RateLimit::Bucket::never || wait > between(now, deadline.at());
    }

    [[nodiscard]] Look waits_on(Instant now, std::chrono::nanoseconds wait,
                                std::stop_source& changed) noexcept {
        if (!changed_.stop_possible()) std::swap(changed_, changed);
        return {std::nullopt, Instant{saturating_add(now.time_since_epoch(), wait)}, changes_,
                changed_.get_token()};
    }

    /// A place that a reservation stands behind is forfeited: the reservation's time was promised.
    void leave_locked(WaitingPlace& place) noexcept {
        line_.remove(place);
        if (newest_reservation_ < place.ticket) give_back(place.permits, place.ticket);
    }

    void give_back(std::uint32_t permits, std::uint64_t ticket) noexcept {
        bucket_.give_back(permits);
        line_.for_each_behind(ticket, [&](WaitingPlace& each) {
            if (!each.is_granted) each.place = bucket_.moved_up(each.place, permits);
        });
        ++changes_;
    }

    void count_refused() noexcept { refused_.fetch_add(1, std::memory_order_relaxed); }

    [[nodiscard]] Instant seen_time() const noexcept {
        return Instant{std::chrono::nanoseconds{seen_time_.load(std::memory_order_relaxed)}};
    }
    void set_seen_time(Instant now) noexcept {
        seen_time_.store(now.time_since_epoch().count(), std::memory_order_relaxed);
    }

    mutable PublishedBucket published_;
    // Apart from the word: callers that are refused must not slow down those that are granted.
    alignas(cache_line) threading::atomic<std::uint64_t> refused_{0};
    threading::atomic<std::int64_t> seen_time_{(std::numeric_limits<std::int64_t>::min)()};

    alignas(cache_line) mutable threading::mutex mutex_;
    mutable threading::condition_variable woken_;
    mutable RateLimit::Bucket bucket_;                   // guarded by mutex_
    RateLimit limit_;                                    // guarded by mutex_
    WaitingLine line_;                                   // guarded by mutex_
    std::uint64_t tickets_ = 0;                          // guarded by mutex_
    std::uint64_t newest_reservation_ = 0;               // its ticket; guarded by mutex_
    std::uint64_t changes_ = 0;                          // of waits; guarded by mutex_
    mutable std::stop_source changed_{std::nostopstate}; // of the next change; guarded by mutex_
};

} // namespace dashpot::inline DASHPOT_ABI::detail

#endif
