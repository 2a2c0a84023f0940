// SPDX-License-Identifier: MIT
#include <dashpot/registry/detail/member.hpp>
#include <dashpot/testing/manual_clock.hpp>

#include "catch.hpp"

#include <memory>
#include <string>

namespace tests::registry_detail_member {

using dashpot::State;
using dashpot::TargetOptions;
using dashpot::detail::TargetChannel;
using dashpot::testing::ManualClock;
using Member = dashpot::detail::Member<ManualClock, dashpot::ConsecutiveFailures>;

TEST_CASE("Member: is as new until something can be told of it", "[registry]") {
    const ManualClock clock;
    Member member{"CORE", {.policy = {.threshold = 2}}, clock, std::make_shared<TargetChannel>()};
    CHECK(member.is_as_new());
    CHECK(member.target.try_enter().failure());
    CHECK_FALSE(member.is_as_new());
    CHECK(member.target.try_enter().success());
    CHECK(member.is_as_new());
    {
        const auto entry = member.target.try_enter();
        CHECK_FALSE(member.is_as_new());
    }
    CHECK(member.is_as_new());
    member.target.breaker().trip();
    CHECK_FALSE(member.is_as_new());
    member.target.breaker().reset();
    CHECK(member.is_as_new());
}

TEST_CASE("Member: one that does not begin CLOSED is never as new", "[registry]") {
    const ManualClock clock;
    Member member{"CORE",
                  {.breaker = {.initial_state = State::disabled}},
                  clock,
                  std::make_shared<TargetChannel>()};
    CHECK_FALSE(member.is_as_new());
    member.target.breaker().reset();
    CHECK_FALSE(member.is_as_new());
}

TEST_CASE("Member: its breaker's own listener keeps it from being as new, the registry's does not",
          "[registry]") {
    const ManualClock clock;
    const auto channel = std::make_shared<TargetChannel>();
    Member member{"CORE", {}, clock, channel};
    std::string heard;
    const auto subscription =
        TargetChannel::subscribe(channel, [&](const dashpot::detail::TargetEvent& event) {
            heard.append(event.feed->name()) += ' ';
        });
    CHECK(member.is_as_new());
    {
        const auto own = member.target.breaker().on_transition([](const dashpot::Transition&) {});
        CHECK_FALSE(member.is_as_new());
    }
    CHECK(member.is_as_new());
    member.target.breaker().trip();
    CHECK(heard == "CORE ");
}

} // namespace tests::registry_detail_member
