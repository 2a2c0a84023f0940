// SPDX-License-Identifier: MIT
#include <dashpot/guard/transition.hpp>

#include "catch.hpp"

#include <chrono>
#include <type_traits>

namespace tests::guard_transition {

using namespace std::chrono_literals;
using dashpot::Reason;
using dashpot::Snapshot;
using dashpot::State;
using dashpot::Transition;

TEST_CASE("Snapshot: of nothing is a closed circuit with nothing counted", "[guard]") {
    constexpr Snapshot snapshot{};
    STATIC_REQUIRE(snapshot.state == State::closed);
    STATIC_REQUIRE(snapshot.generation == 0);
    STATIC_REQUIRE(snapshot.calls == 0);
    STATIC_REQUIRE(snapshot.failures == 0);
    STATIC_REQUIRE(snapshot.slow == 0);
    STATIC_REQUIRE(snapshot.probes_in_flight == 0);
    STATIC_REQUIRE(snapshot.ignored == 0);
    STATIC_REQUIRE(snapshot.refused == 0);
    STATIC_REQUIRE_FALSE(snapshot.failure_rate.has_value());
    STATIC_REQUIRE_FALSE(snapshot.slow_rate.has_value());
    STATIC_REQUIRE_FALSE(snapshot.opened_at.has_value());
    STATIC_REQUIRE(snapshot.retry_after == 0ns);
}

TEST_CASE("Transition: is copied without allocating or throwing", "[guard]") {
    STATIC_REQUIRE(std::is_trivially_copyable_v<Transition>);
    STATIC_REQUIRE(std::is_trivially_copyable_v<Snapshot>);
}

TEST_CASE("Transition: is an aggregate that a test can write down", "[guard]") {
    constexpr Transition transition{
        .from = State::closed, .to = State::open, .generation = 2, .reason = Reason::trip};
    STATIC_REQUIRE(transition.from == State::closed);
    STATIC_REQUIRE(transition.to == State::open);
    STATIC_REQUIRE(transition.generation == 2);
    STATIC_REQUIRE(transition.reason == Reason::trip);
}

} // namespace tests::guard_transition
