// SPDX-License-Identifier: MIT
#include <dashpot/core/duration.hpp>

#include "catch.hpp"

#include <chrono>
#include <cstdint>
#include <limits>
#include <ratio>
#include <type_traits>

namespace tests::core_duration {

using namespace std::chrono_literals;
using dashpot::Instant;
using dashpot::Nanoseconds;
using std::chrono::nanoseconds;
namespace detail = dashpot::detail;

namespace {

template <class Rep>
constexpr Rep most = (std::numeric_limits<Rep>::max)();
template <class Rep>
constexpr Rep least = (std::numeric_limits<Rep>::min)();

constexpr nanoseconds for_ever = (nanoseconds::max)();
constexpr nanoseconds since_ever = (nanoseconds::min)();

template <class Rep, class Period>
constexpr nanoseconds of(Rep count) {
    return Nanoseconds{std::chrono::duration<Rep, Period>{count}};
}

/// The last count that fits, and the first that does not.
template <class Period>
constexpr bool saturates_at_the_first_tick_that_does_not_fit() {
    constexpr std::int64_t factor = std::ratio_divide<Period, std::nano>::num;
    constexpr std::int64_t fits = most<std::int64_t> / factor;
    constexpr std::int64_t fits_below = least<std::int64_t> / factor;
    return of<std::int64_t, Period>(fits) == nanoseconds{fits * factor} &&
           of<std::int64_t, Period>(fits + 1) == for_ever &&
           of<std::int64_t, Period>(most<std::int64_t>) == for_ever &&
           of<std::int64_t, Period>(fits_below) == nanoseconds{fits_below * factor} &&
           of<std::int64_t, Period>(fits_below - 1) == since_ever &&
           of<std::int64_t, Period>(least<std::int64_t>) == since_ever &&
           of<std::uint64_t, Period>(std::uint64_t{fits}) == nanoseconds{fits * factor} &&
           of<std::uint64_t, Period>(std::uint64_t{fits} + 1) == for_ever &&
           of<std::uint64_t, Period>(most<std::uint64_t>) == for_ever;
}

template <class Rep>
constexpr bool small_counts_are_exact() {
    return of<Rep, std::ratio<1>>(0) == 0s && of<Rep, std::ratio<1>>(100) == 100s &&
           of<Rep, std::nano>(100) == 100ns && of<Rep, std::ratio<3600>>(100) == 100h;
}

} // namespace

TEST_CASE("Nanoseconds: converts every unit exactly where it fits", "[core]") {
    STATIC_REQUIRE(Nanoseconds{1ns} == nanoseconds{1});
    STATIC_REQUIRE(Nanoseconds{1us} == nanoseconds{1'000});
    STATIC_REQUIRE(Nanoseconds{1ms} == nanoseconds{1'000'000});
    STATIC_REQUIRE(Nanoseconds{1s} == nanoseconds{1'000'000'000});
    STATIC_REQUIRE(Nanoseconds{1min} == 60s);
    STATIC_REQUIRE(Nanoseconds{1h} == 3600s);
    STATIC_REQUIRE(Nanoseconds{std::chrono::days{1}} == 24h);
    STATIC_REQUIRE(Nanoseconds{-1500ms} == -1500ms);
    STATIC_REQUIRE(Nanoseconds{} == 0ns);
}

TEST_CASE("Nanoseconds: saturates at the first tick that does not fit", "[core]") {
    STATIC_REQUIRE(saturates_at_the_first_tick_that_does_not_fit<std::micro>());
    STATIC_REQUIRE(saturates_at_the_first_tick_that_does_not_fit<std::milli>());
    STATIC_REQUIRE(saturates_at_the_first_tick_that_does_not_fit<std::ratio<1>>());
    STATIC_REQUIRE(saturates_at_the_first_tick_that_does_not_fit<std::ratio<60>>());
    STATIC_REQUIRE(saturates_at_the_first_tick_that_does_not_fit<std::ratio<3600>>());
    STATIC_REQUIRE(saturates_at_the_first_tick_that_does_not_fit<std::ratio<86400>>());
    STATIC_REQUIRE(saturates_at_the_first_tick_that_does_not_fit<std::ratio<31556952>>());
    STATIC_REQUIRE(saturates_at_the_first_tick_that_does_not_fit<std::ratio<2, 1'000'000'000>>());
}

TEST_CASE("Nanoseconds: nanoseconds stay what they are up to the very ends", "[core]") {
    STATIC_REQUIRE(of<std::int64_t, std::nano>(most<std::int64_t>) == for_ever);
    STATIC_REQUIRE(of<std::int64_t, std::nano>(least<std::int64_t>) == since_ever);
    STATIC_REQUIRE(of<std::int64_t, std::nano>(least<std::int64_t> + 1) == since_ever + 1ns);
    STATIC_REQUIRE(of<std::uint64_t, std::nano>(most<std::int64_t>) == for_ever);
    STATIC_REQUIRE(of<std::uint64_t, std::nano>(std::uint64_t{most<std::int64_t>} + 1) == for_ever);
}

TEST_CASE("Nanoseconds: takes counts of every integer type", "[core]") {
    STATIC_REQUIRE(small_counts_are_exact<std::int8_t>());
    STATIC_REQUIRE(small_counts_are_exact<std::uint8_t>());
    STATIC_REQUIRE(small_counts_are_exact<std::int16_t>());
    STATIC_REQUIRE(small_counts_are_exact<std::uint16_t>());
    STATIC_REQUIRE(small_counts_are_exact<std::int32_t>());
    STATIC_REQUIRE(small_counts_are_exact<std::uint32_t>());
    STATIC_REQUIRE(small_counts_are_exact<std::int64_t>());
    STATIC_REQUIRE(small_counts_are_exact<std::uint64_t>());
    STATIC_REQUIRE(of<std::int8_t, std::ratio<3600>>(least<std::int8_t>) == -128h);
    STATIC_REQUIRE(of<std::uint32_t, std::ratio<3600>>(most<std::uint32_t>) == for_ever);
    STATIC_REQUIRE(of<std::int32_t, std::ratio<3600>>(least<std::int32_t>) == since_ever);
}

TEST_CASE("Nanoseconds: hours::max() is forever and never negative", "[core]") {
    STATIC_REQUIRE(Nanoseconds{(std::chrono::hours::max)()} == for_ever);
    STATIC_REQUIRE(Nanoseconds{(std::chrono::hours::min)()} == since_ever);
    STATIC_REQUIRE(Nanoseconds{(std::chrono::seconds::max)()} == for_ever);
    STATIC_REQUIRE(Nanoseconds{(std::chrono::years::max)()} == for_ever);
}

TEST_CASE("Nanoseconds: takes no duration that would lose precision", "[core]") {
    using std::chrono::duration;
    STATIC_REQUIRE_FALSE(std::is_constructible_v<Nanoseconds, duration<double>>);
    STATIC_REQUIRE_FALSE(std::is_constructible_v<Nanoseconds, duration<std::int64_t, std::pico>>);
    STATIC_REQUIRE_FALSE(
        std::is_constructible_v<Nanoseconds, duration<std::int64_t, std::ratio<1, 1'500'000'000>>>);
    STATIC_REQUIRE_FALSE(std::is_constructible_v<Nanoseconds, int>);
}

TEST_CASE("Nanoseconds: converts silently from durations and is one itself", "[core]") {
    STATIC_REQUIRE(std::is_convertible_v<std::chrono::hours, Nanoseconds>);
    STATIC_REQUIRE(std::is_convertible_v<Nanoseconds, nanoseconds>);
    STATIC_REQUIRE(std::is_nothrow_constructible_v<Nanoseconds, std::chrono::hours>);
    STATIC_REQUIRE(sizeof(Nanoseconds) == sizeof(nanoseconds));
}

TEST_CASE("Instant: is the time point of the standard steady clock, in nanoseconds", "[core]") {
    STATIC_REQUIRE(std::is_same_v<Instant::clock, std::chrono::steady_clock>);
    STATIC_REQUIRE(std::is_same_v<Instant::duration, nanoseconds>);
}

TEST_CASE("saturating_add: stops at the ends instead of overflowing", "[core]") {
    STATIC_REQUIRE(detail::saturating_add(1s, 2s) == 3s);
    STATIC_REQUIRE(detail::saturating_add(for_ever - 1ns, 1ns) == for_ever);
    STATIC_REQUIRE(detail::saturating_add(for_ever, 1ns) == for_ever);
    STATIC_REQUIRE(detail::saturating_add(1ns, for_ever) == for_ever);
    STATIC_REQUIRE(detail::saturating_add(for_ever, for_ever) == for_ever);
    STATIC_REQUIRE(detail::saturating_add(since_ever + 1ns, -1ns) == since_ever);
    STATIC_REQUIRE(detail::saturating_add(since_ever, -1ns) == since_ever);
    STATIC_REQUIRE(detail::saturating_add(since_ever, since_ever) == since_ever);
    STATIC_REQUIRE(detail::saturating_add(since_ever, for_ever) == -1ns);
    STATIC_REQUIRE(detail::saturating_add(for_ever, 0ns) == for_ever);
    STATIC_REQUIRE(detail::saturating_add(since_ever, 0ns) == since_ever);
}

TEST_CASE("saturating_subtract: stops at the ends instead of overflowing", "[core]") {
    STATIC_REQUIRE(detail::saturating_subtract(3s, 2s) == 1s);
    STATIC_REQUIRE(detail::saturating_subtract(2s, 3s) == -1s);
    STATIC_REQUIRE(detail::saturating_subtract(for_ever, -1ns) == for_ever);
    STATIC_REQUIRE(detail::saturating_subtract(for_ever, since_ever) == for_ever);
    STATIC_REQUIRE(detail::saturating_subtract(0ns, since_ever) == for_ever);
    STATIC_REQUIRE(detail::saturating_subtract(-1ns, since_ever) == for_ever);
    STATIC_REQUIRE(detail::saturating_subtract(-2ns, since_ever) == for_ever - 1ns);
    STATIC_REQUIRE(detail::saturating_subtract(since_ever, 1ns) == since_ever);
    STATIC_REQUIRE(detail::saturating_subtract(since_ever, for_ever) == since_ever);
    STATIC_REQUIRE(detail::saturating_subtract(-1ns, for_ever) == since_ever);
    STATIC_REQUIRE(detail::saturating_subtract(for_ever, for_ever) == 0ns);
    STATIC_REQUIRE(detail::saturating_subtract(since_ever, since_ever) == 0ns);
}

TEST_CASE("between: is negative when time stepped back, and saturates", "[core]") {
    STATIC_REQUIRE(detail::between(Instant{1s}, Instant{3s}) == 2s);
    STATIC_REQUIRE(detail::between(Instant{3s}, Instant{1s}) == -2s);
    STATIC_REQUIRE(detail::between(Instant{-3s}, Instant{-1s}) == 2s);
    STATIC_REQUIRE(detail::between((Instant::min)(), (Instant::max)()) == for_ever);
    STATIC_REQUIRE(detail::between((Instant::max)(), (Instant::min)()) == since_ever);
}

} // namespace tests::core_duration
