// SPDX-License-Identifier: MIT
#include <dashpot/core/detail/value_text.hpp>

#include "catch.hpp"

#include <chrono>
#include <cstdint>
#include <limits>
#include <string>

namespace tests::core_detail_value_text {

using namespace std::chrono_literals;

namespace {

template <class T>
std::string printed(const T& value) {
    return std::string{dashpot::detail::ValueText{value}.view()};
}

} // namespace

TEST_CASE("A duration: is printed in the largest unit that loses nothing", "[core]") {
    CHECK(printed(0s) == "0s");
    CHECK(printed(10s) == "10s");
    CHECK(printed(90s) == "90s");
    CHECK(printed(120s) == "2min");
    CHECK(printed(36h) == "36h");
    CHECK(printed(1500ms) == "1500ms");
    CHECK(printed(1500us) == "1500us");
    CHECK(printed(1'000'001ns) == "1000001ns");
    CHECK(printed(-3s) == "-3s");
    CHECK(printed((std::chrono::nanoseconds::min)()) == "-9223372036854775808ns");
    CHECK(printed((std::chrono::hours::max)()) == "9223372036854775807ns");
    CHECK(printed((std::chrono::nanoseconds::max)()) == "9223372036854775807ns");
}

TEST_CASE("A whole number: is printed to its last digit", "[core]") {
    CHECK(printed(0) == "0");
    CHECK(printed(-7) == "-7");
    CHECK(printed(1'234'567U) == "1234567");
    CHECK(printed((std::numeric_limits<std::uint64_t>::max)()) == "18446744073709551615");
    CHECK(printed((std::numeric_limits<std::int64_t>::min)()) == "-9223372036854775808");
    CHECK(printed(std::uint8_t{65}) == "65"); // a number, not a letter
}

TEST_CASE("A floating-point number: is printed as short as it can be read back", "[core]") {
    CHECK(printed(50.0) == "50");
    CHECK(printed(0.1) == "0.1");
    CHECK(printed(0.1F) == "0.1");
    CHECK(printed(2.0 / 3) == "0.6666666666666666");
    CHECK(printed(-0.0) == "-0");
    CHECK(printed(1e300) == "1e+300");
    CHECK(printed((std::numeric_limits<long double>::max)()).size() < 64);
}

TEST_CASE("A floating-point number: that is none, or has no end, says so", "[core]") {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
    CHECK(printed(infinity) == "inf");
    CHECK(printed(-infinity) == "-inf");
    CHECK(printed(not_a_number) == "nan");
    CHECK(printed(-not_a_number) == "nan"); // what 0.0 / 0.0 gives on x86 has a sign
}

TEST_CASE("A text or a truth value: is printed as it is", "[core]") {
    CHECK(printed(true) == "true");
    CHECK(printed(false) == "false");
    CHECK(printed("a b") == "a b");
    CHECK(printed(std::string{"nanny"}) == "nanny");
    CHECK(printed("").empty());
}

} // namespace tests::core_detail_value_text
