// SPDX-License-Identifier: MIT
// Forgetting idle targets: which, when, and what is left of them.
#include <dashpot/policy/count_window.hpp>
#include <dashpot/policy/time_window.hpp>
#include <dashpot/registry/registry.hpp>
#include <dashpot/testing/transition_recorder.hpp>

#include "guard/breaker_support.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tests::registry_registry_eviction {

using namespace std::chrono_literals;
using dashpot::CountWindow;
using dashpot::RegistryOptions;
using dashpot::State;
using dashpot::TargetOptions;
using dashpot::TimeWindow;
using dashpot::testing::ManualClock;
using Registry = dashpot::Registry<ManualClock>;
using Target = Registry::target_type;

namespace {

/// Room is made at the bound, and nothing goes by age.
constexpr std::chrono::nanoseconds ever = (std::chrono::nanoseconds::max)();

struct Rig {
    explicit Rig(RegistryOptions options = {}, TargetOptions<> defaults = {})
        : targets{defaults, options, clock} {}

    /// Whether it is there, without asking for it.
    [[nodiscard]] bool has(std::string_view name) const {
        bool is_there = false;
        targets.for_each([&](const Target& each) { is_there = is_there || each.name() == name; });
        return is_there;
    }

    ManualClock clock;
    Registry targets;
};

/// Never opens; counts how often anybody looks what it remembers.
struct Watched {
    static inline std::size_t looks = 0;
    bool operator==(const Watched&) const = default;
    void validate() const {}
    class Tally {
      public:
        explicit Tally(const Watched&) noexcept {}
        std::optional<dashpot::Reason> record(const dashpot::FinishedCall&) noexcept {
            ++calls_;
            return std::nullopt;
        }
        void clear() noexcept { calls_ = 0; }
        dashpot::Counts counts(dashpot::Instant) const noexcept {
            ++looks;
            return {.calls = calls_};
        }
        bool quiet() const noexcept { return false; }

      private:
        std::uint32_t calls_ = 0;
    };
};

} // namespace

TEST_CASE("evict_idle: forgets what is idle, and says how many", "[registry]") {
    Rig rig;
    for (int i = 0; i != 100; ++i) (void)rig.targets.get("target " + std::to_string(i));
    const auto held = rig.targets.get("target 42");
    CHECK(rig.targets.evict_idle() == 99);
    CHECK(rig.targets.size() == 1);
    CHECK(rig.targets.find("target 42") == held);
    CHECK(rig.targets.find("target 41") == nullptr);
    CHECK(rig.targets.evict_idle() == 0);
}

TEST_CASE("evict_idle: a target that is held is not idle, until the last hand lets go", "[registry]") {
    Rig rig;
    auto one = rig.targets.get("CORE");
    auto two = rig.targets.find("CORE");
    const std::weak_ptr<Target> watch = one;
    CHECK(rig.targets.evict_idle() == 0);
    one.reset();
    CHECK(rig.targets.evict_idle() == 0);
    two.reset();
    CHECK(rig.targets.evict_idle() == 1);
    CHECK(watch.expired());
}

TEST_CASE("evict_idle: only what is CLOSED is idle", "[registry]") {
    Rig rig;
    const State state = GENERATE(State::open, State::half_open, State::disabled, State::forced_open,
                                 State::metrics_only);
    CAPTURE(to_string(state));
    support::bring(rig.targets.get("CORE")->breaker(), rig.clock, state);
    rig.clock.advance(std::chrono::hours{24 * 365});
    CHECK(rig.targets.evict_idle() == 0);
    REQUIRE(rig.has("CORE"));
    CHECK(rig.targets.get("CORE")->breaker().state() == state);
    rig.targets.get("CORE")->breaker().reset();
    CHECK(rig.targets.evict_idle() == 1);
}

TEST_CASE("evict_idle: a target is not idle in a state that it did not begin in", "[registry]") {
    Rig rig{{}, {.breaker = {.initial_state = State::forced_open}}};
    rig.targets.get("CORE")->breaker().reset(); // by hand: a new one would refuse everything again
    CHECK(rig.targets.evict_idle() == 0);
    CHECK(rig.targets.get("CORE")->breaker().state() == State::closed);
}

TEST_CASE("evict_idle: one failure is enough to be remembered", "[registry]") {
    Rig rig{{}, {.policy = {.threshold = 2}}};
    CHECK(rig.targets.get("CORE")->try_enter().failure());
    CHECK(rig.targets.evict_idle() == 0);
    CHECK(rig.targets.get("CORE")->try_enter().failure());
    CHECK(rig.targets.get("CORE")->breaker().state() == State::open);
}

TEST_CASE("evict_idle: a run that a success ended is forgotten", "[registry]") {
    Rig rig{{}, {.policy = {.threshold = 2}}};
    CHECK(rig.targets.get("CORE")->try_enter().failure());
    CHECK(rig.targets.get("CORE")->try_enter().success());
    CHECK(rig.targets.evict_idle() == 1);
}

TEST_CASE("evict_idle: a slot of the bulkhead that is taken is enough", "[registry]") {
    Rig rig;
    auto slot = rig.targets.get("CORE")->bulkhead().try_acquire();
    CHECK(rig.targets.evict_idle() == 0);
    slot.release();
    CHECK(rig.targets.evict_idle() == 1);
}

TEST_CASE("evict_idle: a limit that was changed is not forgotten", "[registry]") {
    Rig rig{{}, {.max_concurrent = 10}};
    rig.targets.get("CORE")->bulkhead().resize(0);
    CHECK(rig.targets.evict_idle() == 0);
    CHECK(rig.targets.get("CORE")->bulkhead().max_concurrent() == 0);
    rig.targets.get("CORE")->bulkhead().resize(10);
    CHECK(rig.targets.evict_idle() == 1);
}

TEST_CASE("evict_idle: options that were changed are not forgotten", "[registry]") {
    Rig rig{{}, {.policy = {.threshold = 5}}};
    rig.targets.get("CORE")->reconfigure({.policy = {.threshold = 1}});
    CHECK(rig.targets.evict_idle() == 0);
    CHECK(rig.targets.get("CORE")->try_enter().failure());
    CHECK(rig.targets.get("CORE")->breaker().state() == State::open);
}

TEST_CASE("evict_idle: a target's listeners still receive its events", "[registry]") {
    Rig rig;
    dashpot::testing::TransitionRecorder heard;
    const bool registry_is_heard = GENERATE(false, true);
    dashpot::Subscription of_all;
    if (registry_is_heard)
        of_all = rig.targets.on_transition([](std::string_view, const dashpot::Transition&) {});
    auto own = rig.targets.get("CORE")->breaker().on_transition(std::ref(heard));
    CHECK(rig.targets.evict_idle() == 0);
    rig.targets.get("CORE")->breaker().trip();
    rig.targets.get("CORE")->breaker().reset();
    CHECK(heard.path() == "CLOSED->OPEN OPEN->CLOSED");
    own.cancel();
    CHECK(rig.targets.evict_idle() == 1);
}

TEST_CASE("evict_idle: the registry's listeners receive the events of a target that comes back",
          "[registry]") {
    Rig rig;
    dashpot::testing::TransitionRecorder heard;
    const auto subscription = rig.targets.on_transition(std::ref(heard));
    rig.targets.get("CORE")->breaker().trip();
    rig.targets.get("CORE")->breaker().reset();
    CHECK(rig.targets.evict_idle() == 1);
    rig.targets.get("CORE")->breaker().trip();
    CHECK(heard.path() == "CORE:CLOSED->OPEN CORE:OPEN->CLOSED CORE:CLOSED->OPEN");
}

TEST_CASE("evict_idle: what had happened to a target is delivered, although it is gone by then",
          "[registry]") {
    Rig rig;
    dashpot::testing::TransitionRecorder heard;
    const auto evicting = rig.targets.on_transition([&](std::string_view name, const auto&) {
        if (name != "first") return;
        rig.targets.get("CORE")->breaker().trip(); // its events wait for this call to end
        rig.targets.get("CORE")->breaker().reset();
        CHECK(rig.targets.evict_idle() == 1);
    });
    const auto subscription = rig.targets.on_transition(std::ref(heard));
    rig.targets.get("first")->breaker().trip();
    CHECK(heard.path() == "first:CLOSED->OPEN CORE:CLOSED->OPEN CORE:OPEN->CLOSED");
}

TEST_CASE("evict_idle: numbers over a target's life go, its configuration stays", "[registry]") {
    Rig rig;
    rig.targets.configure("CLAIM", {.breaker = {.count_totals = true}, .max_concurrent = 3});
    rig.targets.configure_prefix("CORE/", {.breaker = {.count_totals = true}, .max_concurrent = 4});
    for (const char* name : {"CLAIM", "CORE/7"}) {
        CHECK(rig.targets.get(name)->try_enter().success());
        CHECK(rig.targets.get(name)->breaker().snapshot().totals->successes == 1);
    }
    CHECK(rig.targets.evict_idle() == 2);
    for (const char* name : {"CLAIM", "CORE/7"}) {
        CHECK(rig.targets.get(name)->breaker().snapshot().totals->successes == 0);
    }
    CHECK(rig.targets.get("CLAIM")->bulkhead().max_concurrent() == 3);
    CHECK(rig.targets.get("CORE/7")->bulkhead().max_concurrent() == 4);
}

TEST_CASE("evict_idle: a time window is idle when its calls have faded, not a tick before",
          "[registry]") {
    ManualClock clock;
    dashpot::Registry<ManualClock, TimeWindow> targets{
        {.policy = {.length = 10s, .buckets = 10}}, {}, clock};
    CHECK(targets.get("CORE")->try_enter().success());
    clock.advance(10s - 1ns);
    CHECK(targets.evict_idle() == 0);
    clock.advance(1ns);
    CHECK(targets.evict_idle() == 1);
}

TEST_CASE("evict_idle: a count window that was used is idle after a reset() only", "[registry]") {
    ManualClock clock;
    dashpot::Registry<ManualClock, CountWindow> targets{{}, {}, clock};
    CHECK(targets.get("CORE")->try_enter().success());
    clock.advance(std::chrono::hours{1000});
    CHECK(targets.evict_idle() == 0);
    targets.get("CORE")->breaker().reset();
    CHECK(targets.evict_idle() == 1);
}

TEST_CASE("evict_idle: forgets what was unused for so long, not a tick before", "[registry]") {
    Rig rig;
    (void)rig.targets.get("CORE");
    CHECK(rig.targets.evict_idle(10s) == 0); // the first look that sees it unused
    rig.clock.advance(10s - 1ns);
    CHECK(rig.targets.evict_idle(10s) == 0);
    rig.clock.advance(1ns);
    CHECK(rig.targets.evict_idle(10s) == 1);
    CHECK(rig.targets.size() == 0);
}

TEST_CASE("evict_idle: a target that is asked for begins its idle time again", "[registry]") {
    Rig rig;
    const bool by_find = GENERATE(false, true);
    (void)rig.targets.get("CORE");
    (void)rig.targets.evict_idle(10s);
    rig.clock.advance(9s);
    (void)(by_find ? rig.targets.find("CORE") : rig.targets.get("CORE"));
    rig.clock.advance(9s);
    CHECK(rig.targets.evict_idle(10s) == 0);
    rig.clock.advance(10s - 1ns);
    CHECK(rig.targets.evict_idle(10s) == 0);
    rig.clock.advance(1ns);
    CHECK(rig.targets.evict_idle(10s) == 1);
}

TEST_CASE("evict_idle: a target that is seen in use begins its idle time again", "[registry]") {
    Rig rig;
    auto held = rig.targets.get("CORE");
    (void)rig.targets.evict_idle(10s);
    rig.clock.advance(10s);
    CHECK(rig.targets.evict_idle(10s) == 0);
    held.reset();
    rig.clock.advance(10s - 1ns);
    CHECK(rig.targets.evict_idle(10s) == 0);
    rig.clock.advance(1ns);
    CHECK(rig.targets.evict_idle(10s) == 1);
}

TEST_CASE(
    "evict_idle: a target that is seen in use begins its idle time again, however short it was unused",
    "[registry]") {
    Rig rig{{.max_targets = 1, .evict_after = ever}};
    auto held = rig.targets.get("CORE");
    (void)rig.targets.evict_idle(10s);
    rig.clock.advance(9s);
    SECTION("by a look that is for old ones") { CHECK(rig.targets.evict_idle(10s) == 0); }
    SECTION("by a look that is for any") { CHECK(rig.targets.evict_idle() == 0); }
    SECTION("by a look for room") { CHECK_THROWS_AS(rig.targets.get("CLAIM"), std::length_error); }
    held.reset();
    rig.clock.advance(10s - 1ns);
    CHECK(rig.targets.evict_idle(10s) == 0);
    rig.clock.advance(10s);
    CHECK(rig.targets.evict_idle(10s) == 1);
}

TEST_CASE("evict_idle: to look at all of them asks for none", "[registry]") {
    Rig rig;
    (void)rig.targets.get("CORE");
    (void)rig.targets.evict_idle(10s);
    rig.clock.advance(10s);
    rig.targets.for_each([](const Target&) {});
    CHECK(rig.targets.evict_idle(10s) == 1);
}

TEST_CASE("evict_idle: no time is special", "[registry]") {
    using TimePoint = dashpot::Instant;
    Rig rig;
    rig.clock.set(TimePoint::min());
    (void)rig.targets.get("CORE");
    CHECK(rig.targets.evict_idle(std::chrono::hours::max()) == 0);
    rig.clock.set(TimePoint::max());
    CHECK(rig.targets.evict_idle(std::chrono::hours::max()) == 1); // as far apart as can be told
    (void)rig.targets.get("CORE");
    CHECK(rig.targets.evict_idle(1ns) == 0);
    CHECK(rig.targets.evict_idle(1ns) == 0); // the clock stands still
    rig.clock.set(TimePoint::min());         // and steps back
    CHECK(rig.targets.evict_idle(1ns) == 0);
    rig.clock.advance(1ns);
    CHECK(rig.targets.evict_idle(1ns) == 1);
    CHECK_THROWS_WITH(rig.targets.evict_idle(-1ns),
                      "Registry::evict_idle: unused_for is -1ns, must be 0s or more");
}

TEST_CASE("evict_idle: looks at every one, wherever the last look ended", "[registry]") {
    Rig rig{{.max_targets = 500, .evict_after = ever}};
    std::vector<std::shared_ptr<Target>> held;
    for (int i = 0; i != 500; ++i) {
        auto target = rig.targets.get("target " + std::to_string(i));
        if (i % 10 != 0) held.push_back(std::move(target));
    }
    for (int i = 0; i != 20; ++i) (void)rig.targets.get("more " + std::to_string(i)); // moves hands on
    CHECK(rig.targets.size() == 500);
    for (std::size_t i = 0; i != held.size(); i += 2) held[i].reset(); // some before a hand, some after
    CHECK(rig.targets.evict_idle() == 275);
    CHECK(rig.targets.evict_idle() == 0);
    held.clear();
    CHECK(rig.targets.evict_idle() == 225);
}

TEST_CASE("At the bound: an idle target makes room, whichever it is", "[registry]") {
    Rig rig{{.max_targets = 3, .evict_after = ever}};
    const auto held = rig.targets.get("held");
    rig.targets.get("open")->breaker().trip();
    (void)rig.targets.get("idle");
    for (int i = 0; i != 100; ++i) {
        CHECK(rig.targets.get("name " + std::to_string(i)) != nullptr);
        CHECK(rig.targets.size() == 3);
    }
    CHECK_FALSE(rig.has("idle"));
    CHECK(rig.targets.find("held") == held);
    CHECK(rig.targets.get("open")->breaker().state() == State::open);
}

TEST_CASE("At the bound: without evict_after, what is idle stays, and get() throws", "[registry]") {
    Rig rig{{.max_targets = 2}};
    (void)rig.targets.get("one");
    (void)rig.targets.get("two");
    CHECK_THROWS_WITH(rig.targets.get("three"), "Registry::get: no room for another target: there are "
                                                "max_targets (2) already");
    CHECK(rig.has("one"));
    CHECK(rig.has("two"));
    CHECK(rig.targets.evict_idle() == 2);
    CHECK(rig.targets.get("three") != nullptr);
}

TEST_CASE("At the bound: get() throws only when none is idle", "[registry]") {
    Rig rig{{.max_targets = 2, .evict_after = ever}};
    auto one = rig.targets.get("one");
    const auto two = rig.targets.get("two");
    CHECK_THROWS_AS(rig.targets.get("three"), std::length_error);
    CHECK(rig.targets.size() == 2);
    one.reset();
    CHECK(rig.targets.get("three") != nullptr);
    CHECK_FALSE(rig.has("one"));
    CHECK(rig.targets.find("two") == two);
}

TEST_CASE(
    "At the bound: after a look at all in vain, the next ones look at others each, until one is found",
    "[registry]") {
    constexpr std::size_t most = 4000;
    Rig rig{{.max_targets = most, .evict_after = ever}};
    for (std::size_t i = 0; i != most; ++i)
        rig.targets.get("target " + std::to_string(i))->breaker().trip();
    const auto has_room = [&](std::string_view name = "new") {
        try {
            rig.targets.get(name)->breaker().trip();
            return true;
        } catch (const std::length_error&) {
            return false;
        }
    };
    CHECK_FALSE(has_room()); // looks at all
    SECTION("the clock stands still") {
        std::size_t all_refused = 0;
        for (std::size_t i = 500; i != most; i += 500) {
            rig.targets.get("target " + std::to_string(i))->breaker().reset();
            std::size_t refused = 0;
            while (refused != most && !has_room("new " + std::to_string(i))) ++refused;
            CHECK(refused <= 2 * most / 16);
            all_refused += refused;
        }
        CHECK(all_refused > 0); // some were not among the first few
    }
    SECTION("one tick before it is worth a look at all again, and then") {
        rig.targets.get("target 500")->breaker().reset();
        rig.clock.advance(1s - 1ns);
        CHECK_FALSE(has_room()); // at 16 others, as the first section shows
        rig.clock.advance(1ns);
        CHECK(has_room());
    }
    SECTION("a clock that steps back") {
        rig.targets.get("target 500")->breaker().reset();
        rig.clock.advance(-1ns);
        CHECK(has_room());
    }
}

TEST_CASE("At the bound: to find what is idle is no more work each second than to look at all",
          "[registry]") {
    constexpr std::size_t most = 2000;
    ManualClock clock;
    dashpot::Registry<ManualClock, Watched> targets{
        {}, {.max_targets = most, .evict_after = ever}, clock};
    for (std::size_t i = 0; i != most - 1; ++i)
        CHECK(targets.get("busy " + std::to_string(i))->try_enter().success());
    (void)targets.get("idle");
    const auto looks_of_a_flood = [&] {
        Watched::looks = 0;
        for (int i = 0; i != 100; ++i) {
            try {
                (void)targets.get("new " + std::to_string(i));
            } catch (const std::length_error&) {}
        }
        return Watched::looks;
    };
    const std::size_t in_one_second = looks_of_a_flood();
    CHECK(in_one_second >= most / 2);
    CHECK(in_one_second <= 2 * most + 100 * 16);
    CHECK(looks_of_a_flood() <= 100 * 16);
    clock.advance(1s);
    CHECK(looks_of_a_flood() <= 2 * most + 100 * 16);
    CHECK(targets.size() == most);
}

TEST_CASE("evict_after: forgets a few whenever a new one is made", "[registry]") {
    Rig rig{{.evict_after = 1min}};
    for (int i = 0; i != 100; ++i) (void)rig.targets.get("old " + std::to_string(i));
    const auto held = rig.targets.get("held");
    rig.targets.get("open")->breaker().trip();
    std::size_t most = rig.targets.size();
    for (int i = 0; i != 200; ++i) {
        rig.clock.advance(1s);
        (void)rig.targets.get("new " + std::to_string(i));
        (void)rig.targets.get("held");
        most = std::max(most, rig.targets.size());
    }
    CHECK_FALSE(rig.has("old 0"));
    CHECK(rig.has("new 199"));
    CHECK(rig.targets.find("held") == held);
    CHECK(rig.has("open"));
    CHECK(rig.targets.size() < 130);
    CHECK(most <= 202);
}

TEST_CASE("evict_after: no target is forgotten younger than that", "[registry]") {
    Rig rig{{.evict_after = 1min}};
    for (int i = 0; i != 1000; ++i) (void)rig.targets.get("a " + std::to_string(i));
    rig.clock.advance(1min - 1ns);
    for (int i = 0; i != 1000; ++i) (void)rig.targets.get("b " + std::to_string(i));
    CHECK(rig.targets.size() == 2000);
    rig.clock.advance(1ns);
    for (int i = 0; i != 1000; ++i) (void)rig.targets.get("c " + std::to_string(i));
    CHECK(rig.targets.size() < 3000);
}

TEST_CASE("evict_after: empty, none is ever too old", "[registry]") {
    Rig rig;
    for (int i = 0; i != 100; ++i) {
        (void)rig.targets.get("target " + std::to_string(i));
        rig.clock.advance(std::chrono::hours{1000});
    }
    CHECK(rig.targets.size() == 100);
}

TEST_CASE("for_each: what it visits may be evicted, removed and made again meanwhile", "[registry]") {
    Rig rig;
    for (int i = 0; i != 50; ++i) (void)rig.targets.get("target " + std::to_string(i));
    int visits = 0;
    rig.targets.for_each([&](const Target& target) {
        if (visits++ == 0) CHECK(rig.targets.evict_idle() == 0); // all are held by the visit
        const std::string name{target.name()};
        CHECK(rig.targets.remove(name));
        CHECK(rig.targets.get(name).get() != &target);
        (void)rig.targets.get("new " + name);
    });
    CHECK(visits == 50);
    CHECK(rig.targets.size() == 100);
    CHECK(rig.targets.evict_idle() == 100);
}

} // namespace tests::registry_registry_eviction
