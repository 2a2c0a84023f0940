// SPDX-License-Identifier: MIT
// Names that come from requests: bounded, made once, and wholly gone when removed.
#include "catch.hpp"
#include "field_cases/forms.hpp"

#include <dashpot/registry/registry.hpp>
#include <dashpot/testing/transition_recorder.hpp>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace tests::field_cases_registry {

using namespace field;
using Targets = Registry<ManualClock>;

// resilience4j/resilience4j#2243, diegosouzapw/OmniRoute#4114
TEST_CASE(
    "Registry: names without end fill it to its bound and no further, and nothing is thrown out") {
    const auto most = GENERATE(std::size_t{1}, std::size_t{7}, std::size_t{500});
    Targets targets{{}, {.max_targets = most}};
    const auto first = targets.get("name-0");
    first->breaker().trip();
    std::size_t turned_away = 0;
    for (std::size_t i = 0; i != 5000; ++i) {
        try {
            targets.get("name-" + std::to_string(i))->breaker().trip();
        } catch (const std::length_error& error) {
            ++turned_away;
            if (turned_away == 1)
                CHECK(std::string{error.what()}.find("max_targets") != std::string::npos);
        }
    }
    CHECK(targets.size() == most);
    CHECK(turned_away == 5000 - most);
    CHECK(targets.find("name-0") == first);
    CHECK(targets.get("name-0") == first); // who is there is still served
    std::size_t open = 0;
    targets.for_each([&](auto& each) { open += each.breaker().state() == State::open ? 1U : 0U; });
    CHECK(open == most);
    CHECK(targets.find("name-4999") == nullptr); // who was turned away left nothing
}

// resilience4j/resilience4j#2243
TEST_CASE("Registry: names without end push out what is idle, and never what is tripped", "[long]") {
    ManualClock clock{start};
    Targets targets{
        {.policy = {1}}, {.max_targets = 500, .evict_after = (std::chrono::nanoseconds::max)()}, clock};
    const auto name_of = [](std::size_t i) { return "name-" + std::to_string(i); };
    constexpr std::size_t distinct = 20'000;
    std::size_t most = 0;
    for (std::size_t i = 0; i != distinct; ++i) {
        auto entry = targets.get(name_of(i))->try_enter();
        CHECK((i % (distinct / 5) == 7 ? entry.failure() : entry.success()));
        most = std::max(most, targets.size());
        if (i % 1000 == 0) clock.advance(24h); // a wait that is over does not make it idle
    }
    CHECK(most == 500);
    for (std::size_t i = 7; i < distinct; i += distinct / 5) {
        const auto tripped = targets.find(name_of(i));
        REQUIRE(tripped != nullptr);
        CHECK(tripped->breaker().state() == State::open);
    }
    CHECK(targets.evict_idle() == 495);
}

// resilience4j/resilience4j#2243
TEST_CASE("Registry: a place that was given up is a place for another") {
    Targets targets{{}, {.max_targets = 2}};
    (void)targets.get("a");
    (void)targets.get("b");
    for (int i = 0; i != 100; ++i) {
        CHECK_THROWS_AS(targets.get("c"), std::length_error);
        CHECK(targets.remove("b"));
        CHECK_NOTHROW(targets.get("c"));
        CHECK_THROWS_AS(targets.get("b"), std::length_error);
        CHECK(targets.remove("c"));
        CHECK_FALSE(targets.remove("c"));
        CHECK_NOTHROW(targets.get("b"));
    }
    CHECK(targets.size() == 2);
}

// resilience4j/resilience4j#2243
TEST_CASE("Registry: configured names are bounded too, and removed with their target") {
    Targets targets{{}, {.max_targets = 3}};
    for (int i = 0; i != 3; ++i) targets.configure("name-" + std::to_string(i), {.max_concurrent = 1});
    CHECK_THROWS_AS(targets.configure("name-3", {.max_concurrent = 1}), std::length_error);
    CHECK_FALSE(targets.remove("name-0")); // no target yet, but its configuration goes
    CHECK(targets.get("name-0")->bulkhead().max_concurrent() == 10);
    CHECK(targets.get("name-1")->bulkhead().max_concurrent() == 1);
    CHECK(targets.remove("name-1"));
    CHECK(targets.get("name-1")->bulkhead().max_concurrent() == 10); // begins afresh
    CHECK_NOTHROW(targets.configure("name-3", {.max_concurrent = 1}));
    CHECK(targets.size() == 2);
}

// resilience4j/resilience4j#703
TEST_CASE("Registry: nothing of a removed target remains") {
    ManualClock clock{start};
    Targets targets{{.policy = {1}}, {}, clock};
    testing::TransitionRecorder heard;
    const auto subscription = targets.on_transition(std::ref(heard));
    std::weak_ptr<Targets::target_type> gone;
    {
        const auto target = targets.get("x");
        gone = target;
        target->breaker().record_failure();
    }
    CHECK(gone.lock() != nullptr);
    CHECK(targets.remove("x"));
    CHECK(gone.expired());
    CHECK(targets.find("x") == nullptr);
    CHECK(targets.size() == 0);
    CHECK(targets.get("x")->breaker().state() == State::closed); // another one
    CHECK(targets.get("x")->breaker().snapshot().generation == 1);
    CHECK(heard.path() == "x:CLOSED->OPEN");
}

// resilience4j/resilience4j#703
TEST_CASE("Registry: a removed target still works where it is held, and its events are not delivered") {
    Targets targets{{.policy = {1}}};
    testing::TransitionRecorder heard;
    testing::TransitionRecorder heard_of_it;
    const auto subscription = targets.on_transition(std::ref(heard));
    const auto target = targets.get("x");
    const auto own = target->breaker().on_transition(std::ref(heard_of_it));
    auto entry = target->try_enter();
    CHECK(targets.remove("x"));
    CHECK(entry.failure());
    CHECK(target->breaker().state() == State::open);
    CHECK(target->name() == "x");
    CHECK(heard.entries().empty());
    CHECK(heard_of_it.path() == "CLOSED->OPEN");
    const auto successor = targets.get("x");
    CHECK(successor != target);
    successor->breaker().trip();
    CHECK(heard.path() == "x:CLOSED->OPEN");
}

// zalando/failsafe-actuator#21, resilience4j/resilience4j#1580, resilience4j/resilience4j#784
TEST_CASE("Registry: options that come too late are an error, not a silence") {
    Targets targets;
    const auto target = targets.get("a");
    CHECK_THROWS_AS(targets.configure("a", {.max_concurrent = 3}), std::logic_error);
    CHECK_THROWS_AS(targets.configure("a", {}), std::logic_error); // even the same ones
    CHECK(targets.get("a") == target);
    CHECK(target->bulkhead().max_concurrent() == 10);
}

// resilience4j/resilience4j#1580
TEST_CASE("Registry: two sets of options for one name are an error, the same set twice is not") {
    Targets targets;
    const TargetOptions<> options{.policy = {2}, .breaker = {.reset_timeout = 3s}, .max_concurrent = 4};
    targets.configure("a", options);
    CHECK_NOTHROW(targets.configure("a", options));
    const auto differently = GENERATE(0, 1, 2, 3);
    TargetOptions<> other = options;
    if (differently == 0) other.policy.threshold = 3;
    if (differently == 1) other.breaker.reset_timeout = 4s;
    if (differently == 2) other.max_concurrent = 5;
    if (differently == 3) other.breaker.half_open.probe_timeout = 1s;
    CHECK_THROWS_AS(targets.configure("a", other), std::logic_error);
    const auto target = targets.get("a");
    CHECK(target->bulkhead().max_concurrent() == 4);
    target->breaker().record_failure();
    target->breaker().record_failure();
    CHECK(target->breaker().retry_after() == 3s);
}

// zalando/failsafe-actuator#21
TEST_CASE("Registry: options of one name are that name's alone") {
    Targets targets{{.max_concurrent = 2}};
    targets.configure("CLAIM", {.max_concurrent = 0});
    CHECK(targets.get("CORE")->bulkhead().max_concurrent() == 2);
    CHECK(targets.get("CLAIM")->bulkhead().max_concurrent() == 0);
    CHECK(targets.get("CLAIM2")->bulkhead().max_concurrent() == 2);
    CHECK(targets.size() == 3);
}

// envoyproxy/envoy#45923
TEST_CASE(
    "Registry: an event that waits while its target is removed finds nothing, and makes nothing") {
    Targets targets;
    testing::TransitionRecorder heard;
    (void)targets.get("a");
    (void)targets.get("b");
    const auto removing = targets.on_transition([&](std::string_view name, const Transition&) {
        if (name != "a") return;
        targets.get("b")->breaker().trip(); // waits for this call to end
        CHECK(targets.remove("b"));
    });
    const auto recording = targets.on_transition(std::ref(heard));
    targets.get("a")->breaker().trip();
    CHECK(heard.path() == "a:CLOSED->OPEN");
    CHECK(targets.size() == 1);
    CHECK(targets.find("b") == nullptr);
}

// diegosouzapw/OmniRoute#4114
TEST_CASE("Registry: any bytes are a name, each its own, and the registry keeps its own copy") {
    using namespace std::string_literals;
    Targets targets;
    const std::string long_name(100'000, 'x');
    std::set<const void*> distinct;
    const std::vector<std::string> names{""s,         " "s,      "a"s,           "A"s,
                                         "a "s,       "a\0"s,    "a\0b"s,        "\0"s,
                                         "\n"s,       "a|b"s,    "\xFF"s,        "../etc/passwd"s,
                                         "\xC3\xA4"s, long_name, long_name + 'x'};
    for (const std::string& name : names) {
        std::string passing = name;
        const auto target = targets.get(passing);
        passing.assign(passing.size(), '?');
        CHECK(target->name() == name);
        CHECK(targets.find(name) == target);
        distinct.insert(target.get());
    }
    CHECK(distinct.size() == names.size());
    CHECK(targets.size() == names.size());
}

} // namespace tests::field_cases_registry
