// SPDX-License-Identifier: MIT
// Retries, deadlines and fallbacks that lost a result, a token, or the caller's time.
#include "catch.hpp"
#include "pipeline/script.hpp"

#include <atomic>
#include <memory>
#include <stdexcept>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

namespace tests::field_cases_pipelines {

using namespace support;
using dashpot::Attempt;
using dashpot::Bulkhead;
using dashpot::CircuitBreaker;
using dashpot::Error;
using dashpot::ExponentialBackoff;
using dashpot::Fallback;
using dashpot::GaveUp;
using dashpot::pipeline;
using dashpot::Result;
using dashpot::Retry;
using dashpot::RetryBudget;
using dashpot::RetryStats;
using dashpot::State;
using dashpot::Timeout;
using dashpot::Verdict;

namespace {

const auto negative_fails = [](int value) { return value < 0 ? Outcome::failure : Outcome::success; };

struct Rig {
    ManualClock clock;
    std::stop_source source{};

    Script script(std::vector<Step> steps) const { return {clock, std::move(steps)}; }
    [[nodiscard]] std::chrono::nanoseconds now() const { return clock.now().time_since_epoch(); }
};

/// Requests a stop at a point in time within an attempt.
struct StopsAt {
    Rig& rig;
    std::chrono::nanoseconds at;
    std::chrono::nanoseconds ends;
    int calls = 0;

    int operator()() {
        ++calls;
        rig.clock.advance(at);
        rig.source.request_stop();
        rig.clock.advance(ends - at);
        throw Trouble{1};
    }
};

} // namespace

TEST_CASE("Pipeline: the last of several exceptions surfaces, and no wait follows it") {
    Rig rig;
    Script script = rig.script({fails(1), fails(2), fails(3)});
    CHECK(ending_of([&] { return pipeline(Retry{.wait = doubling}).with(rig.clock).call(script); }) ==
          "threw 3");
    CHECK(script.starts == Times{0ms, 100ms, 300ms});
    CHECK(rig.now() == 300ms);
}

TEST_CASE("Pipeline: attempts that run out on a bad value return it, and count as exhausted") {
    for (const Step first : {gives(-1), fails(1)}) {
        Rig rig;
        RetryStats stats;
        RetryBudget budget;
        REQUIRE(budget.try_withdraw());
        Script script = rig.script({first, gives(-2)});
        const auto protect =
            pipeline(Retry{.max_attempts = 2, .wait = 0s, .budget = &budget, .stats = &stats})
                .with(rig.clock);
        CHECK(ending_of([&] { return protect.call(script, negative_fails); }) == "value -2");
        CHECK(stats.retries() == 1);
        CHECK(stats.gave_up(GaveUp::attempts) == 1);
        CHECK(budget.balance() == 98.0); // nothing was earned
    }
}

TEST_CASE("Pipeline: exceptions keep their static and their dynamic type") {
    struct Derived : std::runtime_error {
        using std::runtime_error::runtime_error;
        int code = 42;
    };
    struct Alone {
        int number;
    };
    Rig rig;
    Bulkhead hull{1};
    const auto through = [&](auto thrown) {
        const auto f = [&]() -> int { throw thrown; };
        const auto again = [&](const auto& protect) { return protect.with(rig.clock).call(f); };
        CHECK_THROWS_AS(again(pipeline(Retry{.max_attempts = 2, .wait = 0s})), decltype(thrown));
        CHECK_THROWS_AS(again(pipeline(Timeout{1s})), decltype(thrown));
        CHECK_THROWS_AS(again(pipeline(Fallback{[](const Refusal&) { return 0; }})), decltype(thrown));
        CHECK_THROWS_AS(again(pipeline(hull)), decltype(thrown));
        return again(pipeline(Fallback{[](const Refusal&) { return 0; }}, Timeout{1s},
                              Retry{.max_attempts = 2, .wait = 0s}, hull, Timeout{1s}));
    };
    try {
        (void)through(Derived{"gone"});
        FAIL("it threw");
    } catch (const Derived& derived) {
        CHECK(derived.code == 42);
        CHECK(std::string{derived.what()} == "gone");
    }
    CHECK_THROWS_AS(through(7), int);
    CHECK_THROWS_AS(through(Alone{1}), Alone);
}

TEST_CASE("Pipeline: a call that is exhausted changes nothing for calls beside and after it") {
    Rig rig;
    const auto protect = pipeline(Retry{.wait = doubling}).with(rig.clock);
    Script a = rig.script({fails()});
    Script b = rig.script({fails(), gives(1)});
    const auto a_with_b_inside = [&](const Attempt& attempt) {
        if (attempt.number == 2) CHECK(ending_of([&] { return protect.call(b); }) == "value 1");
        return a(attempt);
    };
    CHECK(ending_of([&] { return protect.call(a_with_b_inside); }) == "threw 1");
    CHECK(a.calls() == 3);
    CHECK(b.calls() == 2);
    CHECK(b.starts[1] - b.starts[0] == 100ms);
    Script again = rig.script({fails()});
    CHECK(ending_of([&] { return protect.call(again); }) == "threw 1");
    CHECK(again.starts[1] - again.starts[0] == 100ms);
    CHECK(again.starts[2] - again.starts[1] == 200ms);
}

TEST_CASE("Pipeline: many threads share one, and each call has its own position") {
    const auto protect = pipeline(Retry{.wait = 0s});
    std::atomic<int> wrong{0};
    std::vector<std::thread> threads;
    for (int i = 0; i != 4; ++i) {
        threads.emplace_back([&] {
            for (int n = 0; n != 500; ++n) {
                std::uint32_t last = 0;
                try {
                    (void)protect.call([&](const Attempt& attempt) -> int {
                        if (attempt.number != last + 1) ++wrong;
                        last = attempt.number;
                        throw Trouble{};
                    });
                } catch (const Trouble&) {}
                if (last != 3) ++wrong;
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    CHECK(wrong == 0);
}

TEST_CASE("Pipeline: waits follow the factor and stay at the cap") {
    Rig rig;
    Script script = rig.script({fails()});
    const auto wait = ExponentialBackoff{.initial = 100ms, .cap = 1s};
    (void)ending_of(
        [&] { return pipeline(Retry{.max_attempts = 7, .wait = wait}).with(rig.clock).call(script); });
    CHECK(script.starts == Times{0ms, 100ms, 300ms, 700ms, 1500ms, 2500ms, 3500ms});
}

TEST_CASE("Pipeline: no jitter leaves its window") {
    Rig rig;
    for (const double jitter : {0.2, 1.0}) {
        const auto wait =
            ExponentialBackoff{.initial = 100ms, .cap = 1s, .jitter = jitter, .seed = std::nullopt};
        const auto protect = pipeline(Retry{.max_attempts = 6, .wait = wait}).with(rig.clock);
        for (int i = 0; i != 200; ++i) {
            Script script = rig.script({fails()});
            (void)ending_of([&] { return protect.call(script); });
            for (std::size_t n = 1; n != script.calls(); ++n) {
                const auto drawn = script.starts[n] - script.starts[n - 1];
                const auto whole =
                    dashpot::Backoff{ExponentialBackoff{.initial = 100ms, .cap = 1s}}.delay(
                        static_cast<std::uint32_t>(n - 1));
                CHECK(drawn <= whole);
                CHECK(static_cast<double>(drawn.count()) >=
                      static_cast<double>(whole.count()) * (1 - jitter) - 1);
            }
        }
    }
}

TEST_CASE("Pipeline: a hint of an hour does not park the caller") {
    Rig rig;
    Script script = rig.script({gives(-1), gives(1)});
    const auto hints = [](int value) {
        return value < 0 ? Verdict{Outcome::failure, 1h} : Verdict{Outcome::success};
    };
    RetryStats stats;
    CHECK(ending_of([&] {
              return pipeline(Retry{.wait = 100ms, .max_retry_after = 5s, .stats = &stats})
                  .with(rig.clock)
                  .call(script, hints);
          }) == "value -1");
    CHECK(rig.now() == 0s);
    CHECK(stats.gave_up(GaveUp::retry_after) == 1);
}

TEST_CASE("Pipeline: a hint of 0 is a retry like any other, and so is a wait of 0") {
    Rig rig;
    const auto hints = [](int value) {
        return value < 0 ? Verdict{Outcome::failure, 0s} : Verdict{Outcome::success};
    };
    Script script = rig.script({gives(-1), gives(1)});
    CHECK(ending_of([&] {
              return pipeline(Retry{.wait = 100ms}).with(rig.clock).call(script, hints);
          }) == "value 1");
    CHECK(script.starts == Times{0ms, 100ms});
    Script at_once = rig.script({gives(-1), gives(1)});
    CHECK(ending_of([&] { return pipeline(Retry{.wait = 0s}).with(rig.clock).call(at_once, hints); }) ==
          "value 1");
    CHECK(rig.now() == 100ms);
}

TEST_CASE("Pipeline: a hint from an exception is followed too") {
    Rig rig;
    Script script = rig.script({fails(), gives(1)});
    const auto hints = [](std::exception_ptr) { return Verdict{Outcome::failure, 250ms}; };
    CHECK(ending_of([&] {
              return pipeline(Retry{.wait = 100ms}).with(rig.clock).call(script, hints);
          }) == "value 1");
    CHECK(script.starts == Times{0ms, 250ms});
}

TEST_CASE("Pipeline: a cancelled call is not tried again, whatever the classifier says") {
    Rig rig;
    StopsAt f{rig, 20ms, 30ms};
    const auto all = [](std::exception_ptr) { return Outcome::failure; };
    CHECK(ending_of([&] {
              return pipeline(Retry{.max_attempts = 5, .wait = 10ms})
                  .with(rig.clock)
                  .call({.stop = rig.source.get_token()}, f, all);
          }) == "threw 1");
    CHECK(f.calls == 1);
    CHECK(rig.now() == 30ms);
}

TEST_CASE("Pipeline: no attempt starts at its deadline") {
    Rig rig;
    Script script = rig.script({fails(1, 100ms), fails(2)});
    CHECK(ending_of([&] {
              return pipeline(Retry{.max_attempts = 10, .wait = 10ms})
                  .with(rig.clock)
                  .call({.timeout = 100ms}, script);
          }) == "threw 1");
    CHECK(script.calls() == 1);
    CHECK(rig.now() == 100ms);
}

TEST_CASE("Pipeline: a wait for an attempt that cannot happen is not begun") {
    struct Case {
        std::chrono::nanoseconds wait;
        std::string ending;
        std::chrono::nanoseconds ends;
    };
    for (const Case& one :
         {Case{200ms, "threw 1", 10ms}, Case{90ms, "threw 1", 10ms}, Case{89ms, "value 2", 99ms}}) {
        Rig rig;
        Script script = rig.script({fails(1, 10ms), gives(2)});
        CHECK(ending_of([&] {
                  return pipeline(Retry{.wait = one.wait})
                      .with(rig.clock)
                      .call({.timeout = 100ms}, script);
              }) == one.ending);
        CHECK(rig.now() == one.ends);
    }
}

TEST_CASE("Pipeline: a stop during the wait is noticed at once") {
    std::stop_source source;
    const WatchedClock clock{[&](const ManualClock& time, dashpot::Instant, const std::stop_token&) {
        time.sleep_until(dashpot::Instant{1s});
        source.request_stop();
    }};
    Script script{clock.clock, {fails()}};
    CHECK(
        ending_of([&] {
            return pipeline(Retry{.wait = 10s}).with(clock).call({.stop = source.get_token()}, script);
        }) == "threw 1");
    CHECK(clock.now() == dashpot::Instant{1s});
    CHECK(script.calls() == 1);
}

TEST_CASE("Pipeline: a call that was stopped before it began takes nothing") {
    Rig rig;
    rig.source.request_stop();
    Bulkhead hull{1};
    RetryBudget budget;
    Script script = rig.script({gives(1)});
    const auto stopped = [&](const auto& protect) {
        return ending_of(
            [&] { return protect.with(rig.clock).call({.stop = rig.source.get_token()}, script); });
    };
    CHECK(stopped(pipeline(Retry{.budget = &budget}, hull)) == "cancelled");
    CHECK(stopped(pipeline()) == "cancelled");
    CHECK(script.calls() == 0);
    CHECK(budget.balance() == 100.0);
    CHECK(hull.in_flight() == 0);
}

TEST_CASE("Pipeline: a quiet day saves no more tokens than the budget holds") {
    RetryBudget used{{.ratio = 0.1, .capacity = 10}};
    for (int i = 0; i != 1000; ++i) CHECK(pipeline(Retry{.budget = &used}).call([] { return 1; }));
    RetryBudget fresh{{.ratio = 0.1, .capacity = 10}};
    for (RetryBudget* budget : {&used, &fresh}) {
        int calls = 0;
        const auto f = [&]() -> int {
            ++calls;
            throw Trouble{};
        };
        for (int i = 0; i != 20; ++i)
            CHECK_THROWS_AS(pipeline(Retry{.max_attempts = 2, .wait = 0s, .budget = budget}).call(f),
                            Trouble);
        CHECK(calls == 30);
        CHECK(budget->balance() == 0.0);
    }
}

TEST_CASE("Pipeline: an empty budget earns again by calls without a retry") {
    RetryBudget budget{{.ratio = 0.1, .capacity = 5}};
    while (budget.try_withdraw()) {}
    const auto protect = pipeline(Retry{.max_attempts = 2, .wait = 0s, .budget = &budget});
    const auto copy = protect;
    int calls = 0;
    for (int i = 0; i != 10; ++i)
        CHECK_THROWS_AS(copy.call([&]() -> int {
            ++calls;
            throw Trouble{};
        }),
                        Trouble);
    CHECK(calls == 10);
    CHECK(budget.balance() == 0.0);
    for (int i = 0; i != 10; ++i) CHECK(copy.call([] {}).has_value()); // void deposits too
    CHECK(budget.balance() == 1.0);
    CHECK(copy.call([&] { return calls++ == 10 ? -1 : 1; }, negative_fails) == Result<int>{1});
}

TEST_CASE("Pipeline: work that was done too late is not thrown away") {
    Rig rig;
    const auto handle = std::make_shared<int>(1);
    {
        const auto answer = pipeline(Timeout{100ms}).with(rig.clock).call([&] {
            rig.clock.advance(150ms);
            return handle;
        });
        REQUIRE(answer);
        CHECK(handle.use_count() == 2);
    }
    CHECK(handle.use_count() == 1);
}

TEST_CASE("Pipeline: an outer timeout ends the retries inside") {
    Rig rig;
    Script script = rig.script({fails(1, 40ms)});
    CHECK(ending_of([&] {
              return pipeline(Timeout{500ms}, Retry{.max_attempts = 10, .wait = 100ms})
                  .with(rig.clock)
                  .call(script);
          }) == "threw 1");
    CHECK(script.starts == Times{0ms, 140ms, 280ms, 420ms});
    CHECK(rig.now() == 460ms);
}

TEST_CASE("Pipeline: the time of the first attempt counts") {
    Rig rig;
    Script script = rig.script({fails(1, 60ms)});
    CHECK(ending_of([&] {
              return pipeline(Timeout{100ms}, Retry{.max_attempts = 10, .wait = 10ms})
                  .with(rig.clock)
                  .call(script);
          }) == "threw 1");
    CHECK(script.starts == Times{0ms, 70ms});
    CHECK(rig.now() == 130ms);
}

TEST_CASE("Pipeline: the second attempt is given what is left") {
    Rig rig;
    Script script = rig.script({fails(1, 40ms), gives(1)});
    CHECK(pipeline(Timeout{100ms}, Retry{.wait = 10ms}).with(rig.clock).call(script));
    CHECK(script.remaining == Times{100ms, 50ms});
}

TEST_CASE("Pipeline: of two timeouts the shorter counts, whichever is inside") {
    for (const auto& [outer, inner, left] :
         {std::tuple{100ms, 200ms, 100ms}, {200ms, 100ms, 100ms}, {100ms, 100ms, 100ms}}) {
        Rig rig;
        Script script = rig.script({gives(1)});
        CHECK(pipeline(Timeout{outer}, Timeout{inner}).with(rig.clock).call(script));
        CHECK(script.remaining == Times{left});
    }
}

TEST_CASE("Pipeline: a caller that cancels does not receive the fallback's value") {
    Rig rig;
    StopsAt f{rig, 10ms, 20ms};
    int answered = 0;
    CHECK(ending_of([&] {
              return pipeline(Fallback{[&](const auto&) {
                         ++answered;
                         return -1;
                     }})
                  .with(rig.clock)
                  .call({.stop = rig.source.get_token()}, f);
          }) == "threw 1");
    CHECK(rig.now() == 20ms);
    CHECK(answered == 0);
}

TEST_CASE("Pipeline: a breaker opens whether the fallback is outside or inside") {
    const Fallback nine{[](const auto&) { return 9; }};
    const auto throws = []() -> int { throw Trouble{}; };
    CircuitBreaker<> inside{{.threshold = 3}};
    for (int i = 0; i != 3; ++i) CHECK(pipeline(nine, inside).call(throws) == Result<int>{9});
    CHECK(inside.state() == State::open);
    bool called = false;
    CHECK(pipeline(nine, inside).call([&] { return called = true, 1; }) == Result<int>{9});
    CHECK_FALSE(called);
    CircuitBreaker<> outside{{.threshold = 3}};
    for (int i = 0; i != 3; ++i) CHECK(pipeline(outside, nine).call(throws) == Result<int>{9});
    CHECK(outside.state() == State::open);
}

TEST_CASE("Pipeline: a fallback leaves successes of every kind as they are") {
    const Fallback spare{[](const auto&) { return 0; }};
    CHECK(pipeline(spare).call([] { return 223; }) == Result<int>{223});
    CHECK(pipeline(Fallback{[](const auto&) {}}).call([] {}).has_value());
    const auto moved =
        pipeline(Fallback{[](const Refusal&) { return std::make_unique<int>(0); }}, Retry{}).call([] {
            return std::make_unique<int>(7);
        });
    CHECK(**moved == 7);
}

TEST_CASE("Pipeline: where the fallback stands decides how often it answers") {
    Rig rig;
    int answered = 0;
    const Fallback nine{[&](const auto&) { return ++answered, 9; }};
    const Retry retry{.wait = ExponentialBackoff{.initial = 10ms}};
    Script inside = rig.script({fails()});
    CHECK(ending_of([&] { return pipeline(retry, nine).with(rig.clock).call(inside); }) == "value 9");
    CHECK(inside.calls() == 3);
    CHECK(answered == 3);
    Script outside = rig.script({fails()});
    const auto began = rig.now();
    CHECK(ending_of([&] { return pipeline(nine, retry).with(rig.clock).call(outside); }) == "value 9");
    CHECK(outside.calls() == 3);
    CHECK(rig.now() - began == 30ms);
    CHECK(answered == 4);
}

TEST_CASE("Pipeline: an error that is declared no failure triggers no fallback") {
    struct NotFound {};
    CircuitBreaker<> breaker{{.threshold = 1}};
    const auto protect = pipeline(Fallback{[](const auto&) { return 9; }}, breaker);
    const auto judge = dashpot::on_exception<NotFound>(Outcome::ignored);
    CHECK_THROWS_AS(protect.call([]() -> int { throw NotFound{}; }, judge), NotFound);
    CHECK(breaker.state() == State::closed);
    CHECK(protect.call([]() -> int { throw Trouble{}; }, judge) == Result<int>{9});
    CHECK(breaker.state() == State::open);
}

TEST_CASE("Pipeline: pieces are entered as written and left in reverse, also by an exception") {
    std::string text;
    Journal a{'a', text};
    Journal b{'b', text};
    Journal c{'c', text};
    CHECK_THROWS_AS(pipeline(a, b, c).call([]() -> int { throw Trouble{}; }), Trouble);
    CHECK_THROWS_AS(pipeline(c, a, b).call([]() -> int { throw Trouble{}; }), Trouble);
    CHECK(text == "abcfcfbfacabfbfafc");
}

TEST_CASE("Pipeline: nested retries multiply, and a shared budget bounds them") {
    Rig rig;
    RetryBudget budget{{.ratio = 0.1, .capacity = 2}};
    for (RetryBudget* shared : {static_cast<RetryBudget*>(nullptr), &budget}) {
        const Retry retry{.wait = 0s, .budget = shared};
        Script script = rig.script({fails()});
        (void)ending_of([&] { return pipeline(retry, retry).with(rig.clock).call(script); });
        CHECK(script.calls() == (shared == nullptr ? 9 : 3));
    }
}

TEST_CASE("Pipeline: callers that lose patience do not open the breaker of a healthy target") {
    Rig rig;
    CircuitBreaker<ManualClock> breaker{{.threshold = 3}, {}, rig.clock};
    struct GaveUpWaiting {};
    const auto judge = dashpot::on_exception<GaveUpWaiting>(Outcome::ignored);
    for (int i = 0; i != 3; ++i) {
        std::stop_source source;
        CHECK_THROWS_AS(pipeline(Timeout{100ms}, breaker)
                            .with(rig.clock)
                            .call(
                                {.stop = source.get_token()},
                                [&](const Attempt& attempt) -> int {
                                    source.request_stop();
                                    if (attempt.stop.stop_requested()) throw GaveUpWaiting{};
                                    return 1;
                                },
                                judge),
                        GaveUpWaiting);
    }
    CHECK(breaker.state() == State::closed);
    breaker.trip();
    rig.clock.advance(10s);
    CHECK_THROWS_AS(pipeline(breaker).call([]() -> int { throw GaveUpWaiting{}; }, judge),
                    GaveUpWaiting);
    CHECK(breaker.state() == State::half_open);
    CHECK(breaker.snapshot().probes_in_flight == 0);
}

} // namespace tests::field_cases_pipelines
