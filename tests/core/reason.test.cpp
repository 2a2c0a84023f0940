// SPDX-License-Identifier: MIT
#include <dashpot/core/reason.hpp>

#include "catch.hpp"

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

} // namespace tests::core_reason
