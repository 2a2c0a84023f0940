// SPDX-License-Identifier: MIT
// Only the header under test is included before the macro is used: nothing else sees this definition.
#define DASHPOT_ASSERT(condition) (broken_promise = (condition) ? broken_promise : #condition)
namespace {
const char* broken_promise = nullptr;
}

#include <dashpot/core/contract.hpp>

#include "catch.hpp"

#include <chrono>
#include <stdexcept>
#include <string>

TEST_CASE("refuse_option: throws the message as std::invalid_argument", "[core]") {
    CHECK_THROWS_AS(dashpot::refuse_option("Pump::strokes must be 1 or more"), std::invalid_argument);
    CHECK_THROWS_WITH(dashpot::refuse_option("Pump::strokes must be 1 or more"),
                      "Pump::strokes must be 1 or more");
}

TEST_CASE("refuse_option: puts the given value into the message", "[core]") {
    using namespace std::chrono_literals;
    using dashpot::refuse_option;
    CHECK_THROWS_WITH(refuse_option("Pump::strokes", 0U, "must be 1 or more"),
                      "Pump::strokes is 0, must be 1 or more");
    CHECK_THROWS_WITH(refuse_option("Pump::load", 70.5, "must be in (0, 1]; for 50 % write 0.5"),
                      "Pump::load is 70.5, must be in (0, 1]; for 50 % write 0.5");
    CHECK_THROWS_WITH(refuse_option("Pump::pause", -1500ms, "must be longer than ", 2s, ""),
                      "Pump::pause is -1500ms, must be longer than 2s");
    CHECK_THROWS_WITH(refuse_option("Pump::name", std::string{"a b"}, "must have no space"),
                      "Pump::name is a b, must have no space");
    CHECK_THROWS_WITH(refuse_option("Pump::is_on", false, "must be true"),
                      "Pump::is_on is false, must be true");
}

TEST_CASE("DASHPOT_EXCEPTIONS: says that exceptions are on", "[core]") {
    STATIC_REQUIRE(DASHPOT_EXCEPTIONS == 1);
}

TEST_CASE("DASHPOT_ASSERT: may be defined by the user before the first include", "[core]") {
    DASHPOT_ASSERT(1 + 1 == 2);
    CHECK(broken_promise == nullptr);
    DASHPOT_ASSERT(1 + 1 == 3);
    CHECK(broken_promise == std::string{"1 + 1 == 3"});
    broken_promise = nullptr;
}
