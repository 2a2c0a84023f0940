// SPDX-License-Identifier: MIT
#ifndef DASHPOT_PIPELINE_ATTEMPT_HPP
#define DASHPOT_PIPELINE_ATTEMPT_HPP

#include <dashpot/core/abi.hpp>
#include <dashpot/core/clock.hpp>
#include <dashpot/core/deadline.hpp>
#include <dashpot/core/duration.hpp>

#include <chrono>
#include <concepts>
#include <cstdint>
#include <limits>
#include <ratio>
#include <stop_token>
#include <type_traits>

namespace dashpot::inline DASHPOT_ABI {

namespace detail {

/// Reads a clock whose type is not stated. Without a clock it reads SteadyClock.
class TimeSource {
  public:
    constexpr TimeSource() noexcept = default;

    /// Returns a source that reads `clock`, which must exist as long as the source is read.
    template <Clock C>
    [[nodiscard]] static constexpr TimeSource of(const C& clock) noexcept {
        return {&clock,
                [](const void* read_from) { return detail::read(*static_cast<const C*>(read_from)); }};
    }

    [[nodiscard]] Instant now() const noexcept { return read_(clock_); }

  private:
    constexpr TimeSource(const void* clock, Instant (*read)(const void*)) noexcept
        : clock_{clock}, read_{read} {}

    const void* clock_ = nullptr;
    Instant (*read_)(const void*) = [](const void*) { return detail::read(SteadyClock{}); };
};

/// Returns the smallest number of D's ticks that is not shorter than `length`, or D's longest duration
/// if none is. `length` is not negative.
template <class D>
[[nodiscard]] constexpr D rounded_up(std::chrono::nanoseconds length) noexcept {
    using Rep = typename D::rep;
    if (length == (std::chrono::nanoseconds::max)()) return (D::max)();
    if constexpr (std::is_floating_point_v<Rep>) {
        return std::chrono::duration_cast<D>(length);
    } else {
        constexpr std::int64_t tick = std::ratio_divide<typename D::period, std::nano>::num;
        const std::int64_t ticks = length.count() / tick + (length.count() % tick != 0 ? 1 : 0);
        if (static_cast<std::uint64_t>(ticks) >
            static_cast<std::uint64_t>((std::numeric_limits<Rep>::max)())) {
            return (D::max)();
        }
        return D{static_cast<Rep>(ticks)};
    }
}

/// A duration that a remaining time can be rounded up to: any floating-point one, or whole
/// nanoseconds.
template <class D>
concept RemainingTime = std::floating_point<typename D::rep> ||
                        (std::integral<typename D::rep> && is_whole_nanoseconds<typename D::period>);

} // namespace detail

/// What a pipeline passes to the called function: which attempt this is, and how much time it has.
///
///     auto reply = protect.call([&](const dashpot::Attempt& attempt) {
///         return client.get(url, attempt.remaining<std::chrono::milliseconds>());
///     });
///
/// **Contract.** It has one type, whatever the pipeline's clock is. A function that takes no Attempt
/// may take nothing instead.
/// **Threads.** A value; any thread may use a copy. remaining() reads the pipeline's clock, so it may
/// only be called while the pipeline exists.
/// **Cost.** remaining() reads the clock once, and not at all without a deadline.
struct Attempt {
    /// The number of this attempt in the innermost Retry, from 1. Without a Retry it is 1.
    std::uint32_t number = 1;
    /// When the attempt must have ended: the earliest of the caller's deadline and all timeouts
    /// outside.
    Deadline deadline{};
    /// The caller's stop token. The function should return early if a stop is requested.
    std::stop_token stop{};
    /// The pipeline's clock.
    detail::TimeSource clock{};

    /// Returns the time until the deadline, rounded up to whole ticks of D.
    ///
    /// **Contract.** The result is 0 only if the deadline has passed. It is the longest D if there is
    /// no deadline, or if the time does not fit.
    template <detail::RemainingTime D = std::chrono::nanoseconds>
    [[nodiscard]] D remaining() const noexcept {
        if (deadline.is_never()) return (D::max)();
        return detail::rounded_up<D>(deadline.remaining_at(clock.now()));
    }
};

} // namespace dashpot::inline DASHPOT_ABI

#endif
