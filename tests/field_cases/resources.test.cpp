// SPDX-License-Identifier: MIT
// What must not grow: threads, timers, subscriptions.
#include "catch.hpp"
#include "field_cases/forms.hpp"

#include <dashpot/registry/registry.hpp>

#include <filesystem>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

namespace tests::field_cases_resources {

using namespace field;

// vert-x3/vertx-circuit-breaker#62, resilience4j/resilience4j#1125, afex/hystrix-go#95
TEST_CASE("CircuitBreaker: neither breakers nor their waits cost a thread") {
    const std::filesystem::path tasks{"/proc/self/task"};
    if (!std::filesystem::exists(tasks)) {
        SUCCEED("threads cannot be counted here");
        return;
    }
    const auto threads = [&] {
        return std::distance(std::filesystem::directory_iterator{tasks},
                             std::filesystem::directory_iterator{});
    };
    const auto before = threads();
    std::vector<std::unique_ptr<CircuitBreaker<>>> breakers;
    std::vector<Subscription> subscriptions;
    for (int i = 0; i != 1000; ++i) {
        breakers.push_back(std::make_unique<CircuitBreaker<>>(ConsecutiveFailures{1},
                                                              BreakerOptions{.reset_timeout = 1h}));
        subscriptions.push_back(breakers.back()->on_transition([](const Transition&) {}));
        breakers.back()->record_failure();
        CHECK_FALSE(breakers.back()->allow());
    }
    CHECK(threads() == before);
    Registry<> targets;
    for (int i = 0; i != 1000; ++i) targets.get(std::to_string(i))->breaker().trip();
    CHECK(threads() == before);
}

// vert-x3/vertx-circuit-breaker#62
TEST_CASE("CircuitBreaker: it may go while it is open, half open, watched and asked about later") {
    const auto how_far = GENERATE(0, 1, 2);
    std::vector<Subscription> subscriptions;
    auto held = std::make_shared<int>(0);
    for (int i = 0; i != 1000; ++i) {
        Permits form{with_probes(1)};
        subscriptions.push_back(form.breaker.on_transition([held](const Transition&) { ++*held; }));
        if (how_far > 0) CHECK(open_and_wait(form));
        if (how_far > 1) CHECK(form.breaker.allow()); // a probe nobody will answer
    }
    CHECK(*held == 1000 * how_far);
    subscriptions.clear();
    CHECK(held.use_count() == 1);
}

// resilience4j/resilience4j#1115
TEST_CASE(
    "CircuitBreaker: subscribing for each call leaves no listeners behind, and calls stay as cheap") {
    Permits form{with_probes(1)};
    int heard = 0;
    for (int i = 0; i != 10'000; ++i) {
        const auto passing = form.breaker.on_transition([&](const Transition&) { ++heard; });
        CHECK(succeed(form));
    }
    form.breaker.trip();
    CHECK(heard == 0);
}

} // namespace tests::field_cases_resources
