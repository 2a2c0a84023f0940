// SPDX-License-Identifier: MIT
// Options that a function gave outlive the target that they were given to.
#include <dashpot/registry/registry.hpp>
#include <dashpot/testing/manual_clock.hpp>

#include "catch.hpp"

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace tests::registry_registry_given_options {

using namespace std::chrono_literals;
using dashpot::TargetOptions;
using dashpot::testing::ManualClock;
using Registry = dashpot::Registry<ManualClock>;

namespace {

struct Rig {
    explicit Rig(std::size_t max_targets = 100)
        : targets{{.max_concurrent = 10}, {.max_targets = max_targets, .evict_after = 1h}, clock} {}

    /// Asks for the target by a function that gives it that limit.
    std::uint32_t give(std::string_view name, std::uint32_t limit) {
        return targets
            .get(name, [&](std::string_view) { return TargetOptions<>{.max_concurrent = limit}; })
            ->bulkhead()
            .max_concurrent();
    }
    [[nodiscard]] std::uint32_t limit_of(std::string_view name) {
        return targets.get(name)->bulkhead().max_concurrent();
    }

    ManualClock clock;
    Registry targets;
};

} // namespace

TEST_CASE("get with a function: its options are those of the name after an eviction", "[registry]") {
    Rig rig;
    for (int i = 0; i != 50; ++i) CHECK(rig.give("partner " + std::to_string(i), 2) == 2);
    CHECK(rig.targets.evict_idle() == 50);
    for (int i = 0; i != 50; ++i) CHECK(rig.limit_of("partner " + std::to_string(i)) == 2);
    CHECK(rig.limit_of("another") == 10);
}

TEST_CASE("get with a function: after an eviction at the bound too", "[registry]") {
    Rig rig{1};
    CHECK(rig.give("PARTNER", 2) == 2);
    CHECK(rig.limit_of("another") == 10);
    CHECK(rig.targets.find("PARTNER") == nullptr);
    CHECK(rig.limit_of("PARTNER") == 2);
}

TEST_CASE("get with a function: the eviction that makes room for a name does not push its options out",
          "[registry]") {
    Rig rig{1};
    CHECK(rig.give("first", 2) == 2);
    CHECK(rig.give("second", 3) == 3); // what is kept for "first" fills the only place
    CHECK(rig.limit_of("first") == 2);
}

TEST_CASE("get with a function: is called again after an eviction, and its options are the new ones",
          "[registry]") {
    Rig rig;
    CHECK(rig.give("PARTNER", 2) == 2);
    CHECK(rig.targets.evict_idle() == 1);
    CHECK(rig.give("PARTNER", 3) == 3);
    CHECK(rig.targets.evict_idle() == 1);
    CHECK(rig.give("PARTNER", 10) == 10); // as the defaults: there is nothing to keep
    CHECK(rig.targets.evict_idle() == 1);
    CHECK(rig.limit_of("PARTNER") == 10);
    CHECK(rig.targets.evict_idle() == 1);
}

TEST_CASE("get with a function: a target that get() without one returned is not idle", "[registry]") {
    Rig rig;
    CHECK(rig.give("PARTNER", 2) == 2);
    const bool was_evicted = GENERATE(false, true);
    if (was_evicted) CHECK(rig.targets.evict_idle() == 1);
    CHECK(rig.limit_of("PARTNER") == 2);
    CHECK(rig.targets.evict_idle() == 0);
    (void)rig.targets.find("PARTNER");
    CHECK(rig.targets.remove("PARTNER"));
    CHECK(rig.limit_of("PARTNER") == 10);
}

TEST_CASE("get with a function: what is configured later goes before, and remove() forgets both",
          "[registry]") {
    Rig rig;
    CHECK(rig.give("PARTNER", 2) == 2);
    CHECK(rig.targets.evict_idle() == 1);
    rig.targets.configure("PARTNER", {.max_concurrent = 5});
    CHECK(rig.limit_of("PARTNER") == 5);
    CHECK(rig.targets.remove("PARTNER"));
    CHECK(rig.limit_of("PARTNER") == 10);

    CHECK(rig.give("CLAIM", 2) == 2);
    CHECK(rig.targets.evict_idle() >= 1);
    CHECK_FALSE(rig.targets.remove("CLAIM")); // it is not there, its options are
    CHECK(rig.limit_of("CLAIM") == 10);
}

TEST_CASE("get with a function: names without end are evicted, and only the last are kept",
          "[registry]") {
    Rig rig{10};
    for (int i = 0; i != 100; ++i) CHECK(rig.give("tenant " + std::to_string(i), 2) == 2);
    CHECK(rig.targets.size() == 10);
    CHECK(rig.targets.evict_idle() == 10);
    int kept = 0; // of which names, chance says: it chooses their shards
    for (int i = 0; i != 100; ++i) {
        const std::string name = "tenant " + std::to_string(i);
        if (rig.limit_of(name) == 2) ++kept;
        CHECK(rig.targets.remove(name));
    }
    CHECK(kept == 10);
}

} // namespace tests::registry_registry_given_options
