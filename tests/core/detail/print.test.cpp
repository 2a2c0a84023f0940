// SPDX-License-Identifier: MIT
#include <dashpot/core/detail/print.hpp>

#include "catch.hpp"

#include <chrono>
#include <optional>
#include <sstream>
#include <string>

namespace tests::core_detail_print {

using namespace std::chrono_literals;

namespace {

std::string printed(std::chrono::nanoseconds length) {
    std::ostringstream out;
    dashpot::detail::print_duration(out, length);
    return out.str();
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
    CHECK(printed((std::chrono::nanoseconds::max)()) == "9223372036854775807ns");
}

TEST_CASE("Options: are printed as the initializer that makes them", "[core]") {
    std::ostringstream out;
    dashpot::detail::FieldPrinter{out, "Options"}
        .field("count", 3)
        .field("wait", std::chrono::nanoseconds{2s})
        .optional("none", std::optional<int>{})
        .optional("some", std::optional{0.5})
        .end();
    CHECK(out.str() == "Options{.count = 3, .wait = 2s, .some = 0.5}");
}

} // namespace tests::core_detail_print
