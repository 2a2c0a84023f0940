// SPDX-License-Identifier: MIT
#include <dashpot/core/reason.hpp>

#include "catch.hpp"

#include <iomanip>
#include <sstream>

namespace tests::core_reason {

using dashpot::Reason;
using dashpot::to_string;

TEST_CASE("Reason: each has the name of its enumerator", "[core]") {
    STATIC_REQUIRE(to_string(Reason::consecutive_failures) == "consecutive_failures");
    STATIC_REQUIRE(to_string(Reason::failure_rate) == "failure_rate");
    STATIC_REQUIRE(to_string(Reason::slow_rate) == "slow_rate");
    STATIC_REQUIRE(to_string(Reason::failure_rate_and_slow_rate) == "failure_rate_and_slow_rate");
    STATIC_REQUIRE(to_string(Reason::policy) == "policy");
    STATIC_REQUIRE(to_string(Reason::reset_timeout) == "reset_timeout");
    STATIC_REQUIRE(to_string(Reason::probes_succeeded) == "probes_succeeded");
    STATIC_REQUIRE(to_string(Reason::probes_failed) == "probes_failed");
    STATIC_REQUIRE(to_string(Reason::trip) == "trip");
    STATIC_REQUIRE(to_string(Reason::force_open) == "force_open");
    STATIC_REQUIRE(to_string(Reason::disable) == "disable");
    STATIC_REQUIRE(to_string(Reason::metrics_only) == "metrics_only");
    STATIC_REQUIRE(to_string(Reason::reset) == "reset");
}

TEST_CASE("Reason: a value from nowhere is called unknown", "[core]") {
    STATIC_REQUIRE(to_string(static_cast<Reason>(200)) == "unknown");
}

TEST_CASE("Reason: prints its name, and takes the width as a string does", "[core]") {
    std::ostringstream out;
    out << dashpot::Reason::slow_rate << ' ' << std::setw(20) << std::left << dashpot::Reason::trip
        << '|';
    CHECK(out.str() == "slow_rate trip                |");
}

} // namespace tests::core_reason
