// SPDX-License-Identifier: MIT
#include <dashpot/core/outcome.hpp>

#include "catch.hpp"

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

} // namespace tests::core_outcome
