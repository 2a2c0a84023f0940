// SPDX-License-Identifier: MIT
#include <dashpot/guard/priority.hpp>

#include "catch.hpp"

#include <cstdint>
#include <limits>
#include <sstream>

namespace tests::guard_priority {

using dashpot::Priority;
using dashpot::detail::has_room;

TEST_CASE("Priority: each has its part of the limit, compared exactly", "[guard]") {
    STATIC_REQUIRE(has_room(99, 100, Priority::critical));
    STATIC_REQUIRE_FALSE(has_room(100, 100, Priority::critical));
    STATIC_REQUIRE(has_room(94, 100, Priority::high));
    STATIC_REQUIRE_FALSE(has_room(95, 100, Priority::high));
    STATIC_REQUIRE(has_room(79, 100, Priority::normal));
    STATIC_REQUIRE_FALSE(has_room(80, 100, Priority::normal));
    STATIC_REQUIRE(has_room(49, 100, Priority::sheddable));
    STATIC_REQUIRE_FALSE(has_room(50, 100, Priority::sheddable));
    CHECK(has_room(9, 10, Priority::high)); // 9 is less than 9.5
    STATIC_REQUIRE_FALSE(has_room(10, 10, Priority::high));
    constexpr std::uint32_t most = std::numeric_limits<std::uint32_t>::max();
    CHECK(has_room(most / 2, most, Priority::sheddable));
    STATIC_REQUIRE_FALSE(has_room(most / 2 + 1, most, Priority::sheddable));
}

TEST_CASE("Priority: the first call has room, whatever its priority", "[guard]") {
    STATIC_REQUIRE(has_room(0, 1, Priority::sheddable));
    STATIC_REQUIRE_FALSE(has_room(1, 1, Priority::critical));
    STATIC_REQUIRE_FALSE(has_room(1, 2, Priority::sheddable));
}

TEST_CASE("Priority: prints its name", "[guard]") {
    std::ostringstream out;
    out << Priority::critical << ' ' << Priority::high << ' ' << Priority::normal << ' '
        << Priority::sheddable << ' ' << static_cast<Priority>(9);
    CHECK(out.str() == "critical high normal sheddable unknown");
}

} // namespace tests::guard_priority
