// SPDX-License-Identifier: MIT
#include <dashpot/guard/detail/breaker_core.hpp>

#include <dashpot/policy/consecutive_failures.hpp>
#include <dashpot/testing/manual_clock.hpp>
#include <dashpot/testing/transition_recorder.hpp>

#include "catch.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <stdexcept>

namespace tests::guard_detail_breaker_core {

using namespace std::chrono_literals;
using dashpot::Error;
using dashpot::Instant;
using dashpot::Outcome;
using dashpot::Reason;
using dashpot::State;
using dashpot::testing::ManualClock;
using Core = dashpot::detail::BreakerCore<ManualClock, dashpot::ConsecutiveFailures>;

namespace {

struct Rig {
    bool answer(std::uint64_t generation, Outcome outcome) {
        return core.answer(generation, outcome, {});
    }

    ManualClock clock{Instant{100s}};
    Core core{{.threshold = 2}, {.reset_timeout = 10s}, clock};
};

} // namespace

TEST_CASE("BreakerCore: publishes generation, state and quiet at once", "[guard]") {
    Rig rig;
    CHECK(rig.core.word().generation() == 1);
    CHECK(rig.core.word().is_closed_and_quiet());
    CHECK(rig.answer(1, Outcome::failure));
    CHECK(rig.core.word().is_closed());
    CHECK_FALSE(rig.core.word().is_closed_and_quiet()); // a success would end a run
    CHECK(rig.answer(1, Outcome::success));
    CHECK(rig.core.word().is_closed_and_quiet());
    rig.core.trip();
    CHECK(rig.core.word().state() == State::open);
    CHECK(rig.core.word().generation() == 2);
    rig.core.command(State::closed, Reason::reset);
    CHECK(rig.core.word().is_closed_and_quiet());
    CHECK(rig.core.word().generation() == 3);
}

TEST_CASE("BreakerCore: admits in CLOSED under the word that it publishes", "[guard]") {
    Rig rig;
    const auto admission = rig.core.admit(false);
    CHECK_FALSE(admission.was_refused());
}

TEST_CASE("BreakerCore: says why it refuses", "[guard]") {
    Rig rig;
    rig.core.trip();
    rig.clock.advance(4s);
    const auto open = rig.core.admit(false);
    CHECK(open.reason == Error::circuit_open);
    CHECK(open.retry_after == 6s);
    CHECK(open.word.state() == State::open);
    rig.clock.advance(6s);
    const auto probe = rig.core.admit(false);
    CHECK_FALSE(probe.was_refused());
    CHECK(probe.word.state() == State::half_open);
    CHECK(rig.core.admit(false).reason == Error::probes_in_flight);
    rig.core.command(State::forced_open, Reason::force_open);
    CHECK(rig.core.admit(false).reason == Error::circuit_open);
    CHECK(rig.core.snapshot().refused == 3);
}

TEST_CASE("BreakerCore: lets through again as soon as a probe is given back", "[guard]") {
    Rig rig;
    rig.core.trip();
    rig.clock.advance(10s);
    const auto probe = rig.core.admit(false);
    CHECK(rig.core.admit(false).was_refused());
    rig.core.release(probe.word.generation());
    CHECK(rig.core.snapshot().ignored == 0);
    CHECK_FALSE(rig.core.admit(false).was_refused());
    CHECK(rig.answer(probe.word.generation(), Outcome::ignored));
    CHECK(rig.core.snapshot().ignored == 1);
    CHECK_FALSE(rig.core.admit(false).was_refused());
}

TEST_CASE("BreakerCore: an answer from another generation is dropped, before and after", "[guard]") {
    Rig rig;
    for (const Outcome outcome : {Outcome::success, Outcome::failure, Outcome::ignored}) {
        CHECK_FALSE(rig.answer(2, outcome));
        CHECK_FALSE(rig.answer(99, outcome));
    }
    CHECK(rig.core.snapshot().calls == 0);
    CHECK(rig.core.snapshot().ignored == 0);
    rig.core.release(2);
    CHECK(rig.answer(1, Outcome::failure));
}

TEST_CASE("BreakerCore: an answer of any generation counts where it arrives", "[guard]") {
    Rig rig;
    CHECK(rig.answer(Core::any_generation, Outcome::failure));
    CHECK(rig.answer(Core::any_generation, Outcome::failure));
    CHECK(rig.core.word().state() == State::open);
    CHECK_FALSE(rig.answer(Core::any_generation, Outcome::success));
    rig.clock.advance(10s);
    CHECK_FALSE(rig.core.admit(true).was_refused());
    CHECK(rig.answer(Core::any_generation, Outcome::success));
    CHECK(rig.core.word().state() == State::closed);
}

TEST_CASE("BreakerCore: retry_after and the snapshot's say the same", "[guard]") {
    Rig rig;
    CHECK(rig.core.retry_after() == 0ns);
    rig.core.trip();
    for (const auto step : {0s, 3s, 7s, 100s}) {
        rig.clock.advance(step);
        CHECK(rig.core.retry_after() == rig.core.snapshot().retry_after);
    }
    rig.clock.set(Instant{-100s});
    CHECK(rig.core.retry_after() == 10s);
    CHECK(rig.core.snapshot().retry_after == 10s);
}

TEST_CASE("BreakerCore: an event carries the time of its cause", "[guard]") {
    Rig rig;
    dashpot::testing::TransitionRecorder heard;
    const auto subscription = rig.core.subscribe(std::ref(heard));
    CHECK(rig.answer(1, Outcome::failure));
    rig.clock.advance(5s);
    CHECK(rig.answer(1, Outcome::failure));
    rig.clock.advance(1s);
    REQUIRE(heard.entries().size() == 1);
    CHECK(heard.entries()[0].transition.snapshot.retry_after == 10s);
}

TEST_CASE("BreakerCore: refuses the options that its parts refuse", "[guard]") {
    CHECK_THROWS_AS((Core{{.threshold = 0}, {}, ManualClock{}}), std::invalid_argument);
    CHECK_THROWS_AS((Core{{}, {.reset_timeout = 0s}, ManualClock{}}), std::invalid_argument);
}

TEST_CASE("BreakerCore: keeps the word that all read off the line of the lock that writers take",
          "[guard]") {
    STATIC_REQUIRE(alignof(Core) == dashpot::detail::cache_line);
    STATIC_REQUIRE(sizeof(Core) >= 2 * dashpot::detail::cache_line);
}

namespace {

/// The last slot, which another caller takes between the look at it and the attempt to take it.
struct LostSlot {
    [[nodiscard]] bool take() const noexcept { return false; }
    template <class F>
    [[nodiscard]] bool take_after(F&& f) const noexcept {
        f();
        return take();
    }
    [[nodiscard]] bool is_none_left() const noexcept { return false; }
    void count_refused() const noexcept { FAIL("its own attempt counts"); }
};

} // namespace

TEST_CASE("BreakerCore: a caller that loses its slot under the lock leaves the breaker as it was",
          "[guard]") {
    Rig rig;
    rig.core.trip();
    rig.clock.advance(10s);
    for (int i = 0; i != 3; ++i) {
        const auto admission = rig.core.admit(false, LostSlot{});
        CHECK(admission.reason == Error::bulkhead_full);
        CHECK_FALSE(admission.retry_after.has_value());
        CHECK(admission.word.state() == State::open);
    }
    CHECK(rig.core.word().generation() == 2);
    CHECK(rig.core.snapshot().refused == 0);
    CHECK_FALSE(rig.core.admit(false).was_refused());
    CHECK(rig.core.admit(false, LostSlot{}).reason ==
          Error::probes_in_flight); // the breaker's comes first
    CHECK(rig.core.snapshot().probes_in_flight == 1);
    rig.core.command(State::disabled, Reason::disable);
    CHECK(rig.core.admit(false, LostSlot{}).reason == Error::bulkhead_full);
}

} // namespace tests::guard_detail_breaker_core
