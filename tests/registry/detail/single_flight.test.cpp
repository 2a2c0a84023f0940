// SPDX-License-Identifier: MIT
#include <dashpot/registry/detail/single_flight.hpp>

#include "catch.hpp"

#include <latch>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>

namespace tests::registry_detail_single_flight {

using dashpot::detail::Flight;
using dashpot::detail::SingleFlight;

namespace {

std::string names_of(const SingleFlight& flights) {
    std::string names;
    flights.for_each_name([&](std::string_view name) { names.append(name).append(" "); });
    return names;
}

} // namespace

TEST_CASE("SingleFlight: the first flight of a name leads until it ends, whatever other names do",
          "[registry]") {
    SingleFlight flights;
    CHECK_FALSE(flights.contains("a"));
    {
        Flight first{flights};
        first.begin("a");
        CHECK(first.leads());
        CHECK(flights.contains("a"));
        Flight second{flights};
        second.begin("a");
        CHECK_FALSE(second.leads());
        Flight other{flights};
        other.begin("b");
        CHECK(other.leads());
        CHECK(names_of(flights) == "b a ");
    }
    CHECK(names_of(flights).empty());
    Flight again{flights};
    again.begin("a");
    CHECK(again.leads());
}

TEST_CASE("SingleFlight: a flight that follows may end first", "[registry]") {
    SingleFlight flights;
    Flight leader{flights};
    leader.begin("a");
    std::optional<Flight> followers[3];
    for (auto& each : followers) each.emplace(flights).begin("a");
    followers[1].reset();
    followers[0].reset();
    leader.end();
    CHECK_FALSE(flights.contains("a"));
    followers[2]->wait(); // returns at once
    CHECK_FALSE(followers[2]->leads());
    followers[2]->begin("a");
    CHECK(followers[2]->leads());
}

TEST_CASE("SingleFlight: a wait for one's own flight is an error", "[registry]") {
    SingleFlight flights;
    Flight mine{flights};
    mine.begin("a");
    Flight same{flights};
    same.begin("a");
    CHECK_THROWS_WITH(same.wait(), "Registry::get: target \"a\" is under construction by this thread, "
                                   "or by a thread that waits for this thread");
}

TEST_CASE("SingleFlight: threads that wait go on when the flight ends", "[registry]") {
    SingleFlight flights;
    Flight mine{flights};
    mine.begin("a");
    std::latch have_begun{2};
    int over[2] = {};
    {
        const auto follow = [&](int i) {
            Flight other{flights};
            other.begin("a");
            const bool leads = other.leads();
            have_begun.count_down();
            if (!leads) other.wait();
            over[i] = leads ? 2 : 1;
        };
        const std::jthread first{follow, 0};
        const std::jthread second{follow, 1};
        have_begun.wait();
        mine.end();
    }
    CHECK(over[0] == 1);
    CHECK(over[1] == 1);
}

TEST_CASE("SingleFlight: two threads that would wait for each other, in two registries, do not",
          "[registry]") {
    SingleFlight here;
    SingleFlight there;
    std::latch both{2};
    int refused[2] = {};
    const auto cross = [&](SingleFlight& own, SingleFlight& others, int i) {
        Flight mine{own};
        mine.begin("a");
        both.arrive_and_wait();
        Flight theirs{others};
        theirs.begin("a");
        if (theirs.leads()) return;
        try {
            theirs.wait();
        } catch (const std::logic_error&) {
            refused[i] = 1;
        }
    };
    {
        const std::jthread one{[&] { cross(here, there, 0); }};
        const std::jthread two{[&] { cross(there, here, 1); }};
    }
    CHECK(refused[0] + refused[1] <= 1); // none if one flight ended before the other thread came
}

} // namespace tests::registry_detail_single_flight
