// SPDX-License-Identifier: MIT
#include <dashpot/guard/subscription.hpp>

#include "guard/breaker_support.hpp"

#include <atomic>
#include <barrier>
#include <cstddef>
#include <latch>
#include <memory>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

namespace tests::guard_subscription {

using namespace support;
using dashpot::Subscription;
using dashpot::Transition;

namespace {

struct Rig {
    Subscription count() {
        return breaker.on_transition([this](const Transition&) { ++calls; });
    }

    Breaker breaker{{.threshold = 1}, {}, ManualClock{}};
    int calls = 0;
};

/// Long enough for another thread to get on with what it must not do.
void dawdle() {
    for (int i = 0; i != 2000; ++i) std::this_thread::yield();
}

} // namespace

TEST_CASE("Subscription: listens to nothing until it is given one", "[guard]") {
    Subscription subscription;
    CHECK_FALSE(subscription);
    subscription.cancel();
    CHECK_FALSE(subscription);
}

TEST_CASE("Subscription: listens as long as it lives", "[guard]") {
    Rig rig;
    {
        const Subscription subscription = rig.count();
        CHECK(subscription);
        rig.breaker.trip();
        CHECK(rig.calls == 1);
    }
    rig.breaker.reset();
    CHECK(rig.calls == 1);
}

TEST_CASE("Subscription: cancel() ends it, as often as it is called", "[guard]") {
    Rig rig;
    Subscription subscription = rig.count();
    subscription.cancel();
    CHECK_FALSE(subscription);
    subscription.cancel();
    rig.breaker.trip();
    CHECK(rig.calls == 0);
}

TEST_CASE("Subscription: moves, and listens on", "[guard]") {
    Rig rig;
    Subscription from = rig.count();
    Subscription to = std::move(from);
    CHECK_FALSE(from); // NOLINT(bugprone-use-after-move): that is the question
    CHECK(to);
    from.cancel();
    rig.breaker.trip();
    CHECK(rig.calls == 1);
    Subscription& self = to;
    to = std::move(self);
    CHECK(to);
    rig.breaker.reset();
    CHECK(rig.calls == 2);
}

TEST_CASE("Subscription: assigned to, it ends what it listened to", "[guard]") {
    Rig rig;
    Rig other;
    Subscription subscription = rig.count();
    subscription = other.count();
    rig.breaker.trip();
    other.breaker.trip();
    CHECK(rig.calls == 0);
    CHECK(other.calls == 1);
    subscription = Subscription{};
    CHECK_FALSE(subscription);
    other.breaker.reset();
    CHECK(other.calls == 1);
}

TEST_CASE("Subscription: is moved, never copied, and does not throw", "[guard]") {
    STATIC_REQUIRE_FALSE(std::is_copy_constructible_v<Subscription>);
    STATIC_REQUIRE_FALSE(std::is_copy_assignable_v<Subscription>);
    STATIC_REQUIRE(std::is_nothrow_default_constructible_v<Subscription>);
    STATIC_REQUIRE(std::is_nothrow_move_constructible_v<Subscription>);
    STATIC_REQUIRE(std::is_nothrow_move_assignable_v<Subscription>);
    STATIC_REQUIRE_FALSE(std::is_convertible_v<Subscription, bool>);
}

TEST_CASE("Subscription: ending it waits for the call that another thread is running", "[guard]") {
    Breaker breaker{{.threshold = 1}, {}, ManualClock{}};
    std::latch is_running{1};
    std::latch is_ending{1};
    std::atomic<bool> has_returned = false;
    Subscription subscription = breaker.on_transition([&](const Transition&) {
        is_running.count_down();
        is_ending.wait();
        dawdle();
        has_returned = true;
    });
    std::jthread delivering{[&] { breaker.trip(); }};
    is_running.wait();
    is_ending.count_down();
    subscription.cancel();
    CHECK(has_returned);
}

TEST_CASE("Subscription: what its listener held is gone when a cancel that waited returns", "[guard]") {
    Breaker breaker{{.threshold = 1}, {}, ManualClock{}};
    std::latch is_running{1};
    std::latch is_ending{1};
    auto held = std::make_shared<int>(0);
    const std::weak_ptr<int> watch = held;
    Subscription subscription =
        breaker.on_transition([&is_running, &is_ending, held = std::move(held)](const Transition&) {
            is_running.count_down();
            is_ending.wait();
            dawdle();
        });
    std::jthread delivering{[&] { breaker.trip(); }};
    is_running.wait();
    is_ending.count_down();
    subscription.cancel();
    CHECK(watch.expired());
}

TEST_CASE("Subscription: ending it does not wait for another listener's call", "[guard]") {
    Breaker breaker{{.threshold = 1}, {}, ManualClock{}};
    std::latch is_running{1};
    std::latch is_over{1};
    int other_calls = 0;
    const Subscription slow = breaker.on_transition([&](const Transition&) {
        is_running.count_down();
        is_over.wait(); // would never end if cancel() below waited for it
    });
    Subscription other = breaker.on_transition([&](const Transition&) { ++other_calls; });
    std::jthread delivering{[&] { breaker.trip(); }};
    is_running.wait();
    other.cancel();
    is_over.count_down();
    delivering.join();
    CHECK(other_calls == 0);
}

TEST_CASE("Subscription: a thread that causes an event does not wait for a slow listener on another",
          "[guard]") {
    Breaker breaker{{.threshold = 1}, {}, ManualClock{}};
    std::latch is_running{1};
    std::latch is_over{1};
    std::atomic<int> calls = 0;
    const Subscription slow = breaker.on_transition([&](const Transition&) {
        if (++calls != 1) return;
        is_running.count_down();
        is_over.wait();
    });
    std::jthread delivering{[&] { breaker.trip(); }};
    is_running.wait();
    breaker.reset(); // left to the other thread
    CHECK(calls == 1);
    is_over.count_down();
    delivering.join();
    CHECK(calls == 2);
}

TEST_CASE("Subscription: listeners that end each other's, in a circle of threads, all return",
          "[guard]") {
    const std::size_t count = GENERATE(std::size_t{2}, std::size_t{3}, std::size_t{5});
    std::vector<std::unique_ptr<Rig>> rigs;
    std::vector<Subscription> subscriptions(count);
    std::vector<std::thread> threads;
    std::barrier all{static_cast<std::ptrdiff_t>(count)};
    std::atomic<std::size_t> calls{0};
    for (std::size_t i = 0; i != count; ++i) {
        rigs.push_back(std::make_unique<Rig>());
        subscriptions[i] = rigs[i]->breaker.on_transition([&, i](const Transition&) {
            all.arrive_and_wait(); // all run before one ends
            subscriptions[(i + 1) % count].cancel();
            ++calls;
        });
    }
    for (const auto& rig : rigs) threads.emplace_back([&] { rig->breaker.trip(); });
    for (std::thread& each : threads) each.join();
    CHECK(calls == count);
    for (const auto& rig : rigs) CHECK(rig->breaker.listeners() == 0);
}

TEST_CASE("Subscription: a listener within another one's call may end that one, and itself",
          "[guard]") {
    Rig outer;
    Rig inner;
    int calls = 0;
    Subscription first;
    Subscription second;
    first = outer.breaker.on_transition([&](const Transition&) {
        inner.breaker.trip();
        ++calls;
    });
    second = inner.breaker.on_transition([&](const Transition&) { // on the same thread
        first.cancel();
        second.cancel();
        ++calls;
    });
    outer.breaker.trip();
    CHECK(calls == 2);
    CHECK_FALSE(first);
    CHECK_FALSE(second);
}

TEST_CASE(
    "Subscription: what a listener holds dies outside the lock, also where the end was not awaited",
    "[guard]") {
    Rig one;
    Rig two;
    Subscription first;
    Subscription second;
    std::barrier both{2};
    // Asks the channel that it belongs to, which a lock held by this thread would make impossible.
    struct Asks {
        explicit Asks(Breaker& b) : breaker{b} {}
        Asks(const Asks&) = delete;
        Asks& operator=(const Asks&) = delete;
        ~Asks() { listeners = breaker.listeners(); }
        Breaker& breaker;
        std::size_t listeners = 0;
    };
    first =
        one.breaker.on_transition([&, held = std::make_shared<Asks>(one.breaker)](const Transition&) {
            both.arrive_and_wait();
            second.cancel();
        });
    second =
        two.breaker.on_transition([&, held = std::make_shared<Asks>(two.breaker)](const Transition&) {
            both.arrive_and_wait();
            first.cancel();
        });
    std::thread other{[&] { one.breaker.trip(); }};
    two.breaker.trip();
    other.join();
    CHECK(one.breaker.listeners() == 0);
    CHECK(two.breaker.listeners() == 0);
}

} // namespace tests::guard_subscription
