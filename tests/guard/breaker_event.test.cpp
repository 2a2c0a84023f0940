// SPDX-License-Identifier: MIT
#include <dashpot/guard/breaker_event.hpp>

#include "catch.hpp"

#include <chrono>
#include <iomanip>
#include <set>
#include <sstream>
#include <string>

namespace tests::guard_breaker_event {

using namespace std::chrono_literals;
using dashpot::BreakerEvent;
using dashpot::EventKind;
using dashpot::Instant;
using dashpot::Reason;
using dashpot::State;

namespace {

std::string printed(const BreakerEvent& event) {
    std::ostringstream out;
    out << event;
    return out.str();
}

} // namespace

TEST_CASE("EventKind: each has a name of its own", "[guard]") {
    std::set<std::string> names;
    for (int i = 0; i != 11; ++i) names.emplace(to_string(static_cast<EventKind>(i)));
    CHECK(names.size() == 11);
    CHECK(names.count("unknown") == 0);
    CHECK(to_string(EventKind::slow_success) == "slow_success");
    CHECK(to_string(static_cast<EventKind>(11)) == "unknown");
}

TEST_CASE("BreakerEvent: is written as one line", "[guard]") {
    CHECK(printed({.number = 7, .at = Instant{5us}, .generation = 2, .count = 31, .calls = 40}) ==
          "#7 at 5000 generation 2 CLOSED: successes x 31; calls 40, failures 0, slow 0");
    CHECK(printed({.kind = EventKind::slow_failure,
                   .from = State::half_open,
                   .to = State::half_open,
                   .calls = 2,
                   .failures = 2,
                   .slow = 1}) ==
          "#0 at 0 generation 0 HALF_OPEN: slow_failure; calls 2, failures 2, slow 1");
    CHECK(printed({.number = 8,
                   .at = Instant{-1ns},
                   .generation = 3,
                   .kind = EventKind::transition,
                   .from = State::closed,
                   .to = State::open,
                   .reason = Reason::failure_rate,
                   .calls = 10,
                   .failures = 5}) == "#8 at -1 generation 3 CLOSED: transition to OPEN by "
                                      "failure_rate; calls 10, failures 5, slow 0");
}

TEST_CASE("BreakerEvent: takes no more memory than its documentation says", "[guard]") {
    STATIC_REQUIRE(sizeof(BreakerEvent) <= 64);
}

TEST_CASE("EventKind: prints its name, and takes the width as a string does", "[guard]") {
    std::ostringstream out;
    out << dashpot::EventKind::slow_failure << ' ' << std::setw(20) << std::left
        << dashpot::EventKind::reset << '|';
    CHECK(out.str() == "slow_failure reset               |");
}

TEST_CASE("BreakerEvent: prints alike whatever the flags of the stream", "[guard]") {
    const dashpot::BreakerEvent event{.number = 1'234'567, .count = 3, .calls = 255};
    std::ostringstream plain;
    plain << event;
    std::ostringstream out;
    out << std::hex << std::showbase << std::setfill('*') << std::setw(200) << event;
    CHECK(out.str() == plain.str());
    CHECK(plain.str().starts_with("#1234567 at 0 "));
}

} // namespace tests::guard_breaker_event
