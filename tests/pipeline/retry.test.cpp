// SPDX-License-Identifier: MIT
#include <dashpot/pipeline/pipeline.hpp>
#include <dashpot/pipeline/retry.hpp>

#include "catch.hpp"
#include "pipeline/script.hpp"

#include <chrono>
#include <limits>
#include <set>
#include <sstream>
#include <stdexcept>
#include <stop_token>
#include <thread>

namespace tests::pipeline_retry {

using namespace support;
using dashpot::Attempt;
using dashpot::CallOptions;
using dashpot::Deadline;
using dashpot::Error;
using dashpot::ExponentialBackoff;
using dashpot::GaveUp;
using dashpot::Instant;
using dashpot::Nanoseconds;
using dashpot::pipeline;
using dashpot::Result;
using dashpot::Retry;
using dashpot::RetryBudget;
using dashpot::RetryStats;
using dashpot::Timeout;
using dashpot::Verdict;

namespace {

struct Rig {
    ManualClock clock;
    std::string journal{};
    Journal guard{'a', journal};

    Script script(std::vector<Step> steps) const { return {clock, std::move(steps)}; }
    [[nodiscard]] std::chrono::nanoseconds now() const { return clock.now().time_since_epoch(); }

    /// How a call of `script` ends, in one Retry around the guard.
    std::string ending(const Retry& retry, Script& script, const CallOptions& options = {}) {
        return ending_of([&] { return pipeline(retry, guard).with(clock).call(options, script); });
    }
};

/// A stop that is requested when an attempt has the number.
struct StopAt {
    std::stop_source source{};
    std::uint32_t number;
    Script& script;

    int operator()(const Attempt& attempt) {
        if (attempt.number == number) source.request_stop();
        return script(attempt);
    }
};

} // namespace

TEST_CASE("Retry: max_attempts counts the first call", "[pipeline]") {
    Rig rig;
    Script script = rig.script({fails(1), fails(2), fails(3)});
    CHECK(rig.ending({.max_attempts = 3, .wait = doubling}, script) == "threw 3");
    CHECK(script.starts == Times{0ms, 100ms, 300ms});
    CHECK(script.numbers == std::vector<std::uint32_t>{1, 2, 3});
    CHECK(rig.now() == 300ms); // no wait after the last attempt
    CHECK(rig.journal == "afaafaafa");
}

TEST_CASE("Retry: one attempt is no retry", "[pipeline]") {
    Rig rig;
    Script script = rig.script({fails(1)});
    CHECK(rig.ending({.max_attempts = 1}, script) == "threw 1");
    CHECK(script.calls() == 1);
    CHECK(rig.now() == 0ms);
}

TEST_CASE("Retry: a success or an ignored outcome ends it", "[pipeline]") {
    Rig rig;
    Script good = rig.script({fails(1), gives(2), gives(3)});
    CHECK(rig.ending({.wait = 1ms}, good) == "value 2");
    CHECK(good.calls() == 2);

    Script bad = rig.script({fails(1)});
    const auto ignored = [](std::exception_ptr) { return Outcome::ignored; };
    CHECK(ending_of([&] { return pipeline(Retry{}).with(rig.clock).call(bad, ignored); }) == "threw 1");
    CHECK(bad.calls() == 1);
}

TEST_CASE("Retry: a refusal further in ends it", "[pipeline]") {
    Rig rig;
    rig.guard.refuses = Refusal{Error::rate_limited, 1ms};
    Script script = rig.script({gives(1)});
    CHECK(rig.ending({}, script) == "rate_limited");
    CHECK(script.calls() == 0);
    CHECK(rig.now() == 0ms);
}

TEST_CASE("Retry: the caller gets the last attempt's own ending, whatever kind it is", "[pipeline]") {
    Rig rig;
    const auto negative_fails = [](int value) {
        return value < 0 ? Outcome::failure : Outcome::success;
    };
    const auto ending = [&](std::vector<Step> steps) {
        Script script = rig.script(std::move(steps));
        return ending_of([&] {
            return pipeline(Retry{.max_attempts = 2, .wait = 1ms})
                .with(rig.clock)
                .call(script, negative_fails);
        });
    };
    CHECK(ending({gives(-1), gives(-2)}) == "value -2");
    CHECK(ending({fails(1), gives(-2)}) == "value -2");
    CHECK(ending({gives(-1), fails(2)}) == "threw 2");
    CHECK(ending({gives(-1), gives(2)}) == "value 2");
}

TEST_CASE("Retry: a guard that refuses an extra attempt surfaces", "[pipeline]") {
    Rig rig;
    dashpot::CircuitBreaker<ManualClock> breaker{{.threshold = 2}, {.reset_timeout = 10s}, rig.clock};
    RetryBudget budget;
    Script script = rig.script({fails()});
    const auto protect =
        pipeline(Retry{.max_attempts = 5, .wait = 1s, .budget = &budget}, breaker).with(rig.clock);
    CHECK(protect.call(script).error() == Refusal{Error::circuit_open, 9s});
    CHECK(script.calls() == 2);
    CHECK(budget.balance() == 99.0); // the third attempt's token was given back
}

TEST_CASE("Retry: tries refusals again if set to, after at least their retry_after", "[pipeline]") {
    Rig rig;
    dashpot::CircuitBreaker<ManualClock> breaker{{.threshold = 2}, {.reset_timeout = 10s}, rig.clock};
    Script script = rig.script({fails(), fails(), gives(3)});
    const auto protect =
        pipeline(Retry{.max_attempts = 4, .wait = 1s, .retry_refusals = true}, breaker).with(rig.clock);
    CHECK(protect.call(script) == Result<int>{3});
    CHECK(script.starts == Times{0s, 1s, 11s}); // refused at 2 s for another 9 s

    rig.guard.refuses = Refusal{Error::bulkhead_full};
    Script never = rig.script({gives(1)});
    const auto began = rig.now();
    CHECK(rig.ending({.wait = doubling, .retry_refusals = true}, never) == "bulkhead_full");
    CHECK(rig.now() - began == 300ms);
}

TEST_CASE("Retry: cancelled and deadline_exceeded from inside are never tried again", "[pipeline]") {
    Rig rig;
    for (const Error error : {Error::cancelled, Error::deadline_exceeded}) {
        rig.guard.refuses = Refusal{error};
        Script script = rig.script({gives(1)});
        CHECK(rig.ending({.wait = 1s, .retry_refusals = true}, script) == to_string(error));
        CHECK(rig.now() == 0s);
    }
    rig.guard.refuses = Refusal{Error::queue_timeout};
    Script script = rig.script({gives(1)});
    CHECK(rig.ending({.wait = 1s, .retry_refusals = true}, script) == "queue_timeout");
    CHECK(rig.now() == 2s);
}

TEST_CASE("Retry: waits as long as the target asked for, if that is longer", "[pipeline]") {
    Rig rig;
    const auto starts = [&](std::optional<Nanoseconds> asked, const Retry& retry) {
        Script script = rig.script({gives(-1), gives(1)});
        const auto began = rig.now();
        (void)pipeline(retry).with(rig.clock).call(script, [&](int value) {
            return value < 0 ? Verdict{Outcome::failure, asked} : Verdict{Outcome::success};
        });
        return script.calls() == 2 ? std::optional{script.starts[1] - began} : std::nullopt;
    };
    CHECK(starts(250ms, {.wait = 100ms}) == 250ms);
    CHECK(starts(100ms, {.wait = 100ms}) == 100ms);
    CHECK(starts(99ms, {.wait = 100ms}) == 100ms);
    CHECK(starts(0ms, {.wait = 100ms}) == 100ms);
    CHECK(starts(-1ms, {.wait = 100ms}) == 100ms);
    CHECK(starts(std::nullopt, {.wait = 100ms}) == 100ms);
    CHECK(starts(5s, {.wait = 100ms, .max_retry_after = 5s}) == 5s);
    CHECK_FALSE(starts(5s + 1ns, {.wait = 100ms, .max_retry_after = 5s}));
    CHECK(starts(60s, {.wait = 100ms}) == 60s);
    CHECK_FALSE(starts(60s + 1ns, {.wait = 100ms}));
    CHECK_FALSE(starts(1ns, {.wait = 100ms, .max_retry_after = 0s}));
}

TEST_CASE("Retry: does not begin a wait that would end at the deadline or later", "[pipeline]") {
    Rig rig;
    const auto ending = [&](std::chrono::nanoseconds wait) {
        Script script = rig.script({fails(1, 10ms), gives(2)});
        const auto began = rig.now();
        const std::string how = rig.ending({.wait = wait}, script, {.timeout = 100ms});
        return std::pair{how, rig.now() - began};
    };
    CHECK(ending(200ms) == std::pair{std::string{"threw 1"}, 10ms + 0ns});
    CHECK(ending(90ms) == std::pair{std::string{"threw 1"}, 10ms + 0ns});
    CHECK(ending(90ms - 1ns) == std::pair{std::string{"value 2"}, 100ms - 1ns});
    CHECK(ending(std::chrono::nanoseconds::max()) == std::pair{std::string{"threw 1"}, 10ms + 0ns});
}

TEST_CASE("Retry: without a wait, an attempt at the deadline does not begin", "[pipeline]") {
    Rig rig;
    Script late = rig.script({fails(1, 100ms), gives(2)});
    CHECK(rig.ending({.wait = 0s}, late, {.timeout = 100ms}) == "threw 1");
    Script in_time = rig.script({fails(1, 100ms - 1ns), gives(2)});
    CHECK(rig.ending({.wait = 0s}, in_time, {.timeout = 100ms}) == "value 2");
}

TEST_CASE("Retry: looks at the deadline again after the wait", "[pipeline]") {
    const WatchedClock clock{[](const ManualClock& time, Instant at, const std::stop_token& stop) {
        time.sleep_until(at + 50ms, stop);
    }};
    RetryBudget budget;
    RetryStats stats;
    Script script{clock.clock, {fails(1), gives(2)}};
    const auto protect = pipeline(Retry{.wait = 60ms, .budget = &budget, .stats = &stats}).with(clock);
    CHECK(ending_of([&] { return protect.call({.timeout = 110ms}, script); }) == "threw 1");
    CHECK(script.calls() == 1);
    CHECK(budget.balance() == 100.0); // the attempt never started
    CHECK(stats.gave_up(GaveUp::deadline) == 1);
    CHECK(stats.retries() == 0);
}

TEST_CASE("Retry: no time is special to a wait", "[pipeline]") {
    for (const Instant start : {(Instant::min)(), Instant{-1ns}, (Instant::max)() - 1h}) {
        const ManualClock clock{start};
        Script script{clock, {fails(1), gives(2)}};
        CHECK(ending_of([&] {
                  return pipeline(Retry{.wait = 10s}).with(clock).call({.timeout = 1min}, script);
              }) == "value 2");
        CHECK(clock.now() - start == 10s);
    }
}

TEST_CASE("Retry: a stop during an attempt ends the call with the attempt's own ending", "[pipeline]") {
    Rig rig;
    for (const auto wait : {0ms, 100ms}) {
        Script script = rig.script({fails(1, 50ms), gives(2)});
        StopAt f{.number = 1, .script = script};
        CHECK(ending_of([&] {
                  return pipeline(Retry{.wait = wait})
                      .with(rig.clock)
                      .call({.stop = f.source.get_token()}, f);
              }) == "threw 1");
        CHECK(script.calls() == 1);
    }
    CHECK(rig.now() == 100ms);
    Script good = rig.script({gives(1, 50ms)});
    StopAt f{.number = 1, .script = good};
    CHECK(ending_of([&] {
              return pipeline(Retry{}).with(rig.clock).call({.stop = f.source.get_token()}, f);
          }) == "value 1");
}

TEST_CASE("Retry: a stop during the wait ends it at once, and gives the token back", "[pipeline]") {
    std::stop_source source;
    const WatchedClock clock{[&](const ManualClock& time, Instant, const std::stop_token& stop) {
        time.sleep_until(time.now() + 1s);
        source.request_stop();
        CHECK(stop.stop_requested());
    }};
    RetryBudget budget;
    RetryStats stats;
    Script script{clock.clock, {fails(1)}};
    const auto protect = pipeline(Retry{.wait = 10s, .budget = &budget, .stats = &stats}).with(clock);
    CHECK(ending_of([&] { return protect.call({.stop = source.get_token()}, script); }) == "threw 1");
    CHECK(clock.now() == Instant{1s});
    CHECK(script.calls() == 1);
    CHECK(budget.balance() == 100.0);
    CHECK(stats.gave_up(GaveUp::stop) == 1);
}

TEST_CASE("Retry: on a thread that sleeps, a stop ends the wait", "[pipeline]") {
    std::stop_source source;
    std::thread stopper;
    int calls = 0;
    const auto before = std::chrono::steady_clock::now();
    CHECK_THROWS_AS(pipeline(Retry{.wait = 1h})
                        .call({.stop = source.get_token()},
                              [&]() -> int {
                                  ++calls;
                                  stopper = std::thread{[&] { source.request_stop(); }};
                                  throw Trouble{};
                              }),
                    Trouble);
    stopper.join();
    CHECK(calls == 1);
    CHECK(std::chrono::steady_clock::now() - before < 1min);
}

TEST_CASE("Retry: a constant wait of 0 is no wait at all", "[pipeline]") {
    Rig rig;
    Script script = rig.script({fails()});
    CHECK(rig.ending({.max_attempts = 4, .wait = 0s}, script) == "threw 1");
    CHECK(script.starts == Times{0s, 0s, 0s, 0s});
}

TEST_CASE("Retry: a clock whose sleep throws ends the call with that exception", "[pipeline]") {
    const WatchedClock clock{
        [](const ManualClock&, Instant, const std::stop_token&) { throw std::logic_error{"broken"}; }};
    RetryBudget budget;
    int calls = 0;
    const auto protect = pipeline(Retry{.wait = 1s, .budget = &budget}).with(clock);
    CHECK_THROWS_AS(protect.call([&]() -> int {
        ++calls;
        throw Trouble{};
    }),
                    std::logic_error);
    CHECK_THROWS_AS(protect.call([&] { return ++calls; }, [](int) { return Outcome::failure; }),
                    std::logic_error);
    CHECK(calls == 2);
    CHECK(budget.balance() == 100.0);
}

TEST_CASE("Retry: with jitter every wait is within its length, and differs from call to call",
          "[pipeline]") {
    Rig rig;
    std::set<std::chrono::nanoseconds> waits;
    const auto protect = pipeline(Retry{.max_attempts = 2}).with(rig.clock);
    for (int i = 0; i != 200; ++i) {
        Script script = rig.script({fails()});
        CHECK_THROWS_AS(protect.call(script), Trouble);
        const auto wait = script.starts[1] - script.starts[0];
        CHECK(wait > 0ns);
        CHECK(wait <= 100ms);
        waits.insert(wait);
    }
    CHECK(waits.size() > 190);
    CHECK(*waits.begin() < 20ms);
    CHECK(*waits.rbegin() > 80ms);
}

TEST_CASE("Retry: a seed repeats the waits, also from call to call", "[pipeline]") {
    const ExponentialBackoff seeded{.initial = 100ms, .jitter = 1.0, .seed = 7};
    const auto starts = [&](const auto& protect, const ManualClock& clock) {
        Script script{clock, {fails()}};
        const auto began = clock.now().time_since_epoch();
        CHECK_THROWS_AS(protect.call(script), Trouble);
        for (auto& start : script.starts) start -= began;
        return script.starts;
    };
    const ManualClock clock;
    const auto protect = pipeline(Retry{.max_attempts = 4, .wait = seeded}).with(clock);
    const Times first = starts(protect, clock);
    CHECK(first == starts(protect, clock));
    const ManualClock other;
    CHECK(first == starts(pipeline(Retry{.max_attempts = 4, .wait = seeded}).with(other), other));
    CHECK(first[2] - first[1] != 2 * (first[1] - first[0])); // each draw is another
}

TEST_CASE("Retry: a guard inside is left before the wait, one outside is held through it",
          "[pipeline]") {
    dashpot::Bulkhead outer{1};
    dashpot::Bulkhead inner{1};
    const WatchedClock clock{[&](const ManualClock& time, Instant at, const std::stop_token& stop) {
        CHECK(outer.in_flight() == 1);
        CHECK(inner.in_flight() == 0);
        time.sleep_until(at, stop);
    }};
    Script script{clock.clock, {fails(), gives(-1), gives(1)}};
    CHECK(pipeline(outer, Retry{.wait = 1s}, inner).with(clock).call(script, [](int value) {
        return value < 0 ? Outcome::failure : Outcome::success;
    }) == Result<int>{1});
    CHECK(script.calls() == 3);
}

TEST_CASE("Retry: the attempt's number is the innermost Retry's", "[pipeline]") {
    Rig rig;
    Script script = rig.script({fails()});
    const auto protect =
        pipeline(Retry{.max_attempts = 2, .wait = 0s}, Retry{.max_attempts = 3, .wait = 0s})
            .with(rig.clock);
    CHECK_THROWS_AS(protect.call(script), Trouble);
    CHECK(script.numbers == std::vector<std::uint32_t>{1, 2, 3, 1, 2, 3});
}

TEST_CASE("Retry: names the option out of range", "[pipeline]") {
    CHECK_THROWS_WITH(Retry{.max_attempts = 0}.validate(),
                      "Retry::max_attempts is 0, must be 1 or more; 1 means no retry, because the "
                      "first call counts");
    CHECK_THROWS_WITH(Retry{.wait = -1s}.validate(), "Retry::wait is -1s, must be 0s or longer");
    CHECK_THROWS_WITH(Retry{.wait = ExponentialBackoff{.initial = 0s}}.validate(),
                      "ExponentialBackoff::initial is 0s, must be longer than 0s");
    CHECK_THROWS_WITH((Retry{.max_retry_after = -1ns}.validate()),
                      "Retry::max_retry_after is -1ns, must be 0s or longer");
    CHECK_NOTHROW(Retry{.max_attempts = 1, .wait = 0s, .max_retry_after = 0s}.validate());
    CHECK_NOTHROW(Retry{.max_attempts = (std::numeric_limits<std::uint32_t>::max)()}.validate());
    STATIC_REQUIRE((Retry{}.validate(), true));
}

TEST_CASE("Retry: its defaults are three attempts and waits from 100 ms with full jitter",
          "[pipeline]") {
    const Retry retry;
    CHECK(retry.max_attempts == 3);
    CHECK(retry.wait ==
          dashpot::Backoff{ExponentialBackoff{.initial = 100ms, .cap = 10s, .jitter = 1.0}});
    CHECK(retry.max_retry_after == 1min);
    CHECK(retry.budget == nullptr);
    CHECK_FALSE(retry.retry_refusals);
}

TEST_CASE("Retry: prints itself", "[pipeline]") {
    std::ostringstream text;
    RetryBudget budget;
    text << Retry{.max_attempts = 2, .wait = 1s, .budget = &budget};
    CHECK(text.str() == "Retry{.max_attempts = 2, .wait = 1s, .max_retry_after = 1min, "
                        ".budget = &budget, .retry_refusals = false}");
}

} // namespace tests::pipeline_retry
