// SPDX-License-Identifier: MIT
#include <dashpot/guard/detail/breaker_history.hpp>

#include "catch.hpp"

#include <chrono>
#include <cstdint>
#include <vector>

namespace tests::guard_detail_breaker_history {

using namespace std::chrono_literals;
using dashpot::BreakerEvent;
using dashpot::Counts;
using dashpot::EventKind;
using dashpot::Instant;
using dashpot::Reason;
using dashpot::State;
using dashpot::detail::BreakerHistory;

namespace {

/// What a history reads of a breaker.
struct Here {
    State state = State::closed;
    std::uint64_t generation = 7;
    std::uint64_t calls = 3;

    Counts counts(Instant) const noexcept { return {.calls = calls, .failures = 2, .slow = 1}; }
};

std::vector<BreakerEvent> all(const BreakerHistory& history, Instant now = Instant{99s}) {
    std::vector<BreakerEvent> events;
    history.copy_to(events, Here{}, now);
    return events;
}

} // namespace

TEST_CASE("BreakerHistory: an event has the state and the numbers after it", "[guard]") {
    BreakerHistory history{4};
    history.note(Here{}, EventKind::probe, Instant{5s});
    history.note_transition(Here{.state = State::open}, State::closed, Reason::trip, Instant{6s});
    const auto events = all(history);
    REQUIRE(events.size() == 2);
    const BreakerEvent probe{.number = 0,
                             .at = Instant{5s},
                             .generation = 7,
                             .kind = EventKind::probe,
                             .from = State::closed,
                             .to = State::closed,
                             .reason = Reason::policy,
                             .count = 1,
                             .calls = 3,
                             .failures = 2,
                             .slow = 1};
    CHECK(events[0] == probe);
    BreakerEvent transition = probe;
    transition.number = 1;
    transition.at = Instant{6s};
    transition.kind = EventKind::transition;
    transition.to = State::open;
    transition.reason = Reason::trip;
    CHECK(events[1] == transition);
}

TEST_CASE("BreakerHistory: a call's event says how it ended", "[guard]") {
    BreakerHistory history{4};
    history.note_call(Here{}, {.failed = false, .slow = false});
    history.note_call(Here{}, {.failed = false, .slow = true});
    history.note_call(Here{}, {.failed = true, .slow = false});
    history.note_call(Here{}, {.failed = true, .slow = true});
    const auto events = all(history);
    REQUIRE(events.size() == 4);
    CHECK(events[0].kind == EventKind::successes);
    CHECK(events[1].kind == EventKind::slow_success);
    CHECK(events[2].kind == EventKind::failure);
    CHECK(events[3].kind == EventKind::slow_failure);
}

TEST_CASE("BreakerHistory: successes that were put off become one event, before the next other one",
          "[guard]") {
    BreakerHistory history{4};
    history.put_off(2, (Instant::max)());
    history.put_off(0, Instant{1s});
    history.put_off(3, (Instant::max)());
    history.write_successes(Here{}, Instant{8s});
    history.note(Here{}, EventKind::failure, Instant{8s});
    history.write_successes(Here{}, Instant{9s}); // there are none
    const auto events = all(history);
    REQUIRE(events.size() == 2);
    CHECK(events[0].kind == EventKind::successes);
    CHECK(events[0].count == 5);
    CHECK(events[0].at == Instant{8s});
    CHECK(events[1].kind == EventKind::failure);
    CHECK(events[1].count == 1);
}

TEST_CASE("BreakerHistory: successes have a time before the end of their bucket", "[guard]") {
    BreakerHistory history{4};
    history.put_off(1, Instant{4s});
    CHECK(all(history, Instant{4s - 2ns})[0].at == Instant{4s - 2ns});
    CHECK(all(history, Instant{4s})[0].at == Instant{4s - 1ns});
    history.write_successes(Here{}, Instant{50s});
    CHECK(all(history)[0].at == Instant{4s - 1ns});
}

TEST_CASE("BreakerHistory: reading shows successes that were put off, and writes none", "[guard]") {
    BreakerHistory history{4};
    history.put_off(2, (Instant::max)());
    for (int i = 0; i != 2; ++i) {
        const auto events = all(history, Instant{9s});
        REQUIRE(events.size() == 1);
        CHECK(events[0].number == 0);
        CHECK(events[0].count == 2);
        CHECK(events[0].at == Instant{9s});
    }
    history.put_off(1, (Instant::max)());
    CHECK(all(history)[0].count == 3);
}

TEST_CASE("BreakerHistory: without room it keeps nothing", "[guard]") {
    BreakerHistory history{0};
    CHECK_FALSE(history.keeps_any());
    CHECK(history.size() == 0);
    history.note(Here{}, EventKind::probe, Instant{5s});
    history.put_off(2, (Instant::max)());
    history.write_successes(Here{}, Instant{8s});
    CHECK(all(history).empty());
    CHECK(BreakerHistory{3}.keeps_any());
    CHECK(BreakerHistory{3}.size() == 3);
}

} // namespace tests::guard_detail_breaker_history
