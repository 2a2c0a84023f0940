// SPDX-License-Identifier: MIT
#ifndef DASHPOT_POLICY_RATE_LIMIT_HPP
#define DASHPOT_POLICY_RATE_LIMIT_HPP

#include <dashpot/core/abi.hpp>
#include <dashpot/core/contract.hpp>
#include <dashpot/core/detail/print.hpp>
#include <dashpot/core/detail/wide.hpp>
#include <dashpot/core/duration.hpp>
#include <dashpot/policy/detail/token_rate.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <iosfwd>
#include <optional>

namespace dashpot::inline DASHPOT_ABI {

/// How many permits a RateLimiter grants: `permits` per `per`, and up to `burst` at once.
///
///     dashpot::RateLimit{.permits = 100, .per = 1s};
///     dashpot::RateLimit{.permits = 3, .per = 1min, .burst = 1};
///
/// **Contract.** In any interval of length t, at most `burst` + t * `permits` / `per` permits are
/// granted, rounded down, and no request is refused that this allows. The arithmetic is exact: nothing
/// is rounded that could add up. A wait is rounded up to a whole nanosecond.
/// **Threads.** It is a value without synchronization.
/// **Errors.** validate() refuses a 0 in any field.
/// **Source.** J. Turner, "New directions in communications", 1986 (leaky bucket as a meter); ITU-T
/// I.371, generic cell rate algorithm.
struct RateLimit {
    /// The number of permits that are granted in each `per`. Must be 1 or more. Default 100.
    std::uint32_t permits = 100;
    /// The time in which `permits` permits are earned. Must be > 0. Default 1 s.
    Nanoseconds per = std::chrono::seconds{1};
    /// The number of permits that can be saved up, and the most that one request can take. Must be 1
    /// or more. Default: empty, which means as many as `permits`.
    std::optional<std::uint32_t> burst = std::nullopt;

    friend bool operator==(const RateLimit&, const RateLimit&) = default;

    /// Writes the options as the initializer that makes them.
    template <class Traits>
    friend std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& out,
                                                        const RateLimit& options) {
        return detail::FieldPrinter{out, "RateLimit"}
            .field("permits", options.permits)
            .field("per", options.per)
            .optional("burst", options.burst)
            .end();
    }

    constexpr void validate() const {
        if (permits == 0) refuse_option("RateLimit::permits", permits, "must be 1 or more");
        if (per.count() <= 0) refuse_option("RateLimit::per", per, "must be longer than 0s");
        if (burst && *burst == 0) refuse_option("RateLimit::burst", *burst, "must be 1 or more");
    }

    class Bucket;
};

/// The permits that a RateLimit has granted, and those it still has to give. It is passed the time.
///
///     RateLimit::Bucket bucket{{.permits = 10}, now};
///     if (bucket.wait(now, 1) == 0ns) bucket.take(now, 1);
///
/// It stores one point in time: when the bucket will be full again. Taking permits moves the point
/// later, and the time that passes does the rest.
///
/// **Contract.** The bucket is full at the start. If the clock steps back, the time in the bucket
/// stands still until the clock has caught up: no permit is earned twice, and none is lost.
/// **Threads.** It is a value without synchronization. **Cost.** O(1).
/// **Errors.** The constructor and reconfigure() refuse what RateLimit::validate() refuses.
class RateLimit::Bucket {
  public:
    /// The wait for a request that can never be granted.
    static constexpr std::chrono::nanoseconds never = (std::chrono::nanoseconds::max)();

    /// A place among the permits that are promised: the one behind the last permit of a request.
    using Place = detail::Wide;

    constexpr Bucket(const RateLimit& limit, Instant now)
        : rate_{rate_of(limit)}, full_at_{rate_.at(now)}, latest_{now} {}

    friend constexpr bool operator==(const Bucket&, const Bucket&) noexcept = default;

    /// Returns how long a request for `count` must wait if no other request comes: 0 if it can be
    /// granted now, `never` if it asks for more than the burst.
    [[nodiscard]] constexpr std::chrono::nanoseconds wait(Instant now,
                                                          std::uint32_t count) const noexcept {
        if (count == 0) return std::chrono::nanoseconds{0};
        if (count > rate_.burst) return never;
        return wait_for(detail::saturating_sum(start(now), rate_.cost(count)), now);
    }

    /// Takes permits, also if they are not earned yet: then whatever comes later waits for them, too.
    /// @return the place behind them; is_due() says when they are earned
    constexpr Place take(Instant now, std::uint32_t count) noexcept {
        observe(now);
        if (count != 0) full_at_ = detail::saturating_sum(start(now), rate_.cost(count));
        return full_at_;
    }

    /// Returns permits that were taken and not used.
    constexpr void give_back(std::uint32_t count) noexcept {
        const detail::Wide now = rate_.at(latest_);
        const detail::Wide cost = rate_.cost(count);
        full_at_ = full_at_ > now + cost ? full_at_ - cost : now;
    }

    /// Returns how many whole permits can be taken now.
    [[nodiscard]] constexpr std::uint32_t available(Instant now) const noexcept {
        const detail::Wide most = rate_.at(later(now)) + rate_.capacity();
        const detail::Wide taken = start(now);
        if (taken >= most) return 0;
        return static_cast<std::uint32_t>(detail::divide(most - taken, rate_.per_permit).quotient.low);
    }

    /// Records the time, so that a clock that steps back takes nothing away.
    constexpr void observe(Instant now) noexcept { latest_ = later(now); }

    /// Continues at another rate.
    ///
    /// **Contract.** The old rate holds up to `now`. Then the permits that are saved up are kept as a
    /// number, at most the new burst, and so are those that are promised. If the rate and the burst
    /// are equal to the old ones, nothing changes.
    constexpr void reconfigure(const RateLimit& limit, Instant now) {
        const detail::TokenRate next = rate_of(limit);
        if (next == rate_) return;
        observe(now);
        const detail::TokenRate old = rate_;
        const detail::Wide taken = start(now);
        const detail::Wide most = old.at(latest_) + old.capacity();
        rate_ = next;
        const detail::Wide time = next.at(latest_);
        if (taken > most) {
            const detail::Wide debt = converted(taken - most, old, true);
            full_at_ = detail::saturating_sum(time + next.capacity(), debt);
        } else {
            const detail::Wide saved = converted(most - taken, old, false);
            full_at_ = saved < next.capacity() ? time + (next.capacity() - saved) : time;
        }
    }

    /// Returns true if reconfigure() would change nothing.
    [[nodiscard]] constexpr bool has_rate_of(const RateLimit& limit) const {
        return rate_of(limit) == rate_;
    }

    /// Returns true if the permits before this place are earned.
    [[nodiscard]] constexpr bool is_due(Place place, Instant now) const noexcept {
        return place <= rate_.at(later(now)) + rate_.capacity();
    }

    /// Returns how long it takes until is_due(), if the rate stays.
    [[nodiscard]] constexpr std::chrono::nanoseconds wait_for(Place place, Instant now) const noexcept {
        const Instant time = later(now);
        const detail::Wide most = rate_.at(time) + rate_.capacity();
        if (place <= most) return std::chrono::nanoseconds{0};
        return detail::saturating_add(rate_.time_for(place - most), detail::between(now, time));
    }

    /// Returns how many permits were taken behind this place, which must not be due.
    [[nodiscard]] constexpr detail::Wide permits_behind(Place place) const noexcept {
        return detail::divide(full_at_ - place, rate_.per_permit).quotient;
    }

    /// Returns the place that has `count` permits behind it: the reverse of permits_behind().
    [[nodiscard]] constexpr Place place_before(detail::Wide count) const noexcept {
        if (full_at_ == detail::widest) return full_at_;
        return full_at_ - detail::saturating_product(count, rate_.per_permit);
    }

    /// Returns the place after `count` before it were given back.
    [[nodiscard]] constexpr Place moved_up(Place place, std::uint32_t count) const noexcept {
        return place - rate_.cost(count);
    }

    [[nodiscard]] constexpr const detail::TokenRate& rate() const noexcept { return rate_; }
    [[nodiscard]] constexpr detail::Wide full_at() const noexcept { return full_at_; }
    [[nodiscard]] constexpr Instant latest() const noexcept { return latest_; }

    /// Sets what take() would have led to, for a guard that counts elsewhere for a while.
    constexpr void set_full_at(detail::Wide point) noexcept { full_at_ = point; }

  private:
    [[nodiscard]] static constexpr detail::TokenRate rate_of(const RateLimit& limit) {
        limit.validate();
        return detail::TokenRate::of(limit.permits, limit.per, limit.burst.value_or(limit.permits));
    }

    [[nodiscard]] constexpr Instant later(Instant now) const noexcept {
        return (std::max)(now, latest_);
    }

    /// Returns the point from which on further permits are taken.
    [[nodiscard]] constexpr detail::Wide start(Instant now) const noexcept {
        return (std::max)(full_at_, rate_.at(later(now)));
    }

    /// Returns units of the old rate as units of the present rate: the same number of permits, rounded
    /// to whole units.
    [[nodiscard]] constexpr detail::Wide converted(detail::Wide units, const detail::TokenRate& old,
                                                   bool rounds_up) const noexcept {
        const detail::Division whole_permits = detail::divide(units, old.per_permit);
        const detail::Division part =
            detail::divide(detail::wide_product(whole_permits.rest, rate_.per_permit), old.per_permit);
        detail::Wide whole = detail::saturating_product(whole_permits.quotient, rate_.per_permit);
        whole = detail::saturating_sum(whole, part.quotient);
        if (rounds_up && part.rest != 0) whole = detail::saturating_sum(whole, {0, 1});
        return whole;
    }

    detail::TokenRate rate_;
    detail::Wide full_at_; // when the bucket is full again, if nothing more is taken
    Instant latest_;       // the latest time that was passed
};

} // namespace dashpot::inline DASHPOT_ABI

#endif
