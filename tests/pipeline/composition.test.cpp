// SPDX-License-Identifier: MIT
// What each swap of two pieces changes: a test for each row of the table in docs/composition.md.
#include "catch.hpp"
#include "pipeline/script.hpp"

namespace tests::pipeline_composition {

using namespace support;
using dashpot::Error;
using dashpot::Fallback;
using dashpot::pipeline;
using dashpot::Retry;
using dashpot::State;
using dashpot::Timeout;
using Target = dashpot::Target<ManualClock>;

namespace {

struct Rig {
    ManualClock clock;
    int answered = 0;
    Target target{"CORE", {.policy = {3}, .max_concurrent = 1}, clock};

    auto fallback() {
        return Fallback{[this](const auto&) { return ++answered, 9; }};
    }
    Retry retry{.wait = 100ms};
    Script script{clock, {fails(1, 40ms)}};

    template <class Protect>
    std::string ending(const Protect& protect, const dashpot::CallOptions& options = {}) {
        return ending_of([&] { return protect.with(clock).call(options, script); });
    }
    [[nodiscard]] std::chrono::nanoseconds now() const { return clock.now().time_since_epoch(); }
};

/// A guard whose admission takes time.
struct Slow {
    ManualClock clock;
    struct Permit {
        explicit operator bool() const { return true; }
        Refusal refusal() const { return {Error::throttled}; }
    };
    Permit try_acquire() {
        clock.advance(200ms);
        return {};
    }
};

} // namespace

TEST_CASE("Composition: the order to start from answers, limits, repeats, guards and limits again",
          "[pipeline]") {
    Rig rig;
    const auto protect = pipeline(rig.fallback(), Timeout{2s}, rig.retry, rig.target, Timeout{500ms});
    CHECK(rig.ending(protect) == "value 9");
    CHECK(rig.script.starts == Times{0ms, 140ms, 280ms});
    CHECK(rig.script.remaining == Times{500ms, 500ms, 500ms});
    CHECK(rig.answered == 1);
    CHECK(rig.target.breaker().state() == State::open); // it recorded three attempts
    CHECK(rig.ending(protect) == "value 9");            // and now it refuses, which is answered too
    CHECK(rig.script.calls() == 3);
}

TEST_CASE("Composition: a Retry outside a Fallback calls its handler at every attempt", "[pipeline]") {
    Rig rig;
    CHECK(rig.ending(pipeline(rig.retry, rig.fallback())) == "value 9");
    CHECK(rig.answered == 3);
    rig.answered = 0;
    CHECK(rig.ending(pipeline(rig.fallback(), rig.retry)) == "value 9");
    CHECK(rig.answered == 1);
}

TEST_CASE("Composition: a Timeout inside a Retry is that of one attempt", "[pipeline]") {
    Rig rig;
    CHECK(rig.ending(pipeline(Timeout{200ms}, rig.retry)) == "threw 1");
    CHECK(rig.script.calls() == 2);
    CHECK(rig.now() == 180ms);
    Rig other;
    CHECK(other.ending(pipeline(other.retry, Timeout{200ms})) == "threw 1");
    CHECK(other.script.calls() == 3);
    CHECK(other.now() == 320ms);
}

TEST_CASE("Composition: a target outside a Retry records one outcome per call, and counts a call that "
          "waits",
          "[pipeline]") {
    Rig rig;
    CHECK(rig.ending(pipeline(rig.target, rig.retry)) == "threw 1");
    CHECK(rig.target.breaker().snapshot().failures == 1);
    CHECK(rig.ending(pipeline(rig.retry, rig.target)) == "circuit_open"); // after two more failures
    CHECK(rig.target.breaker().state() == State::open);

    Rig waits;
    std::vector<std::uint32_t> in_flight;
    const WatchedClock clock{
        [&](const ManualClock& time, dashpot::Instant at, const std::stop_token& stop) {
            in_flight.push_back(waits.target.bulkhead().in_flight());
            time.sleep_until(at, stop);
        }};
    const auto see = [&](const auto& protect) {
        in_flight.clear();
        (void)ending_of([&] { return protect.with(clock).call(waits.script); });
        return in_flight;
    };
    CHECK(see(pipeline(waits.target, waits.retry)) == std::vector<std::uint32_t>{1, 1});
    CHECK(see(pipeline(Retry{.max_attempts = 2, .wait = 1s}, waits.target)) ==
          std::vector<std::uint32_t>{0});
}

TEST_CASE("Composition: a Timeout outside a guard counts the time that the guard takes", "[pipeline]") {
    Rig rig;
    Slow slow{rig.clock};
    (void)rig.ending(pipeline(slow, Timeout{500ms}));
    (void)rig.ending(pipeline(Timeout{500ms}, slow));
    CHECK(rig.script.remaining == Times{500ms, 300ms});
}

TEST_CASE("Composition: a Fallback inside a target answers no refusals of the target", "[pipeline]") {
    Rig rig;
    rig.target.breaker().trip();
    CHECK(rig.ending(pipeline(rig.fallback(), rig.target)) == "value 9");
    CHECK(rig.ending(pipeline(rig.target, rig.fallback())) == "circuit_open");
    rig.target.breaker().reset();
    for (int i = 0; i != 3; ++i) CHECK(rig.ending(pipeline(rig.target, rig.fallback())) == "value 9");
    CHECK(rig.target.breaker().state() == State::open); // as without a Fallback
}

TEST_CASE("Composition: a Fallback inside a Timeout does not answer a deadline that has passed",
          "[pipeline]") {
    Rig rig;
    CHECK(rig.ending(pipeline(rig.fallback(), Timeout{1s}), {.timeout = 0s}) == "value 9");
    CHECK(rig.ending(pipeline(Timeout{1s}, rig.fallback()), {.timeout = 0s}) == "deadline_exceeded");
}

} // namespace tests::pipeline_composition
