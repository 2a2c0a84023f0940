// SPDX-License-Identifier: MIT
// The names that leave a registry, and in which order with what else happens.
#include <dashpot/registry/registry.hpp>
#include <dashpot/testing/manual_clock.hpp>

#include "catch.hpp"

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace tests::registry_registry_removals {

using namespace std::chrono_literals;
using dashpot::RegistryOptions;
using dashpot::Removal;
using dashpot::Subscription;
using dashpot::TargetOptions;
using dashpot::Transition;
using dashpot::testing::ManualClock;
using Registry = dashpot::Registry<ManualClock>;

namespace {

/// Records transitions and removals as a TargetObserver does.
struct Log {
    void operator()(std::string_view name, const Transition& transition) {
        lines.push_back(std::string{name} + ' ' + std::string{to_string(transition.to)});
    }
    void on_removal(std::string_view name, Removal reason) {
        lines.push_back(std::string{name} + ' ' + std::string{to_string(reason)});
    }
    std::vector<std::string> lines;
};

struct Rig {
    explicit Rig(RegistryOptions options = {}) : targets{{}, options, clock} {}

    [[nodiscard]] std::vector<std::string> sorted() const {
        auto all = log.lines;
        std::sort(all.begin(), all.end());
        return all;
    }

    ManualClock clock;
    Registry targets;
    Log log;
    Subscription removals = targets.on_removal(
        [this](std::string_view name, Removal reason) { log.on_removal(name, reason); });
};

using Lines = std::vector<std::string>;

} // namespace

TEST_CASE("on_removal: is called once for each name that remove() takes out", "[registry]") {
    Rig rig;
    const auto held = rig.targets.get("CORE");
    CHECK(rig.targets.remove("CORE"));
    CHECK_FALSE(rig.targets.remove("CORE"));
    CHECK(rig.log.lines == Lines{"CORE removed"});
    (void)rig.targets.get("CORE");
    CHECK(rig.targets.remove("CORE"));
    CHECK(rig.log.lines == Lines{"CORE removed", "CORE removed"});
}

TEST_CASE("on_removal: is called once for each name that is evicted, however that comes",
          "[registry]") {
    SECTION("on demand") {
        Rig rig;
        for (const char* name : {"a", "b", "c"}) (void)rig.targets.get(name);
        const auto held = rig.targets.get("b");
        CHECK(rig.targets.evict_idle() == 2);
        CHECK(rig.sorted() == Lines{"a evicted", "c evicted"});
        CHECK(rig.targets.evict_idle() == 0);
        CHECK(rig.log.lines.size() == 2);
    }
    SECTION("at the bound") {
        Rig rig{{.max_targets = 1, .evict_after = 1h}};
        for (const char* name : {"a", "b", "a"}) (void)rig.targets.get(name);
        CHECK(rig.log.lines == Lines{"a evicted", "b evicted"});
    }
    SECTION("by age") {
        Rig rig{{.evict_after = 1s}};
        (void)rig.targets.get("old");
        for (int i = 0; i != 100 && rig.log.lines.empty(); ++i) {
            rig.clock.advance(2s);
            const auto held = rig.targets.get("new " + std::to_string(i));
            rig.targets.remove(held->name());
            std::erase(rig.log.lines, std::string{held->name()} + " removed");
        }
        CHECK(rig.log.lines == Lines{"old evicted"});
    }
}

TEST_CASE("on_removal: what is removed comes between the transitions of the old target and the new",
          "[registry]") {
    ManualClock clock;
    Registry targets{{}, {.max_targets = 2, .evict_after = 1h}, clock};
    Log log;
    const Subscription all = targets.on_transition(std::ref(log));
    const auto use = [&](std::string_view name) {
        const auto target = targets.get(name);
        target->breaker().trip();
        target->breaker().reset();
    };
    use("a");
    CHECK(targets.evict_idle() == 1);
    use("a");
    CHECK(targets.remove("a"));
    use("a");
    CHECK(log.lines == Lines{"a OPEN", "a CLOSED", "a evicted", "a OPEN", "a CLOSED", "a removed",
                             "a OPEN", "a CLOSED"});
}

TEST_CASE("on_removal: with events that wait, the order stays and none is lost or doubled",
          "[registry]") {
    ManualClock clock;
    Registry targets{{}, {}, clock};
    Log log;
    const Subscription meddling = targets.on_transition([&](std::string_view name, const Transition&) {
        if (name != "first" || targets.find("a") != nullptr) return;
        for (int round = 0; round != 3; ++round) {
            targets.get("a")->breaker().trip();
            targets.get("a")->breaker().reset();
            CHECK(targets.evict_idle() == 1);
        }
    });
    const Subscription all = targets.on_transition(std::ref(log));
    const auto first = targets.get("first");
    first->breaker().trip();
    Lines expected{"first OPEN"};
    for (int round = 0; round != 3; ++round) {
        for (const char* line : {"a OPEN", "a CLOSED", "a evicted"}) expected.emplace_back(line);
    }
    CHECK(log.lines == expected);
}

TEST_CASE("on_removal: a get() that fails after it made room still says which target left",
          "[registry]") {
    Rig rig{{.max_targets = 1, .evict_after = 1h}};
    (void)rig.targets.get("a");
    const auto refuse = [](std::string_view) -> TargetOptions<> { throw std::runtime_error{"no"}; };
    CHECK_THROWS_AS(rig.targets.get("b", refuse), std::runtime_error);
    CHECK(rig.log.lines == Lines{"a evicted"});
    CHECK(rig.targets.size() == 0);
}

TEST_CASE("on_removal: a listener may ask for the name that is being made, and make the one that left",
          "[registry]") {
    ManualClock clock;
    Registry targets{{}, {.max_targets = 2, .evict_after = 1h}, clock};
    const auto held = targets.get("held");
    std::shared_ptr<Registry::target_type> made;
    const Subscription again = targets.on_removal([&](std::string_view name, Removal) {
        if (made != nullptr) return;
        CHECK(name == "a");
        made = targets.get("b");
        CHECK(targets.remove("held"));
        CHECK(targets.get("a") != nullptr);
    });
    (void)targets.get("a");
    CHECK(targets.get("b") == made);
    CHECK(targets.find("a") != nullptr);
}

TEST_CASE("on_removal: is called no more once its subscription has ended, nor at the registry's end",
          "[registry]") {
    Log log;
    Subscription listening;
    {
        Rig rig;
        (void)rig.targets.get("a");
        (void)rig.targets.get("b");
        listening = rig.targets.on_removal(
            [&](std::string_view name, Removal reason) { log.on_removal(name, reason); });
        rig.removals.cancel();
        rig.targets.remove("a");
        CHECK(rig.log.lines.empty());
    }
    CHECK(log.lines == Lines{"a removed"});
}

TEST_CASE("on_removal: an evicted target that a weak_ptr keeps alive reports no transition",
          "[registry]") {
    Rig rig{{.max_targets = 10, .evict_after = 1h}};
    const auto listening = rig.targets.on_transition(std::ref(rig.log));
    rig.removals.cancel();
    const std::weak_ptr<Registry::target_type> seen = rig.targets.get("a");
    std::shared_ptr<Registry::target_type> kept;
    const auto keeping = rig.targets.on_removal([&](auto, Removal) { kept = seen.lock(); });
    CHECK(rig.targets.evict_idle() == 1);
    REQUIRE(kept);
    kept->breaker().trip();
    CHECK(rig.log.lines == Lines{"a evicted"});
}

TEST_CASE("on_removal: refuses an empty function, and contains one that throws", "[registry]") {
    Rig rig;
    CHECK_THROWS_WITH((void)rig.targets.on_removal(nullptr),
                      "on_removal: the listener must not be empty");
    rig.removals = rig.targets.on_removal(
        [](std::string_view, Removal) { throw std::runtime_error{"the log is full"}; });
    const Subscription after = rig.targets.on_removal(
        [&](std::string_view name, Removal reason) { rig.log.on_removal(name, reason); });
    (void)rig.targets.get("a");
    CHECK(rig.targets.remove("a"));
    CHECK(rig.log.lines == Lines{"a removed"});
}

TEST_CASE("Registry: shows its defaults, for configure() to start from", "[registry]") {
    Registry targets{{.policy = {.threshold = 7}, .max_concurrent = 3}};
    auto claim = targets.defaults();
    CHECK(claim == TargetOptions<>{.policy = {.threshold = 7}, .max_concurrent = 3});
    claim.max_concurrent = 1;
    targets.configure("CLAIM", claim);
    CHECK(targets.get("CLAIM")->bulkhead().max_concurrent() == 1);
    CHECK(targets.get("CORE")->bulkhead().max_concurrent() == 3);
    CHECK(targets.defaults().max_concurrent == 3);
}

} // namespace tests::registry_registry_removals
