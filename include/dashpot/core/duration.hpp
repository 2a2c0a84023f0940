// SPDX-License-Identifier: MIT
#ifndef DASHPOT_CORE_DURATION_HPP
#define DASHPOT_CORE_DURATION_HPP

#include <dashpot/core/abi.hpp>

#include <chrono>
#include <concepts>
#include <cstdint>
#include <limits>
#include <ratio>
#include <type_traits>

namespace dashpot::inline DASHPOT_ABI {

namespace detail {

template <class T>
concept Arithmetic = std::is_arithmetic_v<T>;

/// A duration that std::chrono converts to nanoseconds without loss of precision.
template <class Period>
inline constexpr bool is_whole_nanoseconds = std::ratio_divide<Period, std::nano>::den == 1;

template <class Rep, class Period>
    requires(std::integral<Rep> && is_whole_nanoseconds<Period>)
constexpr std::chrono::nanoseconds
saturate_to_nanoseconds(const std::chrono::duration<Rep, Period>& length) noexcept {
    using std::chrono::nanoseconds;
    constexpr std::intmax_t factor = std::ratio_divide<Period, std::nano>::num;
    constexpr std::int64_t most = (std::numeric_limits<std::int64_t>::max)() / factor;
    if constexpr (std::is_signed_v<Rep>) {
        if (length.count() < -most)
            return factor == 1 ? nanoseconds{length.count()} : (nanoseconds::min)();
        if (length.count() > most) return (nanoseconds::max)();
    } else {
        if (length.count() > static_cast<std::uint64_t>(most)) return (nanoseconds::max)();
    }
    return nanoseconds{static_cast<std::int64_t>(length.count()) * factor};
}

} // namespace detail

/// A std::chrono::nanoseconds whose conversion from any whole duration saturates instead of
/// overflowing.
///
/// `std::chrono::hours::max()` becomes about 292 years, which means "forever"; a plain
/// std::chrono::nanoseconds would wrap to a negative number. Option fields and parameters that take a
/// duration have this type. In every other respect it is a std::chrono::nanoseconds.
struct Nanoseconds : std::chrono::nanoseconds {
    constexpr Nanoseconds() noexcept : std::chrono::nanoseconds{0} {}

    /// Converts from any duration whose ticks are whole nanoseconds. A value that does not fit becomes
    /// the nearest value that fits.
    template <class Rep, class Period>
        requires(std::integral<Rep> && detail::is_whole_nanoseconds<Period>)
    constexpr Nanoseconds(const std::chrono::duration<Rep, Period>& length) noexcept
        : std::chrono::nanoseconds{detail::saturate_to_nanoseconds(length)} {}

    /// Rejects a bare number: the compiler shows the next line in its error.
    template <detail::Arithmetic NumberWithoutUnit>
    Nanoseconds(NumberWithoutUnit) = delete; // a duration needs its unit: write 10s, not 10
};

/// A point in time on all layers above: nanoseconds since the epoch of the guard's clock. For a
/// std::chrono::steady_clock an Instant is that clock's own time_point.
using Instant = std::chrono::time_point<std::chrono::steady_clock, std::chrono::nanoseconds>;

namespace detail {

constexpr std::chrono::nanoseconds saturating_add(std::chrono::nanoseconds a,
                                                  std::chrono::nanoseconds b) noexcept {
    using std::chrono::nanoseconds;
    if (b.count() > 0 && a > (nanoseconds::max)() - b) return (nanoseconds::max)();
    if (b.count() < 0 && a < (nanoseconds::min)() - b) return (nanoseconds::min)();
    return a + b;
}

constexpr std::chrono::nanoseconds saturating_subtract(std::chrono::nanoseconds a,
                                                       std::chrono::nanoseconds b) noexcept {
    using std::chrono::nanoseconds;
    if (b.count() < 0 && a > (nanoseconds::max)() + b) return (nanoseconds::max)();
    if (b.count() > 0 && a < (nanoseconds::min)() + b) return (nanoseconds::min)();
    return a - b;
}

/// Returns end - start, limited to the longest duration. The result is negative if `end` is earlier.
constexpr std::chrono::nanoseconds between(Instant start, Instant end) noexcept {
    return saturating_subtract(end.time_since_epoch(), start.time_since_epoch());
}

} // namespace detail

} // namespace dashpot::inline DASHPOT_ABI

#endif
