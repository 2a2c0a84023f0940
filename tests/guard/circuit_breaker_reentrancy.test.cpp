// SPDX-License-Identifier: MIT
#include <dashpot/guard/circuit_breaker.hpp>
#include <dashpot/testing/transition_recorder.hpp>

#include "guard/breaker_support.hpp"

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tests::guard_circuit_breaker_reentrancy {

using namespace std::chrono_literals;
using namespace support;
using dashpot::State;
using dashpot::Subscription;
using dashpot::Transition;
using dashpot::testing::TransitionRecorder;

namespace {

struct Rig {
    ManualClock clock;
    Breaker breaker{{.threshold = 1}, {.reset_timeout = 10s}, clock};
    TransitionRecorder heard;
};

} // namespace

TEST_CASE("A listener: may read the breaker and finds it as the event says", "[guard]") {
    Rig rig;
    std::vector<State> states;
    const Subscription subscription = rig.breaker.on_transition([&](const Transition& transition) {
        states.push_back(rig.breaker.state());
        CHECK(rig.breaker.state() == transition.to);
        CHECK(rig.breaker.snapshot().generation == transition.generation);
        CHECK(rig.breaker.retry_after() == transition.snapshot.retry_after);
    });
    fail(rig.breaker);
    rig.clock.advance(10s);
    succeed(rig.breaker);
    CHECK(states == std::vector{State::open, State::half_open, State::closed});
}

TEST_CASE("A listener: may ask for a call", "[guard]") {
    Rig rig;
    std::vector<bool> allowed;
    const Subscription subscription = rig.breaker.on_transition([&](const Transition&) {
        allowed.push_back(rig.breaker.allow());
        allowed.push_back(static_cast<bool>(rig.breaker.try_acquire()));
    });
    fail(rig.breaker);                        // OPEN: refused
    rig.clock.advance(10s);                   //
    Permit probe = rig.breaker.try_acquire(); // HALF_OPEN: the probe is out already
    CHECK(probe.success());                   // CLOSED: let in
    CHECK(allowed == std::vector{false, false, false, false, true, true});
}

TEST_CASE("A listener: may make a call whose outcome changes the state again", "[guard]") {
    Rig rig;
    const Subscription recording = rig.breaker.on_transition(std::ref(rig.heard));
    const Subscription meddling = rig.breaker.on_transition([&](const Transition& transition) {
        if (transition.to == State::closed) rig.breaker.record_failure();
    });
    fail(rig.breaker);
    rig.clock.advance(10s);
    succeed(rig.breaker);
    CHECK(rig.breaker.state() == State::open);
    CHECK(rig.heard.path() == "CLOSED->OPEN OPEN->HALF_OPEN HALF_OPEN->CLOSED CLOSED->OPEN");
}

TEST_CASE("A listener: that resets: all receive the changes in their order", "[guard]") {
    Rig rig;
    TransitionRecorder before;
    const Subscription first = rig.breaker.on_transition(std::ref(before));
    const Subscription meddling = rig.breaker.on_transition([&](const Transition& transition) {
        if (transition.to == State::open) rig.breaker.reset();
    });
    const Subscription last = rig.breaker.on_transition(std::ref(rig.heard));
    fail(rig.breaker);
    CHECK(rig.breaker.state() == State::closed);
    CHECK(before.path() == "CLOSED->OPEN OPEN->CLOSED");
    CHECK(rig.heard.path() == "CLOSED->OPEN OPEN->CLOSED");
}

TEST_CASE("A listener: is not called within its own call", "[guard]") {
    Rig rig;
    int depth = 0;
    int deepest = 0;
    int calls = 0;
    const Subscription subscription = rig.breaker.on_transition([&](const Transition&) {
        deepest = std::max(deepest, ++depth);
        if (++calls < 5) rig.breaker.state() == State::open ? rig.breaker.reset() : rig.breaker.trip();
        --depth;
    });
    rig.breaker.trip();
    CHECK(calls == 5);
    CHECK(deepest == 1);
}

TEST_CASE("A listener: may cause many more events than wait without allocating", "[guard]") {
    Rig rig;
    bool is_first = true;
    const Subscription meddling = rig.breaker.on_transition([&](const Transition&) {
        if (!std::exchange(is_first, false)) return;
        for (int i = 0; i != 40; ++i) {
            rig.breaker.reset();
            rig.breaker.trip();
        }
    });
    const Subscription recording = rig.breaker.on_transition(std::ref(rig.heard));
    rig.breaker.trip();
    const auto events = rig.heard.entries();
    REQUIRE(events.size() == 81);
    for (std::size_t i = 0; i != events.size(); ++i) {
        CHECK(events[i].transition.generation == i + 2);
        CHECK(events[i].transition.to == (i % 2 == 0 ? State::open : State::closed));
    }
    rig.breaker.reset(); // and the queue still works, whatever its size is now
    CHECK(rig.heard.entries().size() == 82);
}

TEST_CASE("A listener: may subscribe another, which receives only later events", "[guard]") {
    Rig rig;
    std::optional<Subscription> second;
    const Subscription first = rig.breaker.on_transition([&](const Transition&) {
        if (!second) second.emplace(rig.breaker.on_transition(std::ref(rig.heard)));
    });
    rig.breaker.trip();
    CHECK(rig.heard.entries().empty());
    rig.breaker.reset();
    CHECK(rig.heard.path() == "OPEN->CLOSED");
}

TEST_CASE("A listener: may subscribe another, which does not receive what was waiting already",
          "[guard]") {
    Rig rig;
    std::optional<Subscription> second;
    const Subscription first = rig.breaker.on_transition([&](const Transition&) {
        if (second) return;
        rig.breaker.reset(); // waits behind the event under way
        second.emplace(rig.breaker.on_transition(std::ref(rig.heard)));
        rig.breaker.disable();
    });
    rig.breaker.trip();
    CHECK(rig.heard.path() == "CLOSED->DISABLED");
}

TEST_CASE("A listener: may end its own subscription, and is not called again", "[guard]") {
    Rig rig;
    int calls = 0;
    Subscription own;
    own = rig.breaker.on_transition([&](const Transition&) {
        ++calls;
        own.cancel();
    });
    const Subscription other = rig.breaker.on_transition(std::ref(rig.heard));
    rig.breaker.trip();
    rig.breaker.reset();
    CHECK(calls == 1);
    CHECK_FALSE(own);
    CHECK(rig.heard.path() == "CLOSED->OPEN OPEN->CLOSED");
}

TEST_CASE("A listener: that ends its own subscription keeps what it holds until it returns",
          "[guard]") {
    Rig rig;
    const auto held = std::make_shared<std::string>("alive");
    std::string seen;
    Subscription own;
    own = rig.breaker.on_transition([held, &own, &seen](const Transition&) {
        own.cancel();
        seen = *held; // our own capture
    });
    rig.breaker.trip();
    CHECK(seen == "alive");
    CHECK(held.use_count() == 1);
}

TEST_CASE("A listener: may end another's subscription before it is called with the event", "[guard]") {
    Rig rig;
    Subscription later;
    const Subscription first = rig.breaker.on_transition([&](const Transition&) { later.cancel(); });
    later = rig.breaker.on_transition(std::ref(rig.heard));
    rig.breaker.trip();
    CHECK(rig.heard.entries().empty());
}

TEST_CASE("A listener: may end an earlier one's subscription, and none is skipped or called twice",
          "[guard]") {
    Rig rig;
    std::string order;
    Subscription a = rig.breaker.on_transition([&](const Transition&) { order += 'a'; });
    Subscription b = rig.breaker.on_transition([&](const Transition&) {
        order += 'b';
        a.cancel();
    });
    Subscription c = rig.breaker.on_transition([&](const Transition&) { order += 'c'; });
    Subscription d = rig.breaker.on_transition([&](const Transition&) { order += 'd'; });
    rig.breaker.trip();
    CHECK(order == "abcd");
    rig.breaker.reset();
    CHECK(order == "abcdbcd");
}

TEST_CASE("A listener: may replace its own subscription", "[guard]") {
    Rig rig;
    Subscription own;
    own = rig.breaker.on_transition(
        [&](const Transition&) { own = rig.breaker.on_transition(std::ref(rig.heard)); });
    rig.breaker.trip();
    CHECK(rig.heard.entries().empty());
    rig.breaker.reset();
    CHECK(rig.heard.path() == "OPEN->CLOSED");
}

TEST_CASE("A listener: may destroy its breaker, whatever caused the event", "[guard]") {
    using Cause = void (*)(Breaker&);
    const Cause causes[] = {
        [](Breaker& breaker) { breaker.trip(); },
        [](Breaker& breaker) { breaker.force_open(); },
        [](Breaker& breaker) { breaker.disable(); },
        [](Breaker& breaker) { breaker.record_failure(); },
        [](Breaker& breaker) { CHECK(breaker.try_acquire().failure()); },
        [](Breaker& breaker) {
            CHECK_FALSE(
                breaker.call([] { return 42; }, [](int) { return dashpot::Outcome::failure; }) ==
                dashpot::Result<int>{43});
        },
        [](Breaker& breaker) { CHECK_THROWS(breaker.call([]() -> int { throw 42; })); },
    };
    for (const Cause cause : causes) {
        auto breaker = std::make_shared<Breaker>(dashpot::ConsecutiveFailures{1},
                                                 dashpot::BreakerOptions{}, ManualClock{});
        const std::weak_ptr<Breaker> watch = breaker;
        TransitionRecorder heard;
        const Subscription destroying =
            breaker->on_transition([&](const Transition&) { breaker.reset(); });
        const Subscription later = breaker->on_transition(std::ref(heard));
        cause(*breaker);
        CHECK(watch.expired());
        CHECK(heard.entries().size() == 1);
    }
}

TEST_CASE("A listener: may destroy its breaker and its own subscription with it", "[guard]") {
    struct Owner {
        Breaker breaker{{.threshold = 1}, {}, ManualClock{}};
        Subscription subscription;
    };
    auto owner = std::make_unique<Owner>();
    const auto held = std::make_shared<int>(0);
    owner->subscription = owner->breaker.on_transition([&owner, held](const Transition&) {
        const auto still_held = held;
        owner.reset();
        ++*still_held;
    });
    owner->breaker.record_failure();
    CHECK(owner == nullptr);
    CHECK(*held == 1);
    CHECK(held.use_count() == 1);
}

TEST_CASE("A listener: may destroy its breaker when a two-step probe moves it", "[guard]") {
    ManualClock clock;
    auto breaker = std::make_unique<Breaker>(dashpot::ConsecutiveFailures{1},
                                             dashpot::BreakerOptions{.reset_timeout = 10s}, clock);
    breaker->record_failure();
    clock.advance(10s);
    const Subscription destroying = breaker->on_transition([&](const Transition&) { breaker.reset(); });
    CHECK(breaker->allow());
    CHECK(breaker == nullptr);
}

} // namespace tests::guard_circuit_breaker_reentrancy
