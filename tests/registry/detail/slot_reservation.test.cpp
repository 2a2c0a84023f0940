// SPDX-License-Identifier: MIT
#include <dashpot/registry/detail/slot_reservation.hpp>

#include "catch.hpp"

#include <cstddef>

namespace tests::registry_detail_slot_reservation {

using dashpot::detail::SlotReservation;
using Reserved = dashpot::threading::atomic<std::size_t>;

TEST_CASE("SlotReservation: is released unless it is committed", "[registry]") {
    Reserved reserved{0};
    {
        SlotReservation slot{reserved};
        CHECK_FALSE(slot);
        CHECK(slot.try_reserve(2));
        CHECK(slot);
        CHECK(reserved == 1);
    }
    CHECK(reserved == 0);
    {
        SlotReservation slot{reserved};
        CHECK(slot.try_reserve(2));
        slot.commit();
        CHECK_FALSE(slot);
    }
    CHECK(reserved == 1);
    SlotReservation::release(reserved);
    CHECK(reserved == 0);
}

TEST_CASE("SlotReservation: the last slot is reserved, and no more", "[registry]") {
    Reserved reserved{1};
    SlotReservation last{reserved};
    CHECK(last.try_reserve(2));
    {
        SlotReservation none{reserved};
        CHECK_FALSE(none.try_reserve(2));
        CHECK_FALSE(none);
        CHECK(reserved == 2);
    }
    CHECK(reserved == 2); // a reservation without a slot releases none
}

TEST_CASE("SlotReservation: a slot that is inherited is released like any other", "[registry]") {
    Reserved reserved{1};
    {
        SlotReservation slot{reserved};
        CHECK_FALSE(slot.try_reserve(1));
        slot.inherit(); // the only one there is
        CHECK(slot);
        CHECK(reserved == 1);
    }
    CHECK(reserved == 0);
}

} // namespace tests::registry_detail_slot_reservation
