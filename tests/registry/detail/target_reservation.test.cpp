// SPDX-License-Identifier: MIT
#include <dashpot/registry/detail/target_reservation.hpp>
#include <dashpot/testing/manual_clock.hpp>

#include "registry/detail/registered.hpp"

#include "catch.hpp"

#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace tests::registry_detail_target_reservation {

using namespace std::chrono_literals;
using dashpot::Instant;
using dashpot::detail::GivenOptions;
using dashpot::detail::TargetReservation;
using dashpot::detail::TargetTable;
using registered::key;

namespace {

Instant at_start(const void*) noexcept { return {}; }

struct Rig {
    TargetTable table{{.max_targets = 1, .evict_after = 1h}, {nullptr, at_start}};

    void add(std::string_view name, dashpot::detail::AnyOptions given = nullptr) {
        TargetReservation reservation{table, key(name), false};
        const auto target = registered::make(name, table.channel());
        if (given) target->given_options = new GivenOptions{key(name), std::move(given)};
        reservation.commit(target);
    }
};

} // namespace

TEST_CASE("TargetReservation: returns the target that exists, or reserves its name and a slot",
          "[registry]") {
    Rig rig;
    {
        TargetReservation reservation{rig.table, key("a"), false};
        CHECK(reservation.present() == nullptr);
        CHECK(rig.table.contains(key("a")));
        CHECK(rig.table.find(key("a")) == nullptr);
        CHECK(rig.table.size() == 0);
        CHECK_THROWS_AS((TargetReservation{rig.table, key("b"), false}), std::length_error);
        CHECK_THROWS_AS((TargetReservation{rig.table, key("a"), false}), std::logic_error);
        const auto made = registered::make("a", rig.table.channel());
        reservation.commit(made);
        CHECK(rig.table.find(key("a")) == made);
        CHECK(TargetReservation(rig.table, key("a"), false).present() == made);
    }
    CHECK(rig.table.contains(key("a")));
    CHECK(rig.table.size() == 1);
}

TEST_CASE("TargetReservation: without a commit, the name and the slot are free again", "[registry]") {
    Rig rig;
    { const TargetReservation dropped{rig.table, key("a"), false}; }
    CHECK_FALSE(rig.table.contains(key("a")));
    rig.add("b");
    CHECK(rig.table.size() == 1);
}

TEST_CASE("TargetReservation: at the bound, the slot of an evicted target goes to one, and to no other",
          "[registry]") {
    Rig rig;
    rig.add("a");
    {
        const TargetReservation reservation{rig.table, key("b"), false};
        CHECK(rig.table.find(key("a")) == nullptr);
        CHECK(rig.table.size() == 0);
        CHECK_THROWS_AS((TargetReservation{rig.table, key("c"), false}), std::length_error);
    }
    rig.add("c"); // "b" was not committed
    CHECK(rig.table.size() == 1);
}

TEST_CASE("TargetReservation: has the options that are kept for a name, if they are needed",
          "[registry]") {
    Rig rig;
    const auto given = std::make_shared<const int>(42);
    rig.add("a", given);
    rig.add("b"); // evicts "a"
    CHECK(TargetReservation(rig.table, key("a"), false).kept_options() == nullptr);
    CHECK(TargetReservation(rig.table, key("a"), true).kept_options() == given);
}

TEST_CASE("TargetReservation: listeners are notified of an eviction when it is destroyed",
          "[registry]") {
    Rig rig;
    rig.add("a");
    std::string gone;
    const auto subscription = dashpot::detail::TargetEvents::subscribe(
        rig.table.channel(), [](std::string_view, const dashpot::Transition&) {},
        [&](std::string_view name, dashpot::Removal) { gone = name; });
    {
        const TargetReservation reservation{rig.table, key("b"), false};
        CHECK(gone.empty());
    }
    CHECK(gone == "a");
}

} // namespace tests::registry_detail_target_reservation
