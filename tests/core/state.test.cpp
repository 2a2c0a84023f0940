// SPDX-License-Identifier: MIT
#include <dashpot/core/state.hpp>

#include "catch.hpp"

#include <iomanip>
#include <sstream>

namespace tests::core_state {

using dashpot::State;
using dashpot::to_string;

TEST_CASE("State: is written in capitals", "[core]") {
    STATIC_REQUIRE(to_string(State::closed) == "CLOSED");
    STATIC_REQUIRE(to_string(State::open) == "OPEN");
    STATIC_REQUIRE(to_string(State::half_open) == "HALF_OPEN");
    STATIC_REQUIRE(to_string(State::disabled) == "DISABLED");
    STATIC_REQUIRE(to_string(State::forced_open) == "FORCED_OPEN");
    STATIC_REQUIRE(to_string(State::metrics_only) == "METRICS_ONLY");
}

TEST_CASE("State: a value from nowhere is called unknown", "[core]") {
    STATIC_REQUIRE(to_string(static_cast<State>(200)) == "UNKNOWN");
}

TEST_CASE("State: takes one byte and starts closed", "[core]") {
    STATIC_REQUIRE(sizeof(State) == 1);
    STATIC_REQUIRE(State{} == State::closed);
}

TEST_CASE("State: prints its name, and takes the width as a string does", "[core]") {
    std::ostringstream out;
    out << dashpot::State::half_open << ' ' << std::setw(20) << std::left << dashpot::State::open
        << '|';
    CHECK(out.str() == "HALF_OPEN OPEN                |");
}

} // namespace tests::core_state
