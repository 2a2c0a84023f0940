// SPDX-License-Identifier: MIT
#include <dashpot/core/verdict.hpp>

#include "catch.hpp"

#include <chrono>
#include <type_traits>

namespace tests::core_verdict {

using namespace std::chrono_literals;
using dashpot::Outcome;
using dashpot::Verdict;

TEST_CASE("Verdict: asks for no wait unless one is given", "[core]") {
    STATIC_REQUIRE_FALSE(Verdict{Outcome::failure}.retry_after.has_value());
    STATIC_REQUIRE(*Verdict{Outcome::failure, 2s}.retry_after == 2s);
}

TEST_CASE("Verdict: is accepted wherever an outcome is", "[core]") {
    STATIC_REQUIRE(std::is_convertible_v<Verdict, Outcome>);
    STATIC_REQUIRE(Verdict{Outcome::ignored, 2s} == Outcome::ignored);
    STATIC_REQUIRE(Verdict{Outcome::ignored, 2s} != Outcome::failure);
}

TEST_CASE("Verdict: is equal when both the outcome and the wait are", "[core]") {
    STATIC_REQUIRE(Verdict{Outcome::failure, 2s} == Verdict{Outcome::failure, 2000ms});
    STATIC_REQUIRE(Verdict{Outcome::failure, 2s} != Verdict{Outcome::failure});
    STATIC_REQUIRE(Verdict{Outcome::failure} != Verdict{Outcome::success});
}

} // namespace tests::core_verdict
