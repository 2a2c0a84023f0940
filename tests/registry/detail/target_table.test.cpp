// SPDX-License-Identifier: MIT
#include <dashpot/registry/detail/target_table.hpp>
#include <dashpot/testing/manual_clock.hpp>

#include "catch.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tests::registry_detail_target_table {

using namespace std::chrono_literals;
using dashpot::Instant;
using dashpot::detail::Place;
using dashpot::testing::ManualClock;
using Table = dashpot::detail::TargetTable<ManualClock, dashpot::ConsecutiveFailures>;
using Member = Table::Owner::element_type;

namespace {

constexpr std::size_t most = 4;

dashpot::detail::HashedName key(std::string_view name) { return {name, {1, 2}}; }

struct Rig {
    Table table{most};

    bool add(std::string_view name) {
        Place place{table.places(), most};
        if (!place) return false;
        table.add(
            std::make_shared<Member>(name, dashpot::TargetOptions<>{}, ManualClock{}, table.channel()),
            key(name), place);
        return true;
    }
};

} // namespace

TEST_CASE("TargetTable: calls `absent` for what is not there, and only then", "[registry]") {
    Rig rig;
    int absent = 0;
    CHECK(rig.table.find_or(key("a"), [&] { ++absent; }) == nullptr);
    CHECK(absent == 1);
    CHECK(rig.add("a"));
    CHECK(rig.table.find_or(key("a"), [&] { ++absent; }) != nullptr);
    CHECK(absent == 1);
    CHECK(rig.table.contains(key("a")));
    CHECK(rig.table.all().size() == 1);
    CHECK(rig.table.remove(key("a")) != nullptr);
    CHECK(rig.table.remove(key("a")) == nullptr);
    CHECK_FALSE(rig.table.contains(key("a")));
    CHECK(rig.table.size() == 0);
    CHECK(rig.table.places() == 0);
}

TEST_CASE("TargetTable: who is evicted leaves a place to one, and to nobody else", "[registry]") {
    Rig rig;
    for (std::size_t i = 0; i != most; ++i) CHECK(rig.add(std::to_string(i)));
    CHECK_FALSE(rig.add("more"));
    {
        Place place{rig.table.places(), most};
        CHECK(rig.table.evict_into(place, Instant{}) != nullptr);
        CHECK(place);
        CHECK(rig.table.size() == most - 1);
        CHECK_FALSE(rig.add("more"));
    }
    CHECK(rig.add("more")); // it was not kept
}

TEST_CASE("TargetTable: evicts all, or those of an age, and counts them", "[registry]") {
    Rig rig;
    for (std::size_t i = 0; i != most; ++i) CHECK(rig.add(std::to_string(i)));
    const auto held = rig.table.find(key("2"));
    CHECK(rig.table.evict_all(Instant{}, 10s) == 0);
    (void)rig.table.find(key("0"));
    CHECK(rig.table.evict_all(Instant{10s}, 10s) == 2);
    CHECK(rig.table.evict_all(Instant{10s}, 0s) == 1);
    CHECK(rig.table.size() == 1);
    CHECK(rig.table.places() == 1);
    CHECK(rig.table.contains(key("2")));
}

TEST_CASE("TargetTable: evicts a few at a time, in the end all that are old", "[registry]") {
    Rig rig;
    for (std::size_t i = 0; i != most; ++i) CHECK(rig.add(std::to_string(i)));
    for (int round = 0; round != 16; ++round) rig.table.evict_some(Instant{}, 10s);
    for (int round = 0; round != 16; ++round) rig.table.evict_some(Instant{10s - 1ns}, 10s);
    CHECK(rig.table.size() == most);
    for (int round = 0; round != 16; ++round) rig.table.evict_some(Instant{10s}, 10s);
    CHECK(rig.table.size() == 0);
    CHECK(rig.table.places() == 0);
}

TEST_CASE("TargetTable: announces each target that leaves, once, and delivers it on demand",
          "[registry]") {
    Rig rig;
    std::vector<std::string> gone;
    const auto subscription = dashpot::detail::TargetChannel::subscribe(
        rig.table.channel(), [&](const dashpot::detail::TargetEvent& event) {
            dashpot::detail::Feed::tell_removal(
                event, [&](std::string_view name, dashpot::Removal reason) {
                    gone.push_back(std::string{name} + ' ' + std::string{to_string(reason)});
                });
        });
    for (const char* name : {"a", "b", "c", "d"}) CHECK(rig.add(name));
    const auto held = rig.table.find(key("b"));
    CHECK(rig.table.remove(key("a")) != nullptr);
    CHECK(rig.table.remove(key("a")) == nullptr);
    CHECK(gone.empty());
    rig.table.deliver();
    CHECK(gone == std::vector<std::string>{"a removed"});
    CHECK(rig.table.evict_all(Instant{}, 0s) == 2);
    std::sort(gone.begin() + 1, gone.end());
    CHECK(gone == std::vector<std::string>{"a removed", "c evicted", "d evicted"});
}

} // namespace tests::registry_detail_target_table
