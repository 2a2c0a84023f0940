// SPDX-License-Identifier: MIT
#include <dashpot/guard/circuit_breaker.hpp>
#include <dashpot/testing/transition_recorder.hpp>

#include "guard/breaker_support.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

namespace tests::guard_circuit_breaker_half_open {

using namespace std::chrono_literals;
using namespace support;
using dashpot::Error;
using dashpot::HalfOpen;
using dashpot::State;
using dashpot::testing::TransitionRecorder;

namespace {

/// A breaker that is OPEN with its wait of ten seconds over: the next caller probes.
struct Due {
    explicit Due(HalfOpen half_open)
        : breaker{{.threshold = 1}, {.reset_timeout = 10s, .half_open = half_open}, clock} {
        fail(breaker);
        clock.advance(10s);
    }

    std::vector<Permit> take(int count) {
        std::vector<Permit> permits;
        for (int i = 0; i != count; ++i) {
            permits.push_back(breaker.try_acquire());
            REQUIRE(permits.back());
        }
        return permits;
    }

    ManualClock clock;
    Breaker breaker;
};

} // namespace

TEST_CASE("HALF_OPEN: hands out as many probes as it has and not one more", "[guard]") {
    for (const std::uint32_t probes : {1U, 2U, 3U, 10U}) {
        Due due{{.probes = probes}};
        std::uint32_t granted = 0;
        std::vector<Permit> held;
        for (int i = 0; i != 40; ++i) {
            held.push_back(due.breaker.try_acquire());
            granted += held.back() ? 1U : 0U;
        }
        CHECK(granted == probes);
        CHECK(due.breaker.snapshot().probes_in_flight == probes);
        CHECK(held.back().refusal().reason == Error::probes_in_flight);
        CHECK_FALSE(held.back().refusal().retry_after.has_value());
    }
}

TEST_CASE("HALF_OPEN: an answered probe does not make room for another", "[guard]") {
    Due due{{.probes = 2, .successes_to_close = 2}};
    auto probes = due.take(2);
    CHECK(probes[0].success());
    CHECK_FALSE(due.breaker.allow());
    CHECK(due.breaker.state() == State::half_open);
    CHECK(probes[1].success());
    CHECK(due.breaker.state() == State::closed);
}

TEST_CASE("HALF_OPEN: closes at the last success asked for, not before", "[guard]") {
    for (const std::uint32_t probes : {1U, 2U, 3U}) {
        Due due{{.probes = probes}};
        for (std::uint32_t i = 1; i != probes; ++i) {
            succeed(due.breaker);
            CHECK(due.breaker.state() == State::half_open);
        }
        succeed(due.breaker);
        CHECK(due.breaker.state() == State::closed);
    }
}

TEST_CASE("HALF_OPEN: probes that are assigned must all succeed, as probes that are initialized",
          "[guard]") {
    for (const std::uint32_t probes : {1U, 2U, 5U}) {
        HalfOpen options;
        options.probes = probes;
        Due due{options};
        for (std::uint32_t i = 1; i != probes; ++i) {
            succeed(due.breaker);
            CHECK(due.breaker.state() == State::half_open);
        }
        succeed(due.breaker);
        CHECK(due.breaker.state() == State::closed);
    }
}

TEST_CASE("HALF_OPEN: opens again at the first failure when every probe must succeed", "[guard]") {
    for (const std::uint32_t probes : {1U, 2U, 3U}) {
        Due due{{.probes = probes}};
        for (std::uint32_t i = 1; i != probes; ++i) succeed(due.breaker);
        due.clock.advance(5s);
        fail(due.breaker);
        CHECK(due.breaker.state() == State::open);
        CHECK(due.breaker.retry_after() == 10s);
    }
}

TEST_CASE("HALF_OPEN: two successes of three probes close, whatever the third says", "[guard]") {
    constexpr HalfOpen two_of_three{.probes = 3, .successes_to_close = 2};
    {
        Due due{two_of_three};
        succeed(due.breaker, 2);
        CHECK(due.breaker.state() == State::closed);
    }
    {
        Due due{two_of_three};
        fail(due.breaker);
        CHECK(due.breaker.state() == State::half_open);
        succeed(due.breaker);
        CHECK(due.breaker.state() == State::half_open);
        succeed(due.breaker);
        CHECK(due.breaker.state() == State::closed);
    }
}

TEST_CASE("HALF_OPEN: opens again as soon as enough successes are out of reach", "[guard]") {
    {
        Due due{{.probes = 3, .successes_to_close = 2}};
        auto probes = due.take(3);
        CHECK(probes[0].failure());
        CHECK(due.breaker.state() == State::half_open);
        CHECK(probes[1].failure());
        CHECK(due.breaker.state() == State::open); // the third is still out
        CHECK_FALSE(probes[2].success());
        CHECK(due.breaker.state() == State::open);
    }
    {
        Due due{{.probes = 3, .successes_to_close = 1}};
        fail(due.breaker, 2);
        CHECK(due.breaker.state() == State::half_open);
        fail(due.breaker);
        CHECK(due.breaker.state() == State::open);
    }
}

TEST_CASE("HALF_OPEN: one success of three probes closes at once", "[guard]") {
    Due due{{.probes = 3, .successes_to_close = 1}};
    auto probes = due.take(3);
    CHECK(probes[2].success());
    CHECK(due.breaker.state() == State::closed);
    CHECK_FALSE(probes[0].failure()); // too late to matter
    CHECK(due.breaker.state() == State::closed);
    CHECK(due.breaker.snapshot().failures == 0);
}

TEST_CASE("HALF_OPEN: a sibling's success after the failed probe does not close", "[guard]") {
    Due due{{.probes = 2, .successes_to_close = 2}};
    auto probes = due.take(2);
    CHECK(probes[0].failure());
    due.clock.advance(4s);
    CHECK_FALSE(probes[1].success());
    CHECK(due.breaker.state() == State::open);
    CHECK(due.breaker.retry_after() == 6s);
}

TEST_CASE("HALF_OPEN: the threshold of the closed state plays no part", "[guard]") {
    ManualClock clock;
    Breaker breaker{{.threshold = 100}, {.reset_timeout = 10s}, clock};
    fail(breaker, 100);
    clock.advance(10s);
    fail(breaker);
    CHECK(breaker.state() == State::open);
    clock.advance(10s);
    succeed(breaker);
    CHECK(breaker.state() == State::closed);
}

TEST_CASE("HALF_OPEN: a call from before it opened does not vote", "[guard]") {
    ManualClock clock;
    Breaker breaker{{.threshold = 1}, {.reset_timeout = 10s}, clock};
    Permit old_success = breaker.try_acquire();
    Permit old_failure = breaker.try_acquire();
    Permit old_dropped = breaker.try_acquire();
    fail(breaker);
    clock.advance(10s);
    Permit probe = breaker.try_acquire();
    CHECK_FALSE(old_success.success());
    CHECK_FALSE(old_failure.failure());
    { const Permit dropped = std::move(old_dropped); }
    CHECK(breaker.state() == State::half_open);
    CHECK_FALSE(breaker.allow()); // nor did it give a slot back
    CHECK(probe.success());
    CHECK(breaker.state() == State::closed);
}

TEST_CASE("HALF_OPEN: a probe of an earlier period does not answer for this one", "[guard]") {
    Due due{{.probes = 2, .successes_to_close = 2}};
    auto first = due.take(2);
    CHECK(first[0].failure());
    due.clock.advance(10s);
    Permit second = due.breaker.try_acquire();
    CHECK_FALSE(first[1].success());
    first.clear();
    CHECK(due.breaker.snapshot().probes_in_flight == 1);
    CHECK(due.breaker.snapshot().calls == 0);
    CHECK(second.success());
    CHECK(due.breaker.state() == State::half_open);
}

TEST_CASE("HALF_OPEN: an unanswered probe is waited for as long as the reset timeout", "[guard]") {
    Due due{{}};
    Permit lost = due.breaker.try_acquire();
    due.clock.advance(10s - 1ns);
    CHECK_FALSE(due.breaker.allow());
    due.clock.advance(1ns);
    Permit next = due.breaker.try_acquire();
    CHECK(next);
    CHECK_FALSE(lost.success());
    CHECK(due.breaker.state() == State::half_open);
    CHECK(next.success());
    CHECK(due.breaker.state() == State::closed);
}

TEST_CASE("HALF_OPEN: an unanswered probe is waited for as long as the probe timeout says", "[guard]") {
    for (const auto timeout : {std::chrono::nanoseconds{1ns}, std::chrono::nanoseconds{30s}}) {
        Due due{{.probe_timeout = timeout}};
        const Permit lost = due.breaker.try_acquire();
        CHECK_FALSE(due.breaker.allow());
        due.clock.advance(timeout - 1ns);
        CHECK_FALSE(due.breaker.allow());
        due.clock.advance(1ns);
        CHECK(due.breaker.allow());
    }
}

TEST_CASE("HALF_OPEN: the probe timeout runs from the last grant", "[guard]") {
    Due due{{.probes = 2}};
    const Permit first = due.breaker.try_acquire();
    due.clock.advance(9s);
    const Permit second = due.breaker.try_acquire();
    due.clock.advance(10s - 1ns);
    CHECK_FALSE(due.breaker.allow());
    due.clock.advance(1ns);
    CHECK(due.breaker.allow());
}

TEST_CASE("HALF_OPEN: no period is given up while a probe is still to be had", "[guard]") {
    Due due{{.probes = 2}};
    Permit first = due.breaker.try_acquire();
    const auto generation = due.breaker.snapshot().generation;
    due.clock.advance(1000s);
    Permit second = due.breaker.try_acquire();
    CHECK(due.breaker.snapshot().generation == generation);
    CHECK(first.success());
    CHECK(second.success());
    CHECK(due.breaker.state() == State::closed);
}

TEST_CASE("HALF_OPEN: a fresh period starts with all its probes, a new generation and no event",
          "[guard]") {
    Due due{{.probes = 2}};
    TransitionRecorder heard;
    auto lost = due.take(2);
    CHECK(lost[0].success());
    const auto subscription = due.breaker.on_transition(std::ref(heard));
    const auto before = due.breaker.snapshot();
    due.clock.advance(10s);
    auto fresh = due.take(2);
    const auto after = due.breaker.snapshot();
    CHECK(after.generation == before.generation + 1);
    CHECK(after.state == State::half_open);
    CHECK(after.calls == 0);
    CHECK(after.probes_in_flight == 2);
    CHECK(fresh[0].generation() == after.generation);
    CHECK_FALSE(lost[1].failure());
    CHECK(heard.entries().empty());
    CHECK(fresh[0].success());
    CHECK(fresh[1].success());
    CHECK(heard.path() == "HALF_OPEN->CLOSED");
}

namespace {

/// Takes and loses all probes of a period, and waits until the next begins: taking its probes shows
/// that `timeout` was long enough. @return true if no shorter wait was
bool gives_up_after(Due& due, std::chrono::nanoseconds timeout, std::vector<Permit>& lost,
                    int probes = 1) {
    for (Permit& probe : due.take(probes)) lost.push_back(std::move(probe));
    due.clock.advance(timeout - 1ns);
    const bool is_early = static_cast<bool>(due.breaker.try_acquire());
    due.clock.advance(1ns);
    return !is_early;
}

} // namespace

TEST_CASE("HALF_OPEN: each period in a row waits twice as long for its probes, up to ten minutes",
          "[guard]") {
    const int probes = GENERATE(1, 3);
    Due due{{.probes = static_cast<std::uint32_t>(probes)}};
    std::vector<Permit> lost;
    for (const auto timeout : {10s, 20s, 40s, 80s, 160s, 320s, 600s, 600s, 600s}) {
        CAPTURE(timeout.count());
        CHECK(gives_up_after(due, timeout, lost, probes));
    }
    for (Permit& probe : due.take(probes)) CHECK(probe.success());
    CHECK(due.breaker.state() == State::closed);
}

TEST_CASE("HALF_OPEN: a target slower than the reset timeout is recorded in the end", "[guard]") {
    const auto answers_after = GENERATE(11s, 39s, 599s);
    Due due{{}};
    std::vector<Permit> lost;
    for (auto timeout = 10s; timeout < answers_after; timeout *= 2)
        REQUIRE(gives_up_after(due, timeout, lost));
    Permit probe = due.breaker.try_acquire();
    due.clock.advance(answers_after);
    for (Permit& late : lost) CHECK_FALSE(late.success());
    CHECK(probe.success());
    CHECK(due.breaker.state() == State::closed);
}

TEST_CASE("HALF_OPEN: an answer that decides nothing does not make the next period shorter",
          "[guard]") {
    Due due{{.probes = 2}};
    auto first = due.take(2);
    CHECK(first[0].success()); // the target is healthy; the other probe is slow
    due.clock.advance(10s);
    std::vector<Permit> lost;
    CHECK(gives_up_after(due, 20s, lost, 2));
    CHECK(gives_up_after(due, 40s, lost, 2));
}

TEST_CASE("HALF_OPEN: periods with a given probe timeout do not make the default longer", "[guard]") {
    Due due{{.probe_timeout = 1s}};
    std::vector<Permit> lost;
    for (int period = 0; period != 4; ++period) REQUIRE(gives_up_after(due, 1s, lost));
    due.breaker.reconfigure({.threshold = 1}, {.reset_timeout = 10s});
    CHECK(gives_up_after(due, 10s, lost));
    CHECK(gives_up_after(due, 20s, lost));
}

TEST_CASE("HALF_OPEN: the probe timeout starts over with the next wait in OPEN", "[guard]") {
    Due due{{}};
    std::vector<Permit> lost;
    CHECK(gives_up_after(due, 10s, lost));
    CHECK(gives_up_after(due, 20s, lost));
    SECTION("by a probe that fails") { fail(due.breaker); }
    SECTION("by a probe that succeeds, and another opening") {
        succeed(due.breaker);
        fail(due.breaker);
    }
    SECTION("by a command") { due.breaker.trip(); }
    REQUIRE(due.breaker.state() == State::open);
    due.clock.advance(10s);
    CHECK(gives_up_after(due, 10s, lost));
    CHECK(gives_up_after(due, 20s, lost));
}

TEST_CASE("HALF_OPEN: a reset timeout beyond ten minutes is the probe timeout of every period",
          "[guard]") {
    for (const auto wait : {std::chrono::nanoseconds{10min}, std::chrono::nanoseconds{10min} + 1ns,
                            std::chrono::nanoseconds{48h}}) {
        ManualClock clock;
        Breaker breaker{{.threshold = 1}, {.reset_timeout = wait}, clock};
        fail(breaker);
        std::vector<Permit> lost;
        for (int period = 0; period != 3; ++period) {
            clock.advance(wait - 1ns);
            CHECK_FALSE(breaker.allow());
            clock.advance(1ns);
            lost.push_back(breaker.try_acquire());
            CHECK(lost.back());
        }
    }
}

TEST_CASE("HALF_OPEN: periods are given up one after another for as long as no probe answers",
          "[guard]") {
    Due due{{.probe_timeout = 10s}};
    std::vector<Permit> lost;
    for (int i = 0; i != 50; ++i) {
        lost.push_back(due.breaker.try_acquire());
        CHECK(lost.back());
        due.clock.advance(10s - 1ns);
        CHECK_FALSE(due.breaker.allow()); // one that was given stays as given
        due.clock.advance(1ns);
    }
    lost.clear(); // dropping them all gives nothing back to the period under way
    Permit last = due.breaker.try_acquire();
    CHECK(last);
    CHECK_FALSE(due.breaker.allow());
    CHECK(last.failure());
    CHECK(due.breaker.state() == State::open);
}

TEST_CASE("HALF_OPEN: a probe timeout of forever waits forever", "[guard]") {
    Due due{{.probe_timeout = (std::chrono::hours::max)()}};
    Permit probe = due.breaker.try_acquire();
    due.clock.advance(24h * 365 * 200);
    CHECK_FALSE(due.breaker.allow());
    CHECK(probe.success());
    CHECK(due.breaker.state() == State::closed);
}

} // namespace tests::guard_circuit_breaker_half_open
