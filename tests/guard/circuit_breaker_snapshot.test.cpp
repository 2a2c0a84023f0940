// SPDX-License-Identifier: MIT
#include <dashpot/guard/circuit_breaker.hpp>
#include <dashpot/testing/transition_recorder.hpp>

#include "guard/breaker_support.hpp"

#include <chrono>
#include <functional>
#include <utility>

namespace tests::guard_circuit_breaker_snapshot {

using namespace std::chrono_literals;
using namespace support;
using dashpot::Instant;
using dashpot::Snapshot;
using dashpot::State;

namespace {

struct Rig {
    ManualClock clock{Instant{1000s}};
    Breaker breaker{{.threshold = 3},
                    {.reset_timeout = 10s, .half_open = {.probes = 3, .successes_to_close = 2}},
                    clock};

    void open() { fail(breaker, 3); }
    void half_open() {
        open();
        clock.advance(10s);
        breaker.try_acquire().release();
    }
};

} // namespace

TEST_CASE("snapshot: in CLOSED shows the run of failures", "[guard]") {
    Rig rig;
    rig.clock.advance(1s);
    succeed(rig.breaker, 5);
    CHECK(rig.breaker.snapshot().calls == 0);
    fail(rig.breaker, 2);
    const Snapshot seen = rig.breaker.snapshot();
    CHECK(seen.state == State::closed);
    CHECK(seen.generation == 1);
    CHECK(seen.calls == 2);
    CHECK(seen.failures == 2);
    CHECK(seen.slow == 0);
    CHECK_FALSE(seen.failure_rate.has_value());
    CHECK_FALSE(seen.slow_rate.has_value());
    CHECK(seen.probes_in_flight == 0);
    CHECK(seen.since == Instant{1000s});
    CHECK_FALSE(seen.opened_at.has_value());
    CHECK(seen.retry_after == 0ns);
    succeed(rig.breaker);
    CHECK(rig.breaker.snapshot().calls == 0);
}

TEST_CASE("snapshot: in OPEN keeps the numbers that opened it", "[guard]") {
    Rig rig;
    rig.clock.advance(5s);
    rig.open();
    Permit late = rig.breaker.try_acquire();
    for (const auto passed : {0s, 4s, 100s}) {
        rig.clock.set(Instant{1005s} + passed);
        const Snapshot seen = rig.breaker.snapshot();
        CHECK(seen.state == State::open);
        CHECK(seen.generation == 2);
        CHECK(seen.calls == 3);
        CHECK(seen.failures == 3);
        CHECK(seen.probes_in_flight == 0);
        CHECK(seen.since == Instant{1005s});
        CHECK(seen.opened_at == Instant{1005s});
        CHECK(seen.retry_after == (passed < 10s ? 10s - passed : 0s));
    }
}

TEST_CASE("snapshot: in OPEN by command keeps the numbers of the moment", "[guard]") {
    Rig rig;
    fail(rig.breaker, 2);
    rig.breaker.trip();
    CHECK(rig.breaker.snapshot().failures == 2);
    rig.breaker.force_open();
    CHECK(rig.breaker.snapshot().failures == 2);
    rig.breaker.reset();
    CHECK(rig.breaker.snapshot().failures == 0);
    fail(rig.breaker);
    rig.breaker.force_open();
    CHECK(rig.breaker.snapshot().failures == 1);
    CHECK(rig.breaker.snapshot().calls == 1);
}

TEST_CASE("snapshot: in HALF_OPEN shows the probes", "[guard]") {
    Rig rig;
    rig.half_open();
    Snapshot seen = rig.breaker.snapshot();
    CHECK(seen.state == State::half_open);
    CHECK(seen.calls == 0);
    CHECK(seen.failures == 0);
    CHECK(seen.probes_in_flight == 0);
    CHECK(seen.since == Instant{1010s});
    CHECK(seen.opened_at == Instant{1000s});
    CHECK(seen.retry_after == 0ns);

    Permit one = rig.breaker.try_acquire();
    Permit other = rig.breaker.try_acquire();
    CHECK(rig.breaker.snapshot().probes_in_flight == 2);
    CHECK(one.failure());
    seen = rig.breaker.snapshot();
    CHECK(seen.calls == 1);
    CHECK(seen.failures == 1);
    CHECK(seen.probes_in_flight == 1);
    CHECK(other.success());
    seen = rig.breaker.snapshot();
    CHECK(seen.calls == 2);
    CHECK(seen.failures == 1);
    CHECK(seen.probes_in_flight == 0);
}

TEST_CASE("snapshot: in OPEN again shows the probes that failed", "[guard]") {
    Rig rig;
    rig.half_open();
    Permit out = rig.breaker.try_acquire();
    rig.clock.advance(2s);
    fail(rig.breaker, 2);
    const Snapshot seen = rig.breaker.snapshot();
    CHECK(seen.state == State::open);
    CHECK(seen.calls == 2);
    CHECK(seen.failures == 2);
    CHECK(seen.probes_in_flight == 0);
    CHECK(seen.opened_at == Instant{1012s});
    CHECK(seen.retry_after == 10s);
}

TEST_CASE("snapshot: is empty after closing", "[guard]") {
    Rig rig;
    rig.half_open();
    rig.clock.advance(1s);
    succeed(rig.breaker, 2);
    const Snapshot seen = rig.breaker.snapshot();
    CHECK(seen.state == State::closed);
    CHECK(seen.generation == 4);
    CHECK(seen.calls == 0);
    CHECK(seen.failures == 0);
    CHECK(seen.since == Instant{1011s});
    CHECK_FALSE(seen.opened_at.has_value());
}

TEST_CASE("snapshot: shows nothing while disabled", "[guard]") {
    Rig rig;
    fail(rig.breaker, 2);
    rig.breaker.disable();
    CHECK(rig.breaker.snapshot().calls == 0);
    CHECK(rig.breaker.snapshot().failures == 0);
    rig.breaker.force_open();
    CHECK(rig.breaker.snapshot().failures == 0);
}

TEST_CASE("snapshot: counts refusals over the breaker's life, in every state that refuses", "[guard]") {
    Rig rig;
    CHECK(rig.breaker.snapshot().refused == 0);
    rig.open();
    (void)rig.breaker.allow();
    (void)rig.breaker.try_acquire();
    CHECK(rig.breaker.snapshot().refused == 2);
    rig.clock.advance(10s);
    {
        const Permit probes[] = {rig.breaker.try_acquire(), rig.breaker.try_acquire(),
                                 rig.breaker.try_acquire()};
        CHECK(rig.breaker.snapshot().refused == 2);
        (void)rig.breaker.allow();
        (void)rig.breaker.call([] {});
        CHECK(rig.breaker.snapshot().refused == 4);
    }
    rig.breaker.force_open();
    (void)rig.breaker.allow();
    CHECK(rig.breaker.snapshot().refused == 5);
    rig.breaker.reset();
    (void)rig.breaker.allow();
    CHECK(rig.breaker.snapshot().refused == 5);
}

TEST_CASE("snapshot: counts ignored calls over the breaker's life", "[guard]") {
    Rig rig;
    CHECK(rig.breaker.try_acquire().ignore());
    rig.breaker.record_ignored();
    { const Permit dropped = rig.breaker.try_acquire(); }
    CHECK(rig.breaker.snapshot().ignored == 3);
    rig.breaker.reset();
    CHECK(rig.breaker.snapshot().ignored == 3);
}

TEST_CASE("snapshot: is a pure read", "[guard]") {
    Rig rig;
    dashpot::testing::TransitionRecorder heard;
    const auto subscription = rig.breaker.on_transition(std::ref(heard));
    rig.open();
    rig.clock.advance(1000s);
    for (int i = 0; i != 5; ++i) {
        CHECK(std::as_const(rig.breaker).snapshot().state == State::open);
        CHECK(std::as_const(rig.breaker).state() == State::open);
    }
    CHECK(rig.breaker.snapshot().refused == 0);
    CHECK(heard.path() == "CLOSED->OPEN");
    CHECK(rig.breaker.allow());
}

TEST_CASE("snapshot: travels in the event as the breaker is right after it", "[guard]") {
    Rig rig;
    dashpot::testing::TransitionRecorder heard;
    const auto subscription = rig.breaker.on_transition(std::ref(heard));
    rig.open();
    rig.clock.advance(10s);
    succeed(rig.breaker, 2);
    const auto events = heard.entries();
    REQUIRE(events.size() == 3);

    const auto& opened = events[0].transition;
    CHECK(opened.snapshot.state == State::open);
    CHECK(opened.snapshot.calls == 3);
    CHECK(opened.snapshot.failures == 3);
    CHECK(opened.snapshot.retry_after == 10s);
    CHECK(opened.snapshot.opened_at == opened.at);

    const auto& probing = events[1].transition;
    CHECK(probing.snapshot.state == State::half_open);
    CHECK(probing.snapshot.calls == 0);
    CHECK(probing.snapshot.probes_in_flight == 1); // the caller that moved it is the first
    CHECK(probing.at == Instant{1010s});

    const auto& closed = events[2].transition;
    CHECK(closed.snapshot.state == State::closed);
    CHECK(closed.snapshot.calls == 0);
    for (const auto& entry : events) {
        CHECK(entry.transition.snapshot.generation == entry.transition.generation);
        CHECK(entry.transition.snapshot.since == entry.transition.at);
    }
}

} // namespace tests::guard_circuit_breaker_snapshot
