// SPDX-License-Identifier: MIT
#include "../../../examples/whatif/text_values.hpp"

#include "catch.hpp"

#include <cstdint>
#include <optional>

namespace tests::whatif_text_values {

using namespace whatif;

namespace {

using Value = std::optional<std::int64_t>;

constexpr std::int64_t second = 1'000'000'000;
constexpr std::int64_t quarter_past = 1'796'026'530; // 2026-11-30T08:15:30Z

} // namespace

TEST_CASE("whatif: times are RFC 3339 or seconds since 1970, to the nanosecond", "[whatif]") {
    CHECK(parse_time("2026-11-30T08:15:30Z") == Value{quarter_past * second});
    CHECK(parse_time("2026-11-30T08:15:30.042123Z") == Value{quarter_past * second + 42'123'000});
    CHECK(parse_time("2026-11-30t08:15:30.0421234567891z") ==
          Value{quarter_past * second + 42'123'456});
    CHECK(parse_time("2026-11-30 09:15:30+01:00") == Value{quarter_past * second});
    CHECK(parse_time("2026-11-30T02:45:30-05:30") == Value{quarter_past * second});
    CHECK(parse_time("2024-02-29T00:00:00Z") == Value{1'709'164'800 * second});
    CHECK(parse_time("2016-12-31T23:59:60Z") == Value{1'483'228'800 * second});
    CHECK(parse_time("1796026530") == Value{quarter_past * second});
    CHECK(parse_time("1796026530.042123456") == Value{quarter_past * second + 42'123'456});
    CHECK(parse_time("1.79602653e9") == Value{quarter_past * second});
    CHECK(parse_time("0") == Value{0});
}

TEST_CASE("whatif: what is no time is refused", "[whatif]") {
    for (const char* text : {"", "yesterday", "2026-11-30", "2026-11-30T08:15:30",
                             "2026-13-30T08:15:30Z", "2026-02-29T08:15:30Z", "2026-11-31T08:15:30Z",
                             "2026-11-30T24:15:30Z", "2026-11-30T08:60:30Z", "2026-11-30T08:15:61Z",
                             "2026-11-30T08:15:30.Z", "2026-11-30T08:15:30+1", "-1", "1e400", "1.2.3",
                             "9999999999999", "2300-01-01T00:00:00Z", "1969-12-31T23:59:59Z", "."}) {
        CAPTURE(text);
        CHECK_FALSE(parse_time(text));
    }
}

TEST_CASE("whatif: times of access logs have a zone", "[whatif]") {
    CHECK(parse_access_time("30/Nov/2026:08:15:30 +0000") == Value{quarter_past * second});
    CHECK(parse_access_time("30/Nov/2026:16:15:30 +0800") == Value{quarter_past * second});
    CHECK_FALSE(parse_access_time("30/Nix/2026:16:15:30 +0800"));
    CHECK_FALSE(parse_access_time("30/Nov/2026:16:15:30"));
}

TEST_CASE("whatif: decimal numbers are exact, and cut off below their unit", "[whatif]") {
    CHECK(parse_decimal("12.345", 6) == Value{12'345'000});
    CHECK(parse_decimal("0.0000019", 6) == Value{1});
    CHECK(parse_decimal("1e-3", 6) == Value{1'000});
    CHECK(parse_decimal("1.5E3", 0) == Value{1'500});
    CHECK(parse_decimal("-2", 0) == Value{-2});
    CHECK(parse_decimal("123456789e-20", 6) == Value{0});
    CHECK_FALSE(parse_decimal("", 0));
    CHECK_FALSE(parse_decimal("-", 0));
    CHECK_FALSE(parse_decimal("1x", 0));
    CHECK_FALSE(parse_decimal("nan", 0));
    CHECK_FALSE(parse_decimal("99999999999999999999", 0));
}

TEST_CASE("whatif: durations have a unit", "[whatif]") {
    CHECK(parse_duration("10s") == Value{10 * second});
    CHECK(parse_duration("1.5s") == Value{1'500'000'000});
    CHECK(parse_duration("250ms") == Value{250'000'000});
    CHECK(parse_duration("7us") == Value{7'000});
    CHECK(parse_duration("3ns") == Value{3});
    CHECK(parse_duration("1.5min") == Value{90 * second});
    CHECK(parse_duration("2h") == Value{7'200 * second});
    CHECK(parse_duration("0.5ms") == Value{500'000});
    CHECK_FALSE(parse_duration("0.5ns"));
    CHECK_FALSE(parse_duration("10"));
    CHECK_FALSE(parse_duration("s"));
    CHECK_FALSE(parse_duration("10m"));
    CHECK_FALSE(parse_duration("10 s"));
}

} // namespace tests::whatif_text_values
