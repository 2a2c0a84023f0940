// SPDX-License-Identifier: MIT
#include <dashpot/pipeline/detail/passage.hpp>
#include <dashpot/testing/manual_clock.hpp>

#include "catch.hpp"

#include <chrono>

namespace tests::pipeline_detail_passage {

using namespace std::chrono_literals;
using dashpot::Deadline;
using dashpot::Error;
using dashpot::Instant;
using dashpot::Timeout;
using dashpot::detail::Ending;
using dashpot::detail::HeldPermit;
using dashpot::detail::Move;
using dashpot::detail::Passage;
using dashpot::detail::PassageScope;
using dashpot::detail::Pause;
using dashpot::detail::Site;
using dashpot::detail::TimeoutStage;
using dashpot::detail::Travel;
using dashpot::testing::ManualClock;

TEST_CASE("PassageTest: ATimeoutShortensTheDeadlineAndRefusesAtIt") {
    ManualClock clock;
    Ending ending;
    PassageScope<ManualClock> scope{};
    scope.clock = &clock;
    scope.ending = &ending;
    scope.deadline = Deadline{Instant{10ms}};
    PassageScope<ManualClock> inner = scope;
    Travel<int> travel;
    Pause pause;
    const Site<int, ManualClock> site{scope, inner, travel, pause};
    const TimeoutStage stage{Timeout{4ms}};
    Passage<TimeoutStage, int, ManualClock> passage{stage};
    CHECK(passage.enter(site) == Move::inwards);
    CHECK(inner.deadline == Deadline{Instant{4ms}});
    CHECK(passage.leave(site) == Move::outwards);
    clock.advance(10ms);
    CHECK(passage.enter(site) == Move::outwards);
    CHECK(travel.result->error() == Error::deadline_exceeded);
    CHECK(ending.was_refused());
}

TEST_CASE("PassageTest: APermitThatCannotBeMovedIsHeld") {
    struct Fixed {
        explicit Fixed(int& its_count) : count{its_count} { ++count; }
        Fixed(const Fixed&) = delete;
        Fixed& operator=(const Fixed&) = delete;
        ~Fixed() { --count; }
        int& count;
    };
    int count = 0;
    {
        HeldPermit<Fixed> held;
        CHECK_FALSE(held.is_held());
        held.take([&] { return Fixed{count}; });
        held.take([&] { return Fixed{count}; });
        CHECK(count == 1);
        CHECK(held.is_held());
    }
    CHECK(count == 0);
}

} // namespace tests::pipeline_detail_passage
