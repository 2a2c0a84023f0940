// SPDX-License-Identifier: MIT
#include <dashpot/registry/detail/target_reservation.hpp>
#include <dashpot/registry/detail/target_table.hpp>

#include "registry/detail/registered.hpp"

#include "catch.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tests::registry_detail_target_table {

using namespace std::chrono_literals;
using dashpot::Instant;
using dashpot::detail::TargetReservation;
using dashpot::detail::TargetTable;
using registered::key;

namespace {

constexpr std::size_t most = 4;

struct Rig {
    explicit Rig(dashpot::RegistryOptions options = {.max_targets = most})
        : table{options, {this, read}} {}

    static Instant read(const void* rig) noexcept { return static_cast<const Rig*>(rig)->now; }

    void add(std::string_view name) {
        TargetReservation reservation{table, key(name), false};
        reservation.commit(registered::make(name, table.channel()));
    }
    void fill() {
        for (std::size_t i = 0; i != most; ++i) add(std::to_string(i));
    }

    Instant now{};
    TargetTable table;
};

} // namespace

TEST_CASE("TargetTable: has what was added, until it is removed", "[registry]") {
    Rig rig;
    CHECK_FALSE(rig.table.contains(key("a")));
    rig.add("a");
    CHECK(rig.table.contains(key("a")));
    CHECK(rig.table.find(key("a"))->key().name == "a");
    int visited = 0;
    rig.table.for_each([&](const auto& each) {
        ++visited;
        CHECK(rig.table.find(each->key()) == each); // no lock is held
    });
    CHECK(visited == 1);
    CHECK(rig.table.remove(key("a")));
    CHECK_FALSE(rig.table.remove(key("a")));
    CHECK_FALSE(rig.table.contains(key("a")));
    CHECK(rig.table.size() == 0);
    rig.fill(); // its slot is free
}

TEST_CASE("TargetTable: visits the names of all targets, also of those under construction",
          "[registry]") {
    Rig rig;
    rig.add("a");
    const TargetReservation reservation{rig.table, key("b"), false};
    std::string names;
    rig.table.for_each_name([&](std::string_view name) { names += name; });
    CHECK(names == "ba");
}

TEST_CASE("TargetTable: evicts all, or those of an age, and counts them", "[registry]") {
    Rig rig;
    rig.fill();
    const auto held = rig.table.find(key("2"));
    CHECK(rig.table.evict_all(10s) == 0);
    (void)rig.table.find(key("0"));
    rig.now += 10s;
    CHECK(rig.table.evict_all(10s) == 2);
    CHECK(rig.table.evict_all(0s) == 1);
    CHECK(rig.table.size() == 1);
    CHECK(rig.table.contains(key("2")));
    for (const char* name : {"a", "b", "c"}) rig.add(name); // their slots are free
}

TEST_CASE("TargetTable: each new target evicts a few others, in the end all that are old",
          "[registry]") {
    Rig rig{{.max_targets = 100, .evict_after = 10s}};
    rig.fill();
    const auto make_others = [&](Instant now) {
        rig.now = now;
        for (int i = 0; i != 16; ++i) {
            rig.add("other");
            rig.table.remove(key("other"));
        }
    };
    make_others(Instant{});
    make_others(Instant{10s - 1ns});
    CHECK(rig.table.size() == most);
    make_others(Instant{10s});
    CHECK(rig.table.size() == 0);
}

TEST_CASE("TargetTable: announces each target that leaves, once", "[registry]") {
    Rig rig;
    std::vector<std::string> gone;
    const auto subscription = dashpot::detail::TargetEvents::subscribe(
        rig.table.channel(), [](std::string_view, const dashpot::Transition&) {},
        [&](std::string_view name, dashpot::Removal reason) {
            gone.push_back(std::string{name} + ' ' + std::string{to_string(reason)});
        });
    for (const char* name : {"a", "b", "c", "d"}) rig.add(name);
    const auto held = rig.table.find(key("b"));
    CHECK(rig.table.remove(key("a")));
    CHECK_FALSE(rig.table.remove(key("a")));
    CHECK(gone == std::vector<std::string>{"a removed"});
    CHECK(rig.table.evict_all(0s) == 2);
    std::sort(gone.begin() + 1, gone.end());
    CHECK(gone == std::vector<std::string>{"a removed", "c evicted", "d evicted"});
}

} // namespace tests::registry_detail_target_table
