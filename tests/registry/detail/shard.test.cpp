// SPDX-License-Identifier: MIT
#include <dashpot/registry/detail/shard.hpp>

#include "registry/detail/registered.hpp"

#include "catch.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace tests::registry_detail_shard {

using dashpot::detail::EvictionRule;
using dashpot::detail::RegisteredTarget;
using dashpot::detail::Shard;
using registered::key;

namespace {

void add(Shard& shard, std::string_view name) { shard.add_locked(registered::make(name)); }

/// Every target is in the ring, and is found by its name.
bool is_sound(const Shard& shard) {
    std::size_t count = 0;
    bool all_are_found = true;
    shard.ring.for_each([&](const RegisteredTarget& each) {
        ++count;
        all_are_found &= shard.by_name.find(each.key()) == &each;
    });
    return all_are_found && count == shard.ring.size() && count == shard.by_name.size();
}

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
    CHECK(shard.find_locked(key("1"))->key().name == "1");
}

TEST_CASE("Shard: what is evicted is not found any more", "[registry]") {
    Shard shard;
    for (int i = 0; i != 5; ++i) add(shard, std::to_string(i));
    std::size_t visits = 5;
    while (const auto evicted = shard.evict_next_locked(visits, EvictionRule{})) {
        CHECK(shard.find_locked(evicted->key()) == nullptr);
        CHECK(is_sound(shard));
    }
    CHECK(visits == 0);
    CHECK(shard.ring.size() == 0);
}

TEST_CASE("Shard: a look-up marks the target, once more if it relies on its options", "[registry]") {
    Shard shard;
    add(shard, "a");
    RegisteredTarget& target = shard.ring.any();
    target.was_asked_for = false;
    (void)shard.find_locked(key("a"));
    CHECK(target.was_asked_for);
    CHECK_FALSE(target.was_relied_on);
    (void)shard.find_locked(key("a"), true);
    CHECK(target.was_relied_on);
}

TEST_CASE("Shard: owns its targets, and gives up those that it hands out", "[registry]") {
    std::weak_ptr<RegisteredTarget> stays;
    std::weak_ptr<RegisteredTarget> leaves;
    {
        Shard shard;
        for (const char* name : {"stays", "leaves"}) add(shard, name);
        stays = shard.find_locked(key("stays"));
        leaves = shard.find_locked(key("leaves"));
        CHECK(shard.take_locked(key("leaves")) != nullptr);
        CHECK(leaves.expired());
        CHECK_FALSE(stays.expired());
    }
    CHECK(stays.expired());
}

} // namespace tests::registry_detail_shard
