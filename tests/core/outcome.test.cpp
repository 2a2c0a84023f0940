// SPDX-License-Identifier: MIT
#include <dashpot/core/outcome.hpp>

#include "catch.hpp"

#include <iomanip>
#include <sstream>

namespace tests::core_outcome {

using dashpot::Outcome;
using dashpot::to_string;

TEST_CASE("Outcome: each has the name of its enumerator", "[core]") {
    STATIC_REQUIRE(to_string(Outcome::success) == "success");
    STATIC_REQUIRE(to_string(Outcome::failure) == "failure");
    STATIC_REQUIRE(to_string(Outcome::ignored) == "ignored");
}

TEST_CASE("Outcome: a value from nowhere is called unknown", "[core]") {
    STATIC_REQUIRE(to_string(static_cast<Outcome>(200)) == "unknown");
}

TEST_CASE("Outcome: takes one byte", "[core]") { STATIC_REQUIRE(sizeof(Outcome) == 1); }

TEST_CASE("Outcome: prints its name, and takes the width as a string does", "[core]") {
    std::ostringstream out;
    out << dashpot::Outcome::failure << ' ' << std::setw(20) << std::left << dashpot::Outcome::ignored
        << '|';
    CHECK(out.str() == "failure ignored             |");
}

} // namespace tests::core_outcome
