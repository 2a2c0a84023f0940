// SPDX-License-Identifier: MIT
#include <dashpot/adapter/detail/traffic_line.hpp>

#include "catch.hpp"

#include <chrono>
#include <string>

namespace tests::adapter_detail_traffic_line {

using namespace std::chrono_literals;
using namespace dashpot::detail;

namespace {

constexpr std::chrono::sys_days end_of_november{std::chrono::year{2026} / 11 / 30};

std::string line(std::chrono::nanoseconds elapsed, std::string_view target = "CORE") {
    std::string text;
    append_traffic_line(text, "T", target, "success", elapsed, 3);
    return text;
}

} // namespace

TEST_CASE("Traffic lines: times have microseconds and are never rounded up", "[adapter]") {
    CHECK(TrafficTime{end_of_november + 8h + 15min + 30s + 42123us}.text() ==
          "2026-11-30T08:15:30.042123Z");
    CHECK(TrafficTime{end_of_november + 999'999'999ns}.text() == "2026-11-30T00:00:00.999999Z");
    CHECK(TrafficTime{std::chrono::sys_days{} - 1ns}.text() == "1969-12-31T23:59:59.999999Z");
}

TEST_CASE("Traffic lines: lengths have milliseconds with three digits", "[adapter]") {
    CHECK(line(12'345us) ==
          "{\"time\":\"T\",\"target\":\"CORE\",\"outcome\":\"success\",\"elapsed_ms\":12.345,"
          "\"in_flight\":3}\n");
    CHECK(line(0ns).find(":0.000,") != std::string::npos);
    CHECK(line(5'999ns).find(":0.005,") != std::string::npos);
    CHECK(line(-1s).find(":0.000,") != std::string::npos);
}

TEST_CASE("Traffic lines: none is longer than the room that is reserved", "[adapter]") {
    const std::string controls(10, '\x01');
    std::string text;
    append_traffic_line(text, TrafficTime{end_of_november}.text(), controls, "success",
                        (std::chrono::nanoseconds::max)(), ~std::uint64_t{0});
    CHECK(text.size() <= longest_traffic_line(controls));
}

TEST_CASE("Traffic lines: pieces have whole lines only", "[adapter]") {
    CHECK(whole_lines("ab\ncd\n", 6) == 6);
    CHECK(whole_lines("ab\ncd\n", 5) == 3);
    CHECK(whole_lines("ab\ncd\n", 3) == 3);
    CHECK(whole_lines("ab\ncd\n", 2) == 3);
}

} // namespace tests::adapter_detail_traffic_line
