// SPDX-License-Identifier: MIT
#include <dashpot/core/detail/print.hpp>

#include "catch.hpp"

#include <chrono>
#include <iomanip>
#include <locale>
#include <optional>
#include <sstream>
#include <string>

namespace tests::core_detail_print {

using namespace std::chrono_literals;

namespace {

/// Writes each number with marks between groups of two digits and a decimal comma.
struct Marks : std::numpunct<char> {
    char do_thousands_sep() const override { return '.'; }
    char do_decimal_point() const override { return ','; }
    std::string do_grouping() const override { return "\2"; }
    std::string do_truename() const override { return "wahr"; }
};

} // namespace

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

TEST_CASE("Options: are printed alike whatever the stream's locale and flags", "[core]") {
    std::ostringstream out;
    out.imbue(std::locale{out.getloc(), new Marks});
    out << std::hex << std::showbase << std::showpos << std::boolalpha << std::scientific
        << std::setprecision(2) << std::setfill('*') << std::left << std::setw(60);
    dashpot::detail::FieldPrinter{out, "Options"}
        .field("count", 1'234'567)
        .field("wait", std::chrono::nanoseconds{1'234'567})
        .field("rate", 1234.5)
        .field("is_on", true)
        .end();
    CHECK(out.str() == "Options{.count = 1234567, .wait = 1234567ns, .rate = 1234.5, .is_on = true}");
    out.str("");
    out << 255; // the flags are the stream's own
    CHECK(out.str() == "0xff");
}

} // namespace tests::core_detail_print
