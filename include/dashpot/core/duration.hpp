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

/// A duration that std::chrono would convert to nanoseconds without loss of precision.
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

/// std::chrono::nanoseconds to which any whole duration converts with saturation instead of overflow.
///
/// `std::chrono::hours::max()` is about 292 years here, "for ever", where the plain type would wrap
/// to a negative number. Option fields and parameters that take a duration have this type; it is a
/// std::chrono::nanoseconds in every other respect.
struct Nanoseconds : std::chrono::nanoseconds {
    constexpr Nanoseconds() noexcept : std::chrono::nanoseconds{0} {}

    /// Converts from any duration whose ticks are whole nanoseconds, as std::chrono does, but to
    /// the nearest value that fits.
    template <class Rep, class Period>
        requires(std::integral<Rep> && detail::is_whole_nanoseconds<Period>)
    constexpr Nanoseconds(const std::chrono::duration<Rep, Period>& length) noexcept
        : std::chrono::nanoseconds{detail::saturate_to_nanoseconds(length)} {}

    /// Not from a bare number: a compiler shows the next line where one is given.
    template <detail::Arithmetic NumberWithoutUnit>
    Nanoseconds(NumberWithoutUnit) = delete; // a duration needs its unit: write 10s, not 10
};

/// A point in time as every floor above speaks of it: nanoseconds since the epoch of whichever clock
/// the guard was given. For a std::chrono::steady_clock it is that clock's own time_point.
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

/// end - start, held at the longest duration. Negative when `end` is earlier.
constexpr std::chrono::nanoseconds between(Instant start, Instant end) noexcept {
    return saturating_subtract(end.time_since_epoch(), start.time_since_epoch());
}

} // namespace detail

} // namespace dashpot::inline DASHPOT_ABI

#endif
