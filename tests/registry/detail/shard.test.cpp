// SPDX-License-Identifier: MIT
#include <dashpot/registry/detail/shard.hpp>
#include <dashpot/testing/manual_clock.hpp>

#include "catch.hpp"

#include <chrono>
#include <cstddef>
#include <memory>
#include <set>
#include <string>
#include <string_view>

namespace tests::registry_detail_shard {

using namespace std::chrono_literals;
using dashpot::Instant;
using dashpot::detail::HashedName;
using dashpot::testing::ManualClock;
using Shard = dashpot::detail::Shard<ManualClock, dashpot::ConsecutiveFailures>;
using Member = Shard::Owner::element_type;

namespace {

HashedName key(std::string_view name) { return {name, {1, 2}}; }

Shard::Owner member(std::string_view name) {
    return std::make_shared<Member>(name, dashpot::TargetOptions<>{}, ManualClock{},
                                    std::make_shared<dashpot::detail::TargetChannel>());
}

void add(Shard& shard, std::string_view name) { shard.add_locked(member(name), key(name)); }

/// Every slot is in the ring, where it says that it is.
bool is_sound(const Shard& shard) {
    if (shard.ring.size() != shard.by_name.size()) return false;
    for (std::size_t i = 0; i != shard.ring.size(); ++i) {
        const auto& [name, slot] = *shard.ring[i];
        if (slot.place != i || slot.member->target.name() != name.name) return false;
    }
    return true;
}

constexpr auto always = [](const auto&) { return true; };

} // namespace

TEST_CASE("Shard: what is added is found, what is taken is not, in any order", "[registry]") {
    Shard shard;
    for (int i = 0; i != 20; ++i) add(shard, std::to_string(i));
    CHECK(is_sound(shard));
    for (const char* name : {"19", "0", "7", "18", "7"}) { // the last, the first, one between
        const bool is_there = shard.find_locked(key(name)) != nullptr;
        const auto taken = shard.take_locked(key(name));
        CHECK((taken != nullptr) == is_there);
        CHECK(shard.find_locked(key(name)) == nullptr);
        CHECK(is_sound(shard));
    }
    CHECK(shard.ring.size() == 16);
    CHECK(shard.find_locked(key("1"))->target.name() == "1");
}

TEST_CASE("Shard: the hand goes round, and looks no further than it may", "[registry]") {
    Shard shard;
    std::size_t looks = 5;
    CHECK(shard.evict_next_locked(looks, always) == nullptr);
    for (int i = 0; i != 5; ++i) add(shard, std::to_string(i));
    std::multiset<std::string> seen;
    const auto note = [&](const Shard::Slot& slot) {
        seen.emplace(slot.member->target.name());
        return false;
    };
    for (int turn = 0; turn != 5; ++turn) {
        looks = 2;
        CHECK(shard.evict_next_locked(looks, note) == nullptr);
        CHECK(looks == 0);
    }
    for (int i = 0; i != 5; ++i) CHECK(seen.count(std::to_string(i)) == 2);
}

TEST_CASE("Shard: takes out one after the other, as long as there are looks left", "[registry]") {
    Shard shard;
    for (int i = 0; i != 5; ++i) add(shard, std::to_string(i));
    std::size_t looks = 4;
    for (std::size_t left = 4; left != 0; --left) {
        CHECK(shard.evict_next_locked(looks, always) != nullptr);
        CHECK(looks == left - 1);
        CHECK(is_sound(shard));
    }
    CHECK(shard.evict_next_locked(looks, always) == nullptr);
    CHECK(shard.ring.size() == 1);
}

TEST_CASE("Shard: a slot is unused from the look that first saw it so", "[registry]") {
    Shard shard;
    add(shard, "a");
    Shard::Slot& slot = shard.by_name.find(key("a"))->second;
    const Instant start{100s};
    CHECK_FALSE(Shard::is_unused(slot, start, 10s));
    CHECK_FALSE(Shard::is_unused(slot, start + 10s - 1ns, 10s));
    CHECK(Shard::is_unused(slot, start + 10s, 10s));
    (void)shard.find_locked(key("a"));
    CHECK_FALSE(Shard::is_unused(slot, start + 20s, 10s));
    CHECK(Shard::is_unused(slot, start + 30s, 10s));
    CHECK_FALSE(Shard::is_unused(slot, start, 10s)); // a step back
    CHECK_FALSE(Shard::is_unused(slot, start + 10s - 1ns, 10s));
    CHECK(Shard::is_unused(slot, start + 10s, 10s));
}

} // namespace tests::registry_detail_shard
