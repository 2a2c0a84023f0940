// SPDX-License-Identifier: MIT
#include <dashpot/registry/detail/registered_target.hpp>
#include <dashpot/testing/manual_clock.hpp>

#include "catch.hpp"

#include <memory>
#include <string>

namespace tests::registry_detail_registered_target {

using dashpot::State;
using dashpot::TargetOptions;
using dashpot::detail::HashedName;
using dashpot::detail::TargetChannel;
using dashpot::testing::ManualClock;
using Typed = dashpot::detail::TypedTarget<ManualClock, dashpot::ConsecutiveFailures>;

namespace {
const HashedName core{"CORE", {1, 2}};
} // namespace

TEST_CASE("RegisteredTarget: is as new until something was recorded", "[registry]") {
    const ManualClock clock;
    Typed registered{core, {.policy = {.threshold = 2}}, clock, std::make_shared<TargetChannel>()};
    CHECK(registered.is_as_new());
    CHECK(registered.target.try_enter().failure());
    CHECK_FALSE(registered.is_as_new());
    CHECK(registered.target.try_enter().success());
    CHECK(registered.is_as_new());
    {
        const auto entry = registered.target.try_enter();
        CHECK_FALSE(registered.is_as_new());
    }
    CHECK(registered.is_as_new());
    registered.target.breaker().trip();
    CHECK_FALSE(registered.is_as_new());
    registered.target.breaker().reset();
    CHECK(registered.is_as_new());
}

TEST_CASE("RegisteredTarget: one that does not begin CLOSED is never as new", "[registry]") {
    const ManualClock clock;
    Typed registered{core,
                     {.breaker = {.initial_state = State::disabled}},
                     clock,
                     std::make_shared<TargetChannel>()};
    CHECK_FALSE(registered.is_as_new());
    registered.target.breaker().reset();
    CHECK_FALSE(registered.is_as_new());
}

TEST_CASE(
    "RegisteredTarget: its breaker's own listener keeps it from being as new, the registry's does not",
    "[registry]") {
    const ManualClock clock;
    const auto channel = std::make_shared<TargetChannel>();
    Typed registered{core, {}, clock, channel};
    std::string heard;
    const auto subscription =
        TargetChannel::subscribe(channel, [&](const dashpot::detail::TargetEvent& event) {
            heard.append(event.source->name()) += ' ';
        });
    CHECK(registered.is_as_new());
    {
        const auto own = registered.target.breaker().on_transition([](const dashpot::Transition&) {});
        CHECK_FALSE(registered.is_as_new());
    }
    CHECK(registered.is_as_new());
    registered.target.breaker().trip();
    CHECK(heard == "CORE ");
}

TEST_CASE("RegisteredTarget: disconnected, it reports no transition", "[registry]") {
    const auto channel = std::make_shared<TargetChannel>();
    Typed registered{core, {}, ManualClock{}, channel};
    int heard = 0;
    const auto subscription =
        TargetChannel::subscribe(channel, [&](const dashpot::detail::TargetEvent&) { ++heard; });
    registered.target.breaker().trip();
    registered.disconnect();
    registered.target.breaker().reset();
    CHECK(heard == 1);
}

} // namespace tests::registry_detail_registered_target
