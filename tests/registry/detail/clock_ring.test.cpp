// SPDX-License-Identifier: MIT
#include <dashpot/registry/detail/clock_ring.hpp>

#include "registry/detail/registered.hpp"

#include "catch.hpp"

#include <chrono>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace tests::registry_detail_clock_ring {

using namespace std::chrono_literals;
using dashpot::Instant;
using dashpot::detail::ClockRing;
using dashpot::detail::EvictionRule;
using dashpot::detail::RegisteredTarget;
using Owner = RegisteredTarget::Owner;

namespace {

struct Rig {
    explicit Rig(int count) {
        for (int i = 0; i != count; ++i) {
            const Owner target = registered::make(std::to_string(i));
            target->self = target;
            ring.add(*target);
        }
    }
    Rig(const Rig&) = delete;
    Rig& operator=(const Rig&) = delete;
    ~Rig() {
        while (ring.size() != 0) {
            const Owner last = std::move(ring.any().self);
            ring.take(*last);
        }
    }

    /// Evicts at most one idle target, and returns its name, or nothing.
    std::string evict(std::size_t& visits) {
        auto* const evicted = ring.evict_next(visits, EvictionRule{});
        if (evicted == nullptr) return "";
        const Owner last = std::move(evicted->self);
        return std::string{last->key().name};
    }
    /// The names in the order of the next visits.
    [[nodiscard]] std::string order() const {
        std::string names;
        ring.for_each([&](const RegisteredTarget& each) { names += each.key().name; });
        return names;
    }
    [[nodiscard]] std::vector<Owner> all() const {
        std::vector<Owner> all;
        ring.for_each([&](const RegisteredTarget& each) { all.push_back(each.self); });
        return all;
    }

    ClockRing ring;
};

} // namespace

TEST_CASE("ClockRing: an empty ring has nothing to visit", "[registry]") {
    Rig rig{0};
    std::size_t visits = 5;
    CHECK(rig.evict(visits).empty());
    CHECK(visits == 5);
    CHECK(rig.order().empty());
}

TEST_CASE("ClockRing: goes round, and visits no more targets than it may", "[registry]") {
    Rig rig{5};
    const auto held = rig.all();
    const char* const orders[] = {"23401", "40123", "12340", "34012", "01234"};
    for (const char* order : orders) {
        std::size_t visits = 2;
        CHECK(rig.evict(visits).empty()); // each is held
        CHECK(visits == 0);
        CHECK(rig.order() == order);
    }
}

TEST_CASE("ClockRing: takes out one target after the other, as long as visits are left", "[registry]") {
    Rig rig{5};
    std::size_t visits = 4;
    for (const char* name : {"0", "1", "2", "3"}) CHECK(rig.evict(visits) == name);
    CHECK(visits == 0);
    CHECK(rig.evict(visits).empty());
    CHECK(rig.order() == "4");
}

TEST_CASE("ClockRing: passes over targets in use, to the first that is idle", "[registry]") {
    Rig rig{4};
    auto held = rig.all();
    held.erase(held.begin() + 2);
    std::size_t visits = 10;
    CHECK(rig.evict(visits) == "2");
    CHECK(visits == 7);
    CHECK(rig.order() == "301");
}

TEST_CASE("ClockRing: a new target is visited last, wherever the position is", "[registry]") {
    Rig rig{3};
    auto held = rig.all();
    std::size_t visits = 1;
    CHECK(rig.evict(visits).empty());
    const Owner added = registered::make("new");
    added->self = added;
    rig.ring.add(*added);
    CHECK(rig.order() == "120new");
}

TEST_CASE("ClockRing: a target can be taken out anywhere, also the next one", "[registry]") {
    Rig rig{4};
    auto held = rig.all();
    for (const auto& [index, order] :
         {std::pair{2, "013"}, std::pair{0, "13"}, std::pair{3, "1"}, std::pair{1, ""}}) {
        const Owner taken = std::move(held[static_cast<std::size_t>(index)]->self);
        rig.ring.take(*taken);
        CHECK(rig.order() == order);
    }
}

TEST_CASE("EvictionRule: a target is unused from the visit that first saw it so", "[registry]") {
    Rig rig{1};
    RegisteredTarget& target = rig.ring.any();
    const auto at = [&](Instant now) { return EvictionRule{10s, now}.visit(target); };
    const Instant start{100s};
    CHECK_FALSE(at(start));
    CHECK_FALSE(at(start + 10s - 1ns));
    CHECK(at(start + 10s));
    target.was_asked_for = true;
    CHECK_FALSE(at(start + 20s));
    CHECK(at(start + 30s));
    CHECK_FALSE(at(start)); // a step back
    CHECK_FALSE(at(start + 10s - 1ns));
    CHECK(at(start + 10s));
    const Owner held = target.self;
    CHECK_FALSE(at(start + 10s));
}

} // namespace tests::registry_detail_clock_ring
