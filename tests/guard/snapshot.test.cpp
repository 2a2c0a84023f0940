// SPDX-License-Identifier: MIT
#include <dashpot/guard/snapshot.hpp>

#include "catch.hpp"

namespace tests::guard_snapshot {

using dashpot::CallTotals;
using dashpot::Snapshot;
using dashpot::State;

TEST_CASE("Snapshot: is that of a breaker without calls by default", "[guard]") {
    constexpr Snapshot seen;
    STATIC_REQUIRE(seen.state == State::closed);
    STATIC_REQUIRE(seen.generation == 0);
    STATIC_REQUIRE(seen.calls + seen.failures + seen.slow + seen.ignored + seen.refused == 0);
    STATIC_REQUIRE((!seen.failure_rate && !seen.slow_rate && !seen.totals && !seen.opened_at));
    STATIC_REQUIRE(seen.probes_in_flight == 0);
    STATIC_REQUIRE(seen.would_have_opened == 0);
    STATIC_REQUIRE(seen.retry_after.count() == 0);
}

TEST_CASE("CallTotals: are equal by all of their numbers", "[guard]") {
    STATIC_REQUIRE(CallTotals{1, 2, 3} == CallTotals{1, 2, 3});
    STATIC_REQUIRE(CallTotals{1, 2, 3} != CallTotals{0, 2, 3});
    STATIC_REQUIRE(CallTotals{1, 2, 3} != CallTotals{1, 0, 3});
    STATIC_REQUIRE(CallTotals{1, 2, 3} != CallTotals{1, 2, 0});
}

} // namespace tests::guard_snapshot
