// SPDX-License-Identifier: MIT
// What a breaker remembers of what it was told and decided.
#include <dashpot/guard/circuit_breaker.hpp>
#include <dashpot/policy/count_window.hpp>
#include <dashpot/policy/time_window.hpp>

#include "guard/breaker_support.hpp"

#include <chrono>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

namespace tests::guard_circuit_breaker_history {

using namespace std::chrono_literals;
using namespace support;
using dashpot::BreakerEvent;
using dashpot::BreakerOptions;
using dashpot::CircuitBreaker;
using dashpot::ConsecutiveFailures;
using dashpot::CountWindow;
using dashpot::EventKind;
using dashpot::Instant;
using dashpot::Reason;
using dashpot::SlowCalls;
using dashpot::State;
using dashpot::TimeWindow;

namespace {

template <class P>
struct Rig {
    explicit Rig(const P& policy, const BreakerOptions& options = {.reset_timeout = 10s, .history = 64})
        : breaker{policy, options, clock} {}

    /// What happened, each as "kind" or "kind x count".
    std::string path() const {
        std::string text;
        for (const BreakerEvent& event : breaker.history()) {
            if (!text.empty()) text += ' ';
            text += to_string(event.kind);
            if (event.count != 1) text += " x " + std::to_string(event.count);
        }
        return text;
    }
    BreakerEvent latest() const { return breaker.history().back(); }

    ManualClock clock{Instant{100s}};
    CircuitBreaker<ManualClock, P> breaker;
};

} // namespace

TEST_CASE("history: without room there is none", "[guard]") {
    Rig<ConsecutiveFailures> rig{{.threshold = 1}, {}};
    fail(rig.breaker);
    CHECK(rig.breaker.history().empty());
}

TEST_CASE("history: has each outcome and each transition, when and with which numbers", "[guard]") {
    Rig<ConsecutiveFailures> rig{{.threshold = 2}};
    fail(rig.breaker);
    rig.clock.advance(1s);
    fail(rig.breaker);
    const auto events = rig.breaker.history();
    REQUIRE(events.size() == 3);
    CHECK(events[0] == BreakerEvent{.number = 0,
                                    .at = Instant{100s},
                                    .generation = 1,
                                    .kind = EventKind::failure,
                                    .calls = 1,
                                    .failures = 1});
    CHECK(events[1] == BreakerEvent{.number = 1,
                                    .at = Instant{101s},
                                    .generation = 1,
                                    .kind = EventKind::failure,
                                    .calls = 2,
                                    .failures = 2});
    CHECK(events[2] == BreakerEvent{.number = 2,
                                    .at = Instant{101s},
                                    .generation = 2,
                                    .kind = EventKind::transition,
                                    .from = State::closed,
                                    .to = State::open,
                                    .reason = Reason::consecutive_failures,
                                    .calls = 2,
                                    .failures = 2});
}

TEST_CASE("history: keeps as many of the last events as it has room for", "[guard]") {
    Rig<ConsecutiveFailures> rig{{.threshold = 100}, {.history = 3}};
    fail(rig.breaker, 10);
    const auto events = rig.breaker.history();
    REQUIRE(events.size() == 3);
    CHECK(events[0].number == 7);
    CHECK(events[2].calls == 10);
}

TEST_CASE("history: successes that change nothing are not in it", "[guard]") {
    Rig<ConsecutiveFailures> rig{{.threshold = 3}};
    succeed(rig.breaker, 9);
    fail(rig.breaker);
    succeed(rig.breaker, 9); // the first ends the run
    CHECK(rig.path() == "failure successes");
}

TEST_CASE("history: successes that waited are one event, before what comes after them", "[guard]") {
    Rig<CountWindow> rig{{.size = 50, .minimum_calls = 5}};
    for (int i = 0; i != 20; ++i) rig.breaker.record_success();
    rig.clock.advance(1s);
    rig.breaker.record_failure();
    CHECK(rig.path() == "successes x 20 failure"); // the first, which opened the stripe, is one of them
    CHECK(rig.breaker.history()[0].calls == 20);
    CHECK(rig.breaker.history()[0].at == Instant{101s});
    for (int i = 0; i != 4; ++i) rig.breaker.record_success();
    CHECK(rig.latest().count == 4); // a reader sees all of them
    CHECK(rig.latest().number == 2);
}

TEST_CASE("history: successes that waited have an instant of their own bucket", "[guard]") {
    Rig<TimeWindow> rig{{.length = 10s, .buckets = 10, .minimum_calls = 5}};
    for (int i = 0; i != 20; ++i) rig.breaker.record_success();
    rig.clock.advance(300ms);
    CHECK(rig.latest().at == Instant{100s + 300ms});
    for (int i = 0; i != 20; ++i) rig.breaker.record_success();
    rig.clock.advance(5s);
    rig.breaker.record_failure();
    CHECK(rig.path() == "successes successes x 39 failure"); // the first began the bucket
    CHECK(rig.breaker.history()[1].at == Instant{101s - 1ns});
}

TEST_CASE("history: successes are one event, however often the breaker is read between them",
          "[guard]") {
    Rig<CountWindow> rig{{.size = 1'000, .minimum_calls = 5}, {.reset_timeout = 10s, .history = 8}};
    for (int i = 0; i != 5; ++i) rig.breaker.record_failure();
    rig.clock.advance(10s);
    CHECK(rig.breaker.try_acquire().success());
    const std::string beginning = rig.path();
    for (int i = 1; i != 100; ++i) {
        rig.breaker.record_success();
        switch (i % 3) {
        case 0: (void)rig.breaker.snapshot(); break;
        case 1: (void)rig.breaker.is_as_new(); break;
        case 2: CHECK(rig.latest().count == static_cast<std::uint64_t>(i)); break;
        }
    }
    const auto events = rig.breaker.history();
    CHECK(events.size() ==
          8); // the newest, though not written yet, is one of as many as there is room for
    CHECK(events.back().count == 99);
    CHECK(events.back().number == events.front().number + 7);
    rig.breaker.record_failure();
    CHECK(rig.breaker.history().back().number == events.back().number + 1);
}

TEST_CASE("history: a thread that only reads changes nothing of what is kept", "[guard]") {
    const auto life = [](bool is_read) {
        Rig<CountWindow> rig{{.size = 20, .minimum_calls = 5}};
        const auto read = [&] { // on a thread of its own, which then records a success
            std::thread{[&] {
                if (is_read) (void)rig.breaker.snapshot();
                rig.breaker.record_success();
            }}.join();
        };
        rig.breaker.record_failure();
        for (int i = 0; i != 12; ++i) read();
        rig.clock.advance(1s);
        for (int i = 0; i != 12; ++i) read(); // the window is clean before these are over
        rig.breaker.record_failure();
        return rig.breaker.history();
    };
    CHECK(life(true) == life(false));
    REQUIRE(life(true).size() == 7);  // four came below the minimum of calls, each told alone
    CHECK(life(true)[5].count == 16); // those that changed the window
}

TEST_CASE("history: successes that change nothing are not in it, also where all are counted",
          "[guard]") {
    Rig<ConsecutiveFailures> rig{{.threshold = 3}, {.count_totals = true, .history = 64}};
    succeed(rig.breaker, 9);
    fail(rig.breaker);
    succeed(rig.breaker, 9);
    CHECK(rig.path() == "failure successes");
    CHECK(rig.breaker.snapshot().totals->successes == 18);
}

TEST_CASE("history: has probes, and those given back", "[guard]") {
    Rig<ConsecutiveFailures> rig{{.threshold = 1},
                                 {.reset_timeout = 10s, .half_open = {.probes = 2}, .history = 64}};
    fail(rig.breaker);
    rig.clock.advance(10s);
    auto first = rig.breaker.try_acquire();
    auto second = rig.breaker.try_acquire();
    CHECK_FALSE(rig.breaker.try_acquire()); // a refusal is no event
    CHECK(second.ignore());
    CHECK(rig.latest().at == Instant{110s});
    auto third = rig.breaker.try_acquire();
    CHECK(first.success());
    CHECK(third.success());
    CHECK(rig.path() ==
          "failure transition transition probe returned_probe probe successes successes transition");
    CHECK(rig.breaker.history()[7].calls == 2); // the probes
    CHECK(rig.latest().reason == Reason::probes_succeeded);
    CHECK(rig.latest().calls == 0);
}

TEST_CASE("history: has the next half-open period after lost probes", "[guard]") {
    Rig<ConsecutiveFailures> rig{{.threshold = 1}};
    fail(rig.breaker);
    rig.clock.advance(10s);
    const auto lost = rig.breaker.try_acquire();
    rig.clock.advance(10s);
    const auto found = rig.breaker.try_acquire();
    CHECK(rig.path() == "failure transition transition fresh_probes");
    CHECK(rig.latest().generation == found.generation());
}

TEST_CASE("history: distinguishes slow calls from others", "[guard]") {
    Rig<CountWindow> rig{{.slow_calls = SlowCalls{.longer_than = 1s}}};
    rig.breaker.record_success(2s);
    rig.breaker.record_failure(2s);
    rig.breaker.record_failure(1s);
    rig.breaker.record_success(1s);
    CHECK(rig.path() == "slow_success slow_failure failure successes");
    CHECK(rig.latest().slow == 2);
}

TEST_CASE("history: has commands, also those that are no transition", "[guard]") {
    Rig<ConsecutiveFailures> rig{{.threshold = 1}};
    rig.breaker.reset();
    rig.breaker.trip();
    rig.breaker.trip();
    rig.breaker.force_open();
    rig.breaker.disable();
    rig.breaker.reset();
    CHECK(rig.path() == "reset transition transition transition transition");
    CHECK(rig.breaker.history()[0].generation == 2);
    rig.breaker.reconfigure({.threshold = 3}, {});
    fail(rig.breaker); // its room does not change
    CHECK(rig.path() == "reset transition transition transition transition reconfigured failure");
}

TEST_CASE("history: has when METRICS_ONLY would have opened, and on which numbers", "[guard]") {
    Rig<ConsecutiveFailures> rig{{.threshold = 2}};
    rig.breaker.metrics_only();
    fail(rig.breaker, 2);
    CHECK(rig.path() == "transition failure failure would_have_opened");
    CHECK(rig.latest().failures == 2);
}

TEST_CASE("history: a call that did not count is not in it", "[guard]") {
    Rig<ConsecutiveFailures> rig{{.threshold = 1}};
    auto late = rig.breaker.try_acquire();
    rig.breaker.trip();
    CHECK_FALSE(late.failure());
    CHECK(rig.breaker.try_acquire().ignore() == false);
    CHECK(rig.path() == "transition");
}

TEST_CASE("history: refuses more room than it may have", "[guard]") {
    CHECK(message_of([] { const Rig<ConsecutiveFailures> rig{{}, {.history = 65'537}}; }) ==
          "BreakerOptions::history is 65537, must be at most 65536 events");
    CHECK(message_of([] { const Rig<ConsecutiveFailures> rig{{}, {.history = 65'536}}; }).empty());
}

} // namespace tests::guard_circuit_breaker_history
