// SPDX-License-Identifier: MIT
#include <dashpot/registry/registry.hpp>
#include <dashpot/testing/transition_recorder.hpp>

#include "guard/breaker_support.hpp"

#include <atomic>
#include <chrono>
#include <functional>
#include <latch>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

namespace tests::registry_registry_events {

using namespace std::chrono_literals;
using dashpot::State;
using dashpot::Subscription;
using dashpot::Transition;
using dashpot::testing::ManualClock;
using dashpot::testing::TransitionRecorder;
using Registry = dashpot::Registry<ManualClock>;

namespace {

struct Rig {
    void trip(std::string_view name) { targets.get(name)->breaker().trip(); }
    void reset(std::string_view name) { targets.get(name)->breaker().reset(); }

    ManualClock clock;
    Registry targets{{.policy = {.threshold = 1}, .breaker = {.reset_timeout = 10s}}, {}, clock};
    TransitionRecorder heard;
};

} // namespace

TEST_CASE("Registry: delivers the transitions of targets that exist and of those to come",
          "[registry]") {
    Rig rig;
    (void)rig.targets.get("before");
    const Subscription subscription = rig.targets.on_transition(std::ref(rig.heard));
    rig.trip("before");
    rig.trip("after");
    rig.reset("before");
    CHECK(rig.heard.path() == "before:CLOSED->OPEN after:CLOSED->OPEN before:OPEN->CLOSED");
}

TEST_CASE("Registry: delivers all that the breaker's own listener receives", "[registry]") {
    Rig rig;
    const auto core = rig.targets.get("CORE");
    TransitionRecorder own;
    const Subscription registry_subscription = rig.targets.on_transition(std::ref(rig.heard));
    const Subscription own_subscription = core->breaker().on_transition(std::ref(own));
    CHECK(core->try_enter().failure());
    rig.clock.advance(10s);
    CHECK(core->try_enter().success());
    REQUIRE(rig.heard.entries().size() == 3);
    for (std::size_t i = 0; i != 3; ++i) {
        const Transition a = rig.heard.entries()[i].transition;
        const Transition b = own.entries()[i].transition;
        CHECK(a.to == b.to);
        CHECK(a.generation == b.generation);
        CHECK(a.reason == b.reason);
        CHECK(a.at == b.at);
        CHECK(a.snapshot.failures == b.snapshot.failures);
    }
}

TEST_CASE("Registry: every listener receives each transition once, whenever its target was made",
          "[registry]") {
    Rig rig;
    TransitionRecorder other;
    (void)rig.targets.get("one");
    const Subscription first = rig.targets.on_transition(std::ref(rig.heard));
    (void)rig.targets.get("two");
    const Subscription second = rig.targets.on_transition(std::ref(other));
    (void)rig.targets.get("three");
    for (const char* name : {"one", "two", "three"}) rig.trip(name);
    CHECK(rig.heard.path() == "one:CLOSED->OPEN two:CLOSED->OPEN three:CLOSED->OPEN");
    CHECK(other.path() == rig.heard.path());
}

TEST_CASE("Registry: a listener receives only what happens later", "[registry]") {
    Rig rig;
    TransitionRecorder early;
    const Subscription first = rig.targets.on_transition(std::ref(early));
    rig.trip("CORE");
    const Subscription second = rig.targets.on_transition(std::ref(rig.heard));
    CHECK(rig.heard.entries().empty());
    rig.reset("CORE");
    CHECK(rig.heard.path() == "CORE:OPEN->CLOSED");
    CHECK(early.entries().size() == 2);
}

TEST_CASE("Registry: an ended subscription receives nothing more", "[registry]") {
    Rig rig;
    Subscription subscription = rig.targets.on_transition(std::ref(rig.heard));
    rig.trip("CORE");
    subscription.cancel();
    rig.reset("CORE");
    CHECK(rig.heard.path() == "CORE:CLOSED->OPEN");
    const Subscription again = rig.targets.on_transition(std::ref(rig.heard));
    rig.trip("CORE");
    CHECK(rig.heard.path() == "CORE:CLOSED->OPEN CORE:CLOSED->OPEN");
}

TEST_CASE("Registry: a removed target's events are delivered no more, its successor's are",
          "[registry]") {
    Rig rig;
    const Subscription subscription = rig.targets.on_transition(std::ref(rig.heard));
    const auto old = rig.targets.get("CORE");
    old->breaker().trip();
    TransitionRecorder own;
    const Subscription own_subscription = old->breaker().on_transition(std::ref(own));
    rig.targets.remove("CORE");
    old->breaker().reset();
    CHECK(rig.heard.path() == "CORE:CLOSED->OPEN");
    CHECK(own.path() == "OPEN->CLOSED"); // its own listeners still hear
    rig.trip("CORE");
    CHECK(rig.heard.path() == "CORE:CLOSED->OPEN CORE:CLOSED->OPEN");
}

TEST_CASE("Registry: a target removed before anybody listened stays silent", "[registry]") {
    Rig rig;
    const auto old = rig.targets.get("CORE");
    rig.targets.remove("CORE");
    const Subscription subscription = rig.targets.on_transition(std::ref(rig.heard));
    old->breaker().trip();
    CHECK(rig.heard.entries().empty());
}

TEST_CASE("Registry: a subscription may outlive the registry, and its targets call no listener by then",
          "[registry]") {
    TransitionRecorder heard;
    const auto held = std::make_shared<int>(0);
    Subscription subscription;
    std::shared_ptr<Registry::target_type> core;
    {
        Rig rig;
        core = rig.targets.get("CORE");
        subscription =
            rig.targets.on_transition([held](std::string_view, const Transition&) { ++*held; });
        core->breaker().trip();
    }
    CHECK(*held == 1);
    core->breaker().reset();
    core.reset();
    subscription.cancel();
    CHECK(held.use_count() == 1);
}

TEST_CASE("Registry: what a listener holds lives as long as its subscription", "[registry]") {
    Rig rig;
    const auto held = std::make_shared<int>(0);
    Subscription subscription =
        rig.targets.on_transition([held](std::string_view, const Transition&) { ++*held; });
    rig.trip("CORE");
    CHECK(held.use_count() == 2);
    subscription.cancel();
    CHECK(held.use_count() == 1);
}

TEST_CASE("Registry: refuses an empty function", "[registry]") {
    Rig rig;
    CHECK_THROWS_WITH((void)rig.targets.on_transition(nullptr),
                      "on_transition: the listener must not be empty");
}

TEST_CASE("Registry: a listener that throws is contained, and the others are still called",
          "[registry]") {
    Rig rig;
    const Subscription throwing = rig.targets.on_transition(
        [](std::string_view, const Transition&) { throw std::runtime_error{"the log is full"}; });
    const Subscription after = rig.targets.on_transition(std::ref(rig.heard));
    CHECK(rig.targets.get("CORE")->try_enter().failure());
    CHECK(rig.heard.path() == "CORE:CLOSED->OPEN");
}

TEST_CASE("Registry: a listener may call anything on the registry", "[registry]") {
    Rig rig;
    (void)rig.targets.get("CORE");
    int calls = 0;
    std::optional<Subscription> another;
    const Subscription subscription =
        rig.targets.on_transition([&](std::string_view name, const Transition& transition) {
            if (++calls != 1) return;
            CHECK(name == "CORE");
            CHECK(rig.targets.find(name)->breaker().state() == transition.to);
            CHECK(rig.targets.size() == 1);
            rig.targets.configure("CLAIM", {.policy = {.threshold = 2}});
            (void)rig.targets.get("CLAIM");
            rig.targets.for_each([](auto& target) { (void)target.breaker().snapshot(); });
            another.emplace(rig.targets.on_transition(std::ref(rig.heard)));
            (void)rig.targets.get("CLAIM")->breaker().trip();
        });
    rig.trip("CORE");
    CHECK(calls == 2);
    CHECK(rig.heard.path() == "CLAIM:CLOSED->OPEN");
}

TEST_CASE("Registry: a listener may remove the target of its event", "[registry]") {
    Rig rig;
    TransitionRecorder later;
    (void)rig.targets.get("CORE");
    std::string heard_name;
    const Subscription removing =
        rig.targets.on_transition([&](std::string_view name, const Transition&) {
            rig.targets.remove(name);
            heard_name = name; // still there to be read
        });
    const std::weak_ptr<Registry::target_type> watch = rig.targets.find("CORE");
    rig.targets.find("CORE")->breaker().trip();
    CHECK(heard_name == "CORE");
    CHECK(watch.expired());
    CHECK(rig.targets.size() == 0);
}

TEST_CASE("Registry: a listener may destroy the last share of its target", "[registry]") {
    Rig rig;
    auto core = rig.targets.get("CORE");
    rig.targets.on_transition([](std::string_view, const Transition&) {}).cancel();
    const Subscription destroying = rig.targets.on_transition([&](std::string_view, const Transition&) {
        rig.targets.remove("CORE");
        core.reset();
    });
    const std::weak_ptr<Registry::target_type> watch = core;
    core->breaker().record_failure();
    CHECK(watch.expired());
}

TEST_CASE("Registry: a listener may destroy the registry", "[registry]") {
    auto targets = std::make_unique<Registry>(dashpot::TargetOptions<>{}, dashpot::RegistryOptions{},
                                              ManualClock{});
    const auto core = targets->get("CORE");
    int calls = 0;
    const Subscription destroying = targets->on_transition([&](std::string_view, const Transition&) {
        ++calls;
        targets.reset();
    });
    core->breaker().trip();
    CHECK(targets == nullptr);
    CHECK(calls == 1);
    CHECK(core->breaker().state() == State::open);
}

TEST_CASE("Registry: a listener may end its own subscription", "[registry]") {
    Rig rig;
    int calls = 0;
    Subscription own;
    own = rig.targets.on_transition([&](std::string_view, const Transition&) {
        ++calls;
        own.cancel();
    });
    rig.trip("CORE");
    rig.trip("CLAIM");
    CHECK(calls == 1);
}

TEST_CASE("Registry: a listener that causes events on another target is not called within its call",
          "[registry]") {
    Rig rig;
    int depth = 0;
    int deepest = 0;
    const Subscription subscription =
        rig.targets.on_transition([&](std::string_view name, const Transition& transition) {
            deepest = std::max(deepest, ++depth);
            if (name == "CORE" && transition.to == State::open) rig.trip("CLAIM");
            if (name == "CLAIM" && transition.to == State::open) rig.reset("CORE");
            --depth;
        });
    const Subscription recording = rig.targets.on_transition(std::ref(rig.heard));
    rig.trip("CORE");
    CHECK(deepest == 1);
    CHECK(rig.heard.path() == "CORE:CLOSED->OPEN CLAIM:CLOSED->OPEN CORE:OPEN->CLOSED");
}

TEST_CASE("Registry: ending a subscription waits for the call that another thread is running",
          "[registry]") {
    Rig rig;
    std::latch is_running{1};
    std::latch is_ending{1};
    std::atomic<bool> has_returned = false;
    Subscription subscription = rig.targets.on_transition([&](std::string_view, const Transition&) {
        is_running.count_down();
        is_ending.wait();
        for (int i = 0; i != 2000; ++i) std::this_thread::yield();
        has_returned = true;
    });
    std::jthread delivering{[&] { rig.trip("CORE"); }};
    is_running.wait();
    is_ending.count_down();
    subscription.cancel();
    CHECK(has_returned);
}

} // namespace tests::registry_registry_events
