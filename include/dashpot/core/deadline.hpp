// SPDX-License-Identifier: MIT
#ifndef DASHPOT_CORE_DEADLINE_HPP
#define DASHPOT_CORE_DEADLINE_HPP

#include <dashpot/core/abi.hpp>
#include <dashpot/core/clock.hpp>
#include <dashpot/core/duration.hpp>

#include <chrono>
#include <compare>

namespace dashpot::inline DASHPOT_ABI {

/// The point in time at which a call must have ended, or never.
///
///     const auto deadline = dashpot::Deadline::after(2s);
///     while (!deadline.has_passed()) poll(deadline.remaining());
///
/// **Contract.** The point is on the time line of one steady clock. Pass the same clock to after(),
/// remaining() and has_passed(); the default is SteadyClock. An earlier deadline is less than a later
/// one, and every point is less than never.
/// **Threads.** A value: each thread may use its own copy. **Cost.** remaining() and has_passed() read
/// the clock once.
class Deadline {
  public:
    /// Never.
    constexpr Deadline() noexcept = default;

    constexpr explicit Deadline(Instant at) noexcept : is_never_{false}, at_{at} {}

    /// Returns the deadline that is `length` from now. If that is the end of the time line or beyond,
    /// the deadline is never.
    template <Clock C = SteadyClock>
    [[nodiscard]] static Deadline after(Nanoseconds length, const C& clock = C{}) noexcept {
        const Instant at{detail::saturating_add(detail::read(clock).time_since_epoch(), length)};
        return at == (Instant::max)() ? Deadline{} : Deadline{at};
    }

    [[nodiscard]] constexpr bool is_never() const noexcept { return is_never_; }

    /// Returns Instant::max() for never.
    [[nodiscard]] constexpr Instant at() const noexcept { return at_; }

    /// Returns the remaining time: 0 if the deadline has passed, the longest duration for never.
    template <Clock C = SteadyClock>
    [[nodiscard]] std::chrono::nanoseconds remaining(const C& clock = C{}) const noexcept {
        return is_never_ ? (std::chrono::nanoseconds::max)() : remaining_at(detail::read(clock));
    }

    /// Returns true from the deadline's own instant on.
    template <Clock C = SteadyClock>
    [[nodiscard]] bool has_passed(const C& clock = C{}) const noexcept {
        return !is_never_ && has_passed_at(detail::read(clock));
    }

    /// Returns what remaining() returns while the clock shows `now`.
    [[nodiscard]] constexpr std::chrono::nanoseconds remaining_at(Instant now) const noexcept {
        if (is_never_) return (std::chrono::nanoseconds::max)();
        return now < at_ ? detail::between(now, at_) : std::chrono::nanoseconds{0};
    }

    /// Returns what has_passed() returns while the clock shows `now`.
    [[nodiscard]] constexpr bool has_passed_at(Instant now) const noexcept {
        return !is_never_ && now >= at_;
    }

    friend constexpr bool operator==(const Deadline&, const Deadline&) noexcept = default;
    friend constexpr std::strong_ordering operator<=>(const Deadline& a, const Deadline& b) noexcept {
        if (a.is_never_ != b.is_never_) return a.is_never_ <=> b.is_never_;
        return a.at_.time_since_epoch().count() <=> b.at_.time_since_epoch().count();
    }

  private:
    bool is_never_ = true;
    Instant at_ = (Instant::max)();
};

/// Returns the earlier of two deadlines.
[[nodiscard]] constexpr Deadline earlier(Deadline a, Deadline b) noexcept { return b < a ? b : a; }

} // namespace dashpot::inline DASHPOT_ABI

#endif
