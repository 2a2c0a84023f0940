// SPDX-License-Identifier: MIT
#include <dashpot/registry/registry.hpp>

#include "guard/breaker_support.hpp"

#include <algorithm>
#include <barrier>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <type_traits>
#include <vector>

namespace tests::registry_registry {

using namespace std::chrono_literals;
using dashpot::RegistryOptions;
using dashpot::State;
using dashpot::TargetOptions;
using dashpot::testing::ManualClock;
using Registry = dashpot::Registry<ManualClock>;
using Target = Registry::target_type;

namespace {

constexpr TargetOptions<> of_limit(std::uint32_t max_concurrent) {
    return {.max_concurrent = max_concurrent};
}

struct Rig {
    ManualClock clock;
    Registry targets{{.policy = {.threshold = 1}, .breaker = {.reset_timeout = 10s}}, {}, clock};
};

std::set<std::string> names_of(const Registry& targets) {
    std::set<std::string> names;
    targets.for_each([&](const Target& target) { names.emplace(target.name()); });
    return names;
}

using Names = std::set<std::string>;

/// Opens at a failure with no more than so many calls before it.
struct EarlyFailure {
    std::uint32_t calls_before = 0;
    bool operator==(const EarlyFailure&) const = default;
    void validate() const {}
    class Tally;
};

class EarlyFailure::Tally {
  public:
    explicit Tally(const EarlyFailure& policy) noexcept : policy_{policy} {}
    std::optional<dashpot::Reason> record(const dashpot::FinishedCall& call) noexcept {
        const bool opens = call.failed && calls_ <= policy_.calls_before;
        ++calls_;
        return opens ? std::optional{dashpot::Reason::policy} : std::nullopt;
    }
    void clear() noexcept { calls_ = 0; }
    dashpot::Counts counts(dashpot::Instant) const noexcept { return {.calls = calls_}; }
    bool quiet() const noexcept { return false; }

  private:
    EarlyFailure policy_;
    std::uint32_t calls_ = 0;
};

} // namespace

TEST_CASE("Registry: makes a target at its first use and finds the same one from then on",
          "[registry]") {
    Rig rig;
    CHECK(rig.targets.size() == 0);
    const auto core = rig.targets.get("CORE");
    REQUIRE(core);
    CHECK(core->name() == "CORE");
    CHECK(rig.targets.get("CORE") == core);
    CHECK(rig.targets.find("CORE") == core);
    CHECK(rig.targets.size() == 1);
    CHECK(rig.targets.get("CLAIM") != core);
    CHECK(rig.targets.size() == 2);
}

TEST_CASE("Registry: find() makes nothing", "[registry]") {
    Rig rig;
    CHECK(rig.targets.find("CORE") == nullptr);
    CHECK(rig.targets.size() == 0);
    (void)rig.targets.get("CORE");
    CHECK(rig.targets.find("core") == nullptr);
    CHECK(rig.targets.find("CORE ") == nullptr);
    CHECK(rig.targets.find("") == nullptr);
}

TEST_CASE("Registry: any string is a name, an empty one and one with zeros too", "[registry]") {
    Rig rig;
    using namespace std::string_view_literals;
    const std::vector<std::string_view> names{""sv, "\0"sv, "a\0b"sv, "a\0c"sv, "|\n"sv};
    for (const auto name : names) CHECK(rig.targets.get(name)->name() == name);
    CHECK(rig.targets.size() == names.size());
    const std::string longer(100'000, 'x');
    CHECK(rig.targets.get(longer)->name() == longer);
}

TEST_CASE("Registry: keeps its own copy of a name", "[registry]") {
    Rig rig;
    std::string name = "CORE";
    const auto core = rig.targets.get(name);
    name = "????";
    CHECK(core->name() == "CORE");
    CHECK(rig.targets.find("CORE") == core);
}

TEST_CASE("Registry: trouble with one target does not reach another", "[registry]") {
    Rig rig;
    CHECK(rig.targets.get("CORE")->try_enter().failure());
    CHECK(rig.targets.get("CORE")->breaker().state() == State::open);
    CHECK(rig.targets.get("CLAIM")->breaker().state() == State::closed);
    CHECK(rig.targets.get("CLAIM")->try_enter().success());
}

TEST_CASE("Registry: its targets share its clock", "[registry]") {
    Rig rig;
    CHECK(rig.targets.get("CORE")->try_enter().failure());
    rig.clock.advance(10s - 1ns);
    CHECK_FALSE(rig.targets.get("CORE")->try_enter());
    rig.clock.advance(1ns);
    CHECK(rig.targets.get("CORE")->try_enter().success());
}

TEST_CASE("Registry: many threads that ask at once get one target", "[registry]") {
    for (int round = 0; round != 50; ++round) {
        Rig rig;
        constexpr std::size_t threads = 4;
        std::barrier start{static_cast<std::ptrdiff_t>(threads)};
        std::vector<std::shared_ptr<Target>> got(threads);
        {
            std::vector<std::jthread> running;
            for (std::size_t i = 0; i != threads; ++i) {
                running.emplace_back([&, i] {
                    start.arrive_and_wait();
                    got[i] = rig.targets.get("CORE");
                });
            }
        }
        CHECK(std::all_of(got.begin(), got.end(), [&](const auto& each) { return each == got[0]; }));
        CHECK(rig.targets.size() == 1);
    }
}

TEST_CASE("Registry: a configured name gets its own options, the others the defaults", "[registry]") {
    Rig rig;
    rig.targets.configure("CLAIM", of_limit(3));
    CHECK(rig.targets.size() == 0); // configured is not used
    CHECK(rig.targets.find("CLAIM") == nullptr);
    CHECK(rig.targets.get("CLAIM")->bulkhead().max_concurrent() == 3);
    CHECK(rig.targets.get("CORE")->bulkhead().max_concurrent() == 10);
}

TEST_CASE("Registry: configure() after the first use is an error that names the target", "[registry]") {
    Rig rig;
    (void)rig.targets.get("CORE");
    CHECK_THROWS_AS(rig.targets.configure("CORE", of_limit(3)), std::logic_error);
    const auto message = support::message_of([&] { rig.targets.configure("CORE", of_limit(3)); });
    CHECK(message.find("\"CORE\"") != std::string::npos);
    CHECK(rig.targets.get("CORE")->bulkhead().max_concurrent() == 10);

    rig.targets.configure("CLAIM", of_limit(3));
    (void)rig.targets.get("CLAIM");
    CHECK_THROWS_AS(rig.targets.configure("CLAIM", of_limit(3)), std::logic_error);
}

TEST_CASE("Registry: configure() twice with the same options is fine, with others an error",
          "[registry]") {
    Rig rig;
    rig.targets.configure("CORE", of_limit(3));
    CHECK_NOTHROW(rig.targets.configure("CORE", of_limit(3)));
    CHECK_THROWS_AS(rig.targets.configure("CORE", of_limit(4)), std::logic_error);
    CHECK(rig.targets.get("CORE")->bulkhead().max_concurrent() == 3);
}

TEST_CASE("Registry: refuses bad options with the field's name, and keeps nothing of them",
          "[registry]") {
    const auto refusal_of = [](const TargetOptions<>& defaults, const RegistryOptions& options) {
        return support::message_of([&] { const Registry targets{defaults, options, ManualClock{}}; });
    };
    CHECK(
        refusal_of({.policy = {.threshold = 0}}, {}) ==
        "ConsecutiveFailures::threshold is 0, must be 1 or more; to open at the first failure write 1");
    CHECK(refusal_of({}, {.max_targets = 0}) == "RegistryOptions::max_targets is 0, must be 1 or more");
    CHECK(refusal_of({.max_concurrent = 0}, {.max_targets = 1}).empty());

    Rig rig;
    CHECK_THROWS_AS(rig.targets.configure("CORE", {.policy = {.threshold = 0}}), std::invalid_argument);
    CHECK_THROWS_AS(rig.targets.configure("CORE", {.breaker = {.reset_timeout = 0s}}),
                    std::invalid_argument);
    CHECK_NOTHROW(rig.targets.configure("CORE", of_limit(3)));
}

TEST_CASE("Registry: at its bound get() says so and nothing grows", "[registry]") {
    ManualClock clock;
    Registry targets{{}, {.max_targets = 2}, clock};
    const auto one = targets.get("one");
    const auto two = targets.get("two");
    for (int i = 0; i != 100; ++i) {
        CHECK_THROWS_AS(targets.get("three" + std::to_string(i)), std::length_error);
    }
    const auto message = support::message_of([&] { (void)targets.get("three"); });
    CHECK(message.find("max_targets") != std::string::npos);
    CHECK(targets.size() == 2);
    CHECK(targets.get("one") == one); // names that exist go on
    CHECK(targets.get("two") == two);
    CHECK(targets.find("three") == nullptr);
    CHECK(targets.remove("one"));
    CHECK(targets.get("three")->name() == "three");
    CHECK_THROWS_AS(targets.get("one"), std::length_error);
}

TEST_CASE("Registry: at its bound a configured name has no place either", "[registry]") {
    Registry targets{{}, {.max_targets = 1}, ManualClock{}};
    targets.configure("CORE", of_limit(3));
    (void)targets.get("CLAIM");
    CHECK_THROWS_AS(targets.get("CORE"), std::length_error);
    CHECK(targets.remove("CLAIM"));
    CHECK(targets.get("CORE")->bulkhead().max_concurrent() == 3); // the failed get() used nothing up
}

TEST_CASE("Registry: configured names have the same bound", "[registry]") {
    Registry targets{{}, {.max_targets = 2}, ManualClock{}};
    targets.configure("one", of_limit(1));
    targets.configure("two", of_limit(1));
    CHECK_THROWS_AS(targets.configure("three", of_limit(1)), std::length_error);
    const auto message = support::message_of([&] { targets.configure("three", of_limit(1)); });
    CHECK(message.find("max_targets") != std::string::npos);
    (void)targets.get("one");
    CHECK_THROWS_AS(targets.configure("three", of_limit(1)), std::length_error); // used is configured
    CHECK(targets.remove("one"));
    CHECK_NOTHROW(targets.configure("three", of_limit(1)));
    CHECK_FALSE(targets.remove("two"));
    CHECK_NOTHROW(targets.configure("four", of_limit(1)));
}

TEST_CASE("Registry: ten thousand targets by default", "[registry]") {
    STATIC_REQUIRE(RegistryOptions{}.max_targets == 10'000);
}

TEST_CASE("Registry: a removed target stays alive while it is held", "[registry]") {
    Rig rig;
    const auto core = rig.targets.get("CORE");
    auto entry = core->try_enter();
    CHECK(rig.targets.remove("CORE"));
    CHECK(rig.targets.find("CORE") == nullptr);
    CHECK(rig.targets.size() == 0);
    CHECK(core->name() == "CORE");
    CHECK(entry.failure());
    CHECK(core->breaker().state() == State::open);
    CHECK_FALSE(rig.targets.remove("CORE"));
}

TEST_CASE("Registry: a removed target that is not held is gone", "[registry]") {
    Rig rig;
    const std::weak_ptr<Target> watch = rig.targets.get("CORE");
    CHECK_FALSE(watch.expired());
    CHECK(rig.targets.remove("CORE"));
    CHECK(watch.expired());
}

TEST_CASE("Registry: a removed name begins again, without its configuration", "[registry]") {
    Rig rig;
    rig.targets.configure("CORE", of_limit(3));
    const auto old = rig.targets.get("CORE");
    CHECK(old->try_enter().success());
    old->breaker().trip();
    CHECK(rig.targets.remove("CORE"));
    const auto fresh = rig.targets.get("CORE");
    CHECK(fresh != old);
    CHECK(fresh->breaker().state() == State::closed);
    CHECK(fresh->bulkhead().max_concurrent() == 10);
}

TEST_CASE("Registry: a removed name may be configured again", "[registry]") {
    Rig rig;
    (void)rig.targets.get("CORE");
    rig.targets.remove("CORE");
    rig.targets.configure("CORE", of_limit(4));
    CHECK(rig.targets.get("CORE")->bulkhead().max_concurrent() == 4);
}

TEST_CASE("Registry: removing a name that was only configured forgets the configuration",
          "[registry]") {
    Rig rig;
    rig.targets.configure("CORE", of_limit(3));
    CHECK_FALSE(rig.targets.remove("CORE")); // there was no target
    CHECK(rig.targets.get("CORE")->bulkhead().max_concurrent() == 10);
}

TEST_CASE("Registry: a target outlives its registry in the hands that hold it", "[registry]") {
    std::shared_ptr<Target> core;
    {
        Rig rig;
        core = rig.targets.get("CORE");
    }
    CHECK(core->try_enter().failure());
    CHECK(core->breaker().state() == State::open);
}

TEST_CASE("for_each: visits every target once", "[registry]") {
    Rig rig;
    Names expected;
    for (int i = 0; i != 100; ++i) {
        expected.insert("target " + std::to_string(i));
        (void)rig.targets.get("target " + std::to_string(i));
    }
    int visits = 0;
    rig.targets.for_each([&](Target&) { ++visits; });
    CHECK(visits == 100);
    CHECK(names_of(rig.targets) == expected);
}

TEST_CASE("for_each: hands out a target to keep to a function that takes a shared_ptr", "[registry]") {
    Rig rig;
    (void)rig.targets.get("CORE");
    std::vector<std::shared_ptr<Target>> kept;
    rig.targets.for_each([&](const std::shared_ptr<Target>& target) { kept.push_back(target); });
    rig.targets.remove("CORE");
    REQUIRE(kept.size() == 1);
    CHECK(kept[0]->name() == "CORE");
}

TEST_CASE("for_each: takes generic lambdas as visitors of targets", "[registry]") {
    Rig rig;
    (void)rig.targets.get("CORE");
    std::string seen;
    rig.targets.for_each([&](auto& target) { seen += target.name(); });
    rig.targets.for_each([&](const auto& target) { seen += target.name(); });
    CHECK(seen == "CORECORE");
}

TEST_CASE("for_each: may call the registry, and visits those that existed when it began",
          "[registry]") {
    Rig rig;
    (void)rig.targets.get("one");
    (void)rig.targets.get("two");
    int visits = 0;
    rig.targets.for_each([&](Target& target) {
        ++visits;
        CHECK(rig.targets.find(target.name()).get() == &target);
        (void)rig.targets.get("new " + std::string{target.name()});
        rig.targets.configure("later " + std::string{target.name()}, {});
        CHECK(rig.targets.size() >= 3);
        rig.targets.for_each([](Target&) {});
    });
    CHECK(visits == 2);
    CHECK(names_of(rig.targets) == Names{"one", "two", "new one", "new two"});
    rig.targets.for_each(
        [&](Target& target) { CHECK(rig.targets.remove(std::string{target.name()})); });
    CHECK(rig.targets.size() == 0);
}

TEST_CASE("for_each: an exception of the visitor passes through", "[registry]") {
    Rig rig;
    (void)rig.targets.get("CORE");
    CHECK_THROWS_AS(rig.targets.for_each([](Target&) { throw 42; }), int);
    CHECK(rig.targets.size() == 1);
}

TEST_CASE("Registry: is pinned where it is", "[registry]") {
    STATIC_REQUIRE_FALSE(std::is_copy_constructible_v<Registry>);
    STATIC_REQUIRE_FALSE(std::is_move_constructible_v<Registry>);
    STATIC_REQUIRE_FALSE(std::is_convertible_v<TargetOptions<>, Registry>);
}

TEST_CASE("Registry: takes a policy of one's own, by default and for one name", "[registry]") {
    dashpot::Registry<ManualClock, EarlyFailure> targets{
        {.policy = {.calls_before = 1}}, {}, ManualClock{}};
    targets.configure("STRICT", {.policy = {.calls_before = 0}});
    for (const char* name : {"CORE", "STRICT"}) {
        CHECK(targets.get(name)->try_enter().success());
        CHECK(targets.get(name)->try_enter().failure());
    }
    CHECK(targets.get("CORE")->breaker().state() == State::open);
    CHECK(targets.get("STRICT")->breaker().state() == State::closed);
    CHECK(targets.get("STRICT")->breaker().snapshot().calls == 2);
}

TEST_CASE("Registry: no two keep the same names alike, so an attacker cannot make names that collide",
          "[registry]") {
    const auto order_of_names = [] {
        Registry registry;
        for (int i = 0; i != 100; ++i) (void)registry.get("request/" + std::to_string(i));
        std::vector<std::string> order;
        registry.for_each([&](const Target& each) { order.emplace_back(each.name()); });
        return order;
    };
    CHECK(order_of_names() != order_of_names());
}

} // namespace tests::registry_registry
