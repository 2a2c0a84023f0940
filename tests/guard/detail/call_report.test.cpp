// SPDX-License-Identifier: MIT
#include <dashpot/guard/detail/call_report.hpp>

#include "catch.hpp"

#include <chrono>

namespace tests::guard_detail_call_report {

using namespace std::chrono_literals;
using dashpot::Instant;
using dashpot::detail::CallReport;
using dashpot::detail::never;

namespace {

constexpr CallReport measured(std::chrono::nanoseconds begin, std::chrono::nanoseconds end) {
    CallReport report{.timing = {begin, true}};
    report.end(Instant{end});
    return report;
}

} // namespace

TEST_CASE("CallReport: a length that was given needs no clock", "[guard]") {
    STATIC_REQUIRE(CallReport{.timing = {5s}}.is_measured());
    STATIC_REQUIRE(CallReport{.timing = {5s}}.is_quick(5s));
    STATIC_REQUIRE_FALSE(CallReport{.timing = {5s}}.is_quick(5s - 1ns));
}

TEST_CASE("CallReport: a length from start to end is known at the end", "[guard]") {
    STATIC_REQUIRE_FALSE(CallReport{.timing = {5s, true}}.is_measured());
    STATIC_REQUIRE_FALSE(CallReport{.timing = {5s, true}}.is_quick(1h));
    STATIC_REQUIRE(measured(5s, 7s).is_measured());
    STATIC_REQUIRE(measured(5s, 7s).is_quick(2s));
    STATIC_REQUIRE_FALSE(measured(5s, 7s).is_quick(2s - 1ns));
}

TEST_CASE("CallReport: no start is special, and no length overflows", "[guard]") {
    STATIC_REQUIRE(measured(0s, 1s).is_quick(1s));
    STATIC_REQUIRE_FALSE(measured(0s, 1s).is_quick(1s - 1ns));
    STATIC_REQUIRE_FALSE(measured((std::chrono::nanoseconds::min)(), never).is_quick(never - 1ns));
    STATIC_REQUIRE(measured(5s, 3s).is_quick(0s)); // a clock that stepped back
}

TEST_CASE("CallReport: without a length it is not slow, and where nothing is judged slow neither",
          "[guard]") {
    STATIC_REQUIRE(CallReport{}.is_quick(0s));
    STATIC_REQUIRE(CallReport{.timing = {5s, true}}.is_quick(never));
    STATIC_REQUIRE(CallReport{.timing = {never}}.is_quick(never));
}

} // namespace tests::guard_detail_call_report
