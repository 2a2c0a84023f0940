// SPDX-License-Identifier: MIT
// Options that a function gives, when a name is new.
#include <dashpot/registry/registry.hpp>

#include "guard/breaker_support.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <latch>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace tests::registry_registry_factories {

using namespace std::chrono_literals;
using dashpot::TargetOptions;
using dashpot::testing::ManualClock;
using Registry = dashpot::Registry<ManualClock>;
using Target = Registry::target_type;

namespace {

constexpr TargetOptions<> of_limit(std::uint32_t max_concurrent) {
    return {.max_concurrent = max_concurrent};
}

/// Gives options, and counts how often it was asked.
struct Counting {
    int calls = 0;
    std::string asked_for{};
    TargetOptions<> operator()(std::string_view name) {
        ++calls;
        asked_for = name;
        return of_limit(3);
    }
};

} // namespace

TEST_CASE("get with a function: it gives the options of a new name, once", "[registry]") {
    Registry targets;
    Counting options_for;
    const auto core = targets.get("CORE", options_for);
    CHECK(core->bulkhead().max_concurrent() == 3);
    CHECK(options_for.asked_for == "CORE");
    CHECK(targets.get("CORE", options_for) == core);
    CHECK(targets.get("CORE") == core);
    CHECK(options_for.calls == 1);
}

TEST_CASE("get with a function: it is not asked for a name that exists or is configured",
          "[registry]") {
    Registry targets;
    Counting options_for;
    (void)targets.get("there");
    targets.configure("own", of_limit(4));
    targets.configure_prefix("pay/", of_limit(5));
    CHECK(targets.get("there", options_for)->bulkhead().max_concurrent() == 10);
    CHECK(targets.get("own", options_for)->bulkhead().max_concurrent() == 4);
    CHECK(targets.get("pay/visa", options_for)->bulkhead().max_concurrent() == 5);
    CHECK(options_for.calls == 0);
}

TEST_CASE("get with a function: it is asked again for a name that was removed or evicted",
          "[registry]") {
    Registry targets;
    Counting options_for;
    (void)targets.get("CORE", options_for);
    CHECK(targets.evict_idle() == 1);
    (void)targets.get("CORE", options_for);
    CHECK(options_for.calls == 2);
    targets.remove("CORE");
    (void)targets.get("CORE", options_for);
    CHECK(options_for.calls == 3);
}

TEST_CASE("get with a function: it may use the registry", "[registry]") {
    Registry targets{{}, {.max_targets = 4}, ManualClock{}};
    (void)targets.get("idle");
    const auto core = targets.get("CORE", [&](std::string_view name) {
        CHECK(targets.size() == 1); // one that is being made is none yet
        CHECK(targets.find(name) == nullptr);
        targets.for_each([](const Target& each) { CHECK(each.name() == "idle"); });
        CHECK_FALSE(targets.remove(name));
        CHECK(targets.evict_idle() == 1);
        const auto model = targets.get("model", [](std::string_view) { return of_limit(6); });
        return of_limit(model->bulkhead().max_concurrent());
    });
    CHECK(core->bulkhead().max_concurrent() == 6);
    CHECK(targets.size() == 2);
    CHECK(targets.find("CORE") == core); // the remove() came before it was there
}

TEST_CASE("get with a function: a name cannot be configured while it is being made", "[registry]") {
    Registry targets;
    const auto core = targets.get("CORE", [&](std::string_view name) {
        CHECK_THROWS_AS(targets.configure(name, of_limit(4)), std::logic_error);
        CHECK_THROWS_AS(targets.configure_prefix("CO", of_limit(4)), std::logic_error);
        CHECK_NOTHROW(targets.configure("other", of_limit(4)));
        return of_limit(3);
    });
    CHECK(core->bulkhead().max_concurrent() == 3);
}

TEST_CASE("get with a function: that asks for its own name is an error, not a deadlock", "[registry]") {
    Registry targets;
    const auto asks_itself = [&](std::string_view name) {
        (void)targets.get(name);
        return of_limit(3);
    };
    CHECK_THROWS_AS(targets.get("CORE", asks_itself), std::logic_error);
    const auto message = support::message_of([&] { (void)targets.get("CORE", asks_itself); });
    CHECK(message.find("\"CORE\"") != std::string::npos);
    CHECK(targets.size() == 0);
    const auto over_another = [&](std::string_view name) {
        return of_limit(targets.get("between", [&](std::string_view) { return asks_itself(name); })
                            ->bulkhead()
                            .max_concurrent());
    };
    CHECK_THROWS_AS(targets.get("CORE", over_another), std::logic_error);
    CHECK(targets.get("CORE", [](std::string_view) { return of_limit(3); }) != nullptr);
}

TEST_CASE("get with a function: two that wait for each other's names are an error, not a deadlock",
          "[registry]") {
    for (int round = 0; round != 20; ++round) {
        Registry targets;
        std::latch both{2};
        std::atomic<int> refused{0};
        const auto get = [&](std::string_view mine, std::string_view others) {
            try {
                (void)targets.get(mine, [&](std::string_view) {
                    both.arrive_and_wait();
                    (void)targets.get(others);
                    return of_limit(3);
                });
            } catch (const std::logic_error&) {
                ++refused;
            }
        };
        {
            const std::jthread one{[&] { get("A", "B"); }};
            const std::jthread two{[&] { get("B", "A"); }};
        }
        CHECK(refused == 1); // whoever closed the circle; the other then made what it waited for
        CHECK(targets.size() == 2);
    }
}

TEST_CASE("get with a function: a circle of waits with a listener is no deadlock", "[registry]") {
    // The function waits for a listener, and the listener for the target that the function makes.
    for (int round = 0; round != 20; ++round) {
        Registry others;
        Registry targets;
        std::latch both{2};
        std::atomic<int> refused{0};
        std::shared_ptr<Target> got;
        auto listening = others.on_transition([&](std::string_view, const dashpot::Transition&) {
            both.arrive_and_wait();
            try {
                got = targets.get("A");
            } catch (const std::logic_error&) {
                ++refused;
            }
        });
        const auto other = others.get("other");
        {
            const std::jthread one{[&] {
                (void)targets.get("A", [&](std::string_view) {
                    both.arrive_and_wait();
                    listening.cancel();
                    return of_limit(3);
                });
            }};
            const std::jthread two{[&] { other->breaker().trip(); }};
        }
        CHECK(refused == (got == nullptr ? 1 : 0)); // 0 if the listener waited first, or came late
        CHECK(targets.find("A") != nullptr);
    }
}

TEST_CASE("get with a function: what it throws reaches its caller, and leaves nothing behind",
          "[registry]") {
    Registry targets{{}, {.max_targets = 1}, ManualClock{}};
    for (int i = 0; i != 3; ++i) {
        CHECK_THROWS_AS(targets.get("CORE", [](std::string_view) -> TargetOptions<> { throw 42; }),
                        int);
    }
    CHECK(targets.size() == 0);
    CHECK(targets.find("CORE") == nullptr);
    CHECK(targets.get("CLAIM") != nullptr); // the one place there is
}

TEST_CASE("get with a function: bad options are refused as by the constructor", "[registry]") {
    Registry targets;
    CHECK_THROWS_WITH(
        targets.get("CORE",
                    [](std::string_view) { return TargetOptions<>{.policy = {.threshold = 0}}; }),
        "ConsecutiveFailures::threshold is 0, must be 1 or more; to open at the first failure write 1");
    CHECK(targets.size() == 0);
    CHECK(targets.get("CORE") != nullptr);
}

TEST_CASE("get with a function: at the bound it is not called", "[registry]") {
    Registry targets{{}, {.max_targets = 1}, ManualClock{}};
    const auto held = targets.get("CORE");
    Counting options_for;
    CHECK_THROWS_AS(targets.get("CLAIM", options_for), std::length_error);
    CHECK(options_for.calls == 0);
}

TEST_CASE("get with a function: others wait for that name, and for no other", "[registry]") {
    Registry targets;
    std::latch is_making{1};
    std::latch may_end{1};
    std::latch others_are_there{2};
    std::atomic<int> calls{0};
    std::vector<std::shared_ptr<Target>> got(3);
    const auto slowly = [&](std::string_view) {
        ++calls;
        is_making.count_down();
        may_end.wait();
        return of_limit(3);
    };
    {
        std::vector<std::jthread> threads;
        threads.emplace_back([&] { got[0] = targets.get("CORE", slowly); });
        is_making.wait();
        threads.emplace_back([&] {
            others_are_there.count_down();
            got[1] = targets.get("CORE", slowly);
        });
        threads.emplace_back([&] {
            others_are_there.count_down();
            got[2] = targets.get("CORE");
        });
        others_are_there.wait();
        for (int i = 0; i != 100; ++i) CHECK(targets.get("other " + std::to_string(i)) != nullptr);
        CHECK(targets.find("CORE") == nullptr); // does not wait
        may_end.count_down();
    }
    CHECK(calls == 1);
    CHECK(got[0] != nullptr);
    CHECK(got[1] == got[0]);
    CHECK(got[2] == got[0]);
}

TEST_CASE("get with a function: when it fails, a thread that waits tries its own", "[registry]") {
    Registry targets;
    std::latch is_making{1};
    std::latch may_end{1};
    bool has_failed = false;
    std::shared_ptr<Target> got;
    {
        const std::jthread failing{[&] {
            try {
                (void)targets.get("CORE", [&](std::string_view) -> TargetOptions<> {
                    is_making.count_down();
                    may_end.wait();
                    throw 42;
                });
            } catch (int) {
                has_failed = true;
            }
        }};
        is_making.wait();
        const std::jthread waiting{
            [&] { got = targets.get("CORE", [](std::string_view) { return of_limit(4); }); }};
        may_end.count_down();
    }
    CHECK(has_failed);
    REQUIRE(got != nullptr);
    CHECK(got->bulkhead().max_concurrent() == 4);
    CHECK(targets.find("CORE") == got);
}

} // namespace tests::registry_registry_factories
