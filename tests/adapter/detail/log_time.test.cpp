// SPDX-License-Identifier: MIT
#include <dashpot/adapter/detail/log_time.hpp>

#include "catch.hpp"

#include <chrono>
#include <stdexcept>

namespace tests::adapter_detail_log_time {

using namespace std::chrono_literals;
using dashpot::detail::log_time;

TEST_CASE("log_time: is UTC in whole milliseconds, never rounded up", "[adapter]") {
    constexpr std::chrono::sys_days day{std::chrono::year{2026} / 11 / 30};
    CHECK(log_time(day) == "2026-11-30T00:00:00.000Z");
    CHECK(log_time(day + 8h + 15min + 30s + 42ms) == "2026-11-30T08:15:30.042Z");
    CHECK(log_time(day + 24h - 1us) == "2026-11-30T23:59:59.999Z");
    CHECK(log_time(day + 24h) == "2026-12-01T00:00:00.000Z");
}

TEST_CASE("log_time: before the epoch it is rounded down too", "[adapter]") {
    const std::chrono::system_clock::time_point epoch{};
    CHECK(log_time(epoch) == "1970-01-01T00:00:00.000Z");
    CHECK(log_time(epoch - 1us) == "1969-12-31T23:59:59.999Z");
}

TEST_CASE("log_time: an empty wall clock is refused in its owner's words", "[adapter]") {
    CHECK_THROWS_WITH(dashpot::detail::checked({}, "Log: no clock"), "Log: no clock");
    CHECK(dashpot::detail::checked(std::chrono::system_clock::now, "Log: no clock"));
}

} // namespace tests::adapter_detail_log_time
