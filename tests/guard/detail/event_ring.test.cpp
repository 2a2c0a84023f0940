// SPDX-License-Identifier: MIT
#include <dashpot/guard/detail/event_ring.hpp>

#include "catch.hpp"

#include <cstdint>
#include <vector>

namespace tests::guard_detail_event_ring {

using dashpot::BreakerEvent;
using dashpot::detail::EventRing;

namespace {

std::vector<BreakerEvent> after(std::uint32_t size, std::uint64_t events) {
    EventRing ring{size};
    for (std::uint64_t i = 0; i != events; ++i) ring.add({.count = 100 + i});
    std::vector<BreakerEvent> held;
    ring.copy_to(held);
    return held;
}

} // namespace

TEST_CASE("EventRing: holds all while there is room, oldest first", "[guard]") {
    CHECK(after(3, 0).empty());
    const auto held = after(3, 3);
    REQUIRE(held.size() == 3);
    CHECK(held[0].number == 0);
    CHECK(held[0].count == 100);
    CHECK(held[2].number == 2);
    CHECK(held[2].count == 102);
}

TEST_CASE("EventRing: lets the oldest go, and the numbers show it", "[guard]") {
    const auto held = after(3, 4);
    REQUIRE(held.size() == 3);
    CHECK(held[0].number == 1);
    CHECK(held[2].number == 3);
    CHECK(held[2].count == 103);
    CHECK(after(1, 9).at(0).number == 8);
}

TEST_CASE("EventRing: without room keeps none", "[guard]") {
    CHECK_FALSE(EventRing{0}.keeps_any());
    CHECK(EventRing{1}.keeps_any());
    CHECK(after(0, 0).empty());
}

} // namespace tests::guard_detail_event_ring
