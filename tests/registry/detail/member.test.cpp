// SPDX-License-Identifier: MIT
#include <dashpot/registry/detail/member.hpp>
#include <dashpot/testing/manual_clock.hpp>

#include "catch.hpp"

#include <memory>
#include <string>

namespace tests::registry_detail_member {

using dashpot::State;
using dashpot::TargetOptions;
using dashpot::testing::ManualClock;
using Member = dashpot::detail::Member<ManualClock, dashpot::ConsecutiveFailures>;

TEST_CASE("Member: is as new until something can be told of it", "[registry]") {
    const ManualClock clock;
    Member member{"CORE", {.policy = {.threshold = 2}}, clock};
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
    Member member{"CORE", {.breaker = {.initial_state = State::disabled}}, clock};
    CHECK_FALSE(member.is_as_new());
    member.target.breaker().reset();
    CHECK_FALSE(member.is_as_new());
}

TEST_CASE("Member: the registry's own listening does not count, anybody else's does", "[registry]") {
    const ManualClock clock;
    Member member{"CORE", {}, clock};
    const auto listeners = std::make_shared<Member::Channel>();
    std::string heard;
    const auto subscription = Member::Channel::subscribe(
        listeners, [&](const dashpot::detail::TargetEvent& event) { heard += event.feed->name + ' '; });
    member.forward_to(listeners);
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
