// SPDX-License-Identifier: MIT
#include <dashpot/registry/detail/place.hpp>

#include "catch.hpp"

#include <cstddef>

namespace tests::registry_detail_place {

using dashpot::detail::Place;
using Taken = dashpot::threading::atomic<std::size_t>;

TEST_CASE("Place: is given back unless it is kept", "[registry]") {
    Taken taken{0};
    {
        const Place place{taken, 2};
        CHECK(place);
        CHECK(taken == 1);
    }
    CHECK(taken == 0);
    {
        Place place{taken, 2};
        place.keep();
        CHECK_FALSE(place);
    }
    CHECK(taken == 1);
    Place::give_back(taken);
    CHECK(taken == 0);
}

TEST_CASE("Place: the last one is given, and no more", "[registry]") {
    Taken taken{1};
    const Place last{taken, 2};
    CHECK(last);
    {
        const Place none{taken, 2};
        CHECK_FALSE(none);
        CHECK(taken == 2);
    }
    CHECK(taken == 2); // who got none gives none back
}

TEST_CASE("Place: one that is inherited is given back like any other", "[registry]") {
    Taken taken{1};
    {
        Place place{taken, 1};
        CHECK_FALSE(place);
        place.inherit(); // of who had the one there is
        CHECK(place);
        CHECK(taken == 1);
    }
    CHECK(taken == 0);
}

} // namespace tests::registry_detail_place
