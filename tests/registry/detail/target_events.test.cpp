// SPDX-License-Identifier: MIT
#include <dashpot/registry/detail/target_events.hpp>

#include "catch.hpp"

#include <memory>
#include <string>
#include <string_view>

namespace tests::registry_detail_target_events {

using dashpot::Removal;
using dashpot::State;
using dashpot::Transition;
using dashpot::detail::TargetChannel;
using dashpot::detail::TargetEvents;

namespace {

struct Rig {
    std::shared_ptr<TargetChannel> channel = std::make_shared<TargetChannel>();
    std::string heard;
    dashpot::Subscription subscription = TargetEvents::subscribe(
        channel,
        [this](std::string_view name, const Transition& transition) {
            heard.append(name).append(" ").append(to_string(transition.to)).append("; ");
        },
        [this](std::string_view name, Removal reason) {
            heard.append(name).append(" ").append(to_string(reason)).append("; ");
        });
};

} // namespace

TEST_CASE("TargetEvents: come in the order of all targets of a channel", "[registry]") {
    Rig rig;
    const auto core = std::make_shared<TargetEvents>("CORE", rig.channel);
    auto claim = std::make_shared<TargetEvents>("CLAIM", rig.channel);
    CHECK(core->push(Transition{.to = State::open}));
    CHECK(claim->push(Transition{.to = State::open}));
    core->push(Removal::evicted);
    claim.reset(); // its name outlives it
    CHECK(rig.heard.empty());
    core->deliver();
    CHECK(rig.heard == "CORE OPEN; CLAIM OPEN; CORE evicted; ");
}

TEST_CASE("TargetEvents: silenced, no transition reaches a listener, its removal does", "[registry]") {
    Rig rig;
    const auto core = std::make_shared<TargetEvents>("CORE", rig.channel);
    core->push(Transition{.to = State::open}); // waits
    core->silence();
    core->push(Removal::removed);
    core->push(Transition{.to = State::closed});
    core->deliver();
    CHECK(rig.heard == "CORE removed; ");
}

TEST_CASE("TargetEvents: without a listener there is nothing to deliver", "[registry]") {
    Rig rig;
    rig.subscription.cancel();
    const auto core = std::make_shared<TargetEvents>("CORE", rig.channel);
    CHECK_FALSE(core->push(Transition{.to = State::open}));
    CHECK(core.use_count() == 1); // no event holds it
}

} // namespace tests::registry_detail_target_events
