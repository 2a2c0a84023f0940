// SPDX-License-Identifier: MIT
#include <dashpot/pipeline/fallback.hpp>
#include <dashpot/pipeline/pipeline.hpp>

#include "catch.hpp"
#include "pipeline/script.hpp"

#include <exception>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

namespace tests::pipeline_fallback {

using namespace support;
using dashpot::Error;
using dashpot::Fallback;
using dashpot::pipeline;
using dashpot::Refused;
using dashpot::Result;
using dashpot::Retry;
using dashpot::RetryStats;

namespace {

/// A handler for all three, that writes down what it was given: r, e or v.
struct Handler {
    std::string* given;
    int operator()(const Refusal&) const { return *given += 'r', 9; }
    int operator()(std::exception_ptr) const { return *given += 'e', 9; }
    int operator()(const int&) const { return *given += 'v', 9; }
};

Outcome negative_fails(int value) { return value < 0 ? Outcome::failure : Outcome::success; }

struct Rig {
    std::string journal{};
    Journal guard{'a', journal};
    std::string given{};
    Fallback<Handler> fallback{Handler{&given}};
};

constexpr auto throws = []() -> int { throw Trouble{1}; };

} // namespace

TEST_CASE("Fallback: answers a refusal", "[pipeline]") {
    Rig rig;
    rig.guard.refuses = Refusal{Error::throttled, 5s};
    std::optional<Refusal> heard;
    const auto protect = pipeline(Fallback{[&](const Refusal& refusal) {
                                      heard = refusal;
                                      return 9;
                                  }},
                                  rig.guard);
    CHECK(protect.call([] { return 1; }) == Result<int>{9});
    CHECK(heard == Refusal{Error::throttled, 5s});
}

TEST_CASE("Fallback: leaves a success and an ignored ending alone", "[pipeline]") {
    Rig rig;
    CHECK(pipeline(rig.fallback).call([] { return 1; }) == Result<int>{1});
    CHECK(pipeline(rig.fallback).call([] { return 1; }, [](int) { return Outcome::ignored; }) ==
          Result<int>{1});
    CHECK_THROWS_AS(
        pipeline(rig.fallback).call(throws, [](std::exception_ptr) { return Outcome::ignored; }),
        Trouble);
    CHECK(rig.given.empty());
}

TEST_CASE("Fallback: answers a failure, if its handler takes what it ended with", "[pipeline]") {
    Rig rig;
    CHECK(pipeline(rig.fallback).call(throws) == Result<int>{9});
    CHECK(pipeline(rig.fallback).call([] { return -1; }, negative_fails) == Result<int>{9});
    CHECK(rig.given == "ev");

    const Fallback refusals_only{[](const Refusal&) { return 9; }};
    CHECK_THROWS_AS(pipeline(refusals_only).call(throws), Trouble);
    CHECK(pipeline(refusals_only).call([] { return -1; }, negative_fails) == Result<int>{-1});

    CHECK(pipeline(Fallback{[](const auto&) { return 9; }}).call(throws) == Result<int>{9});
}

TEST_CASE("Fallback: the handler receives the exception and the value themselves", "[pipeline]") {
    struct Looks {
        std::unique_ptr<int> operator()(const Refusal&) const { return nullptr; }
        std::unique_ptr<int> operator()(const std::unique_ptr<int>& value) const {
            return std::make_unique<int>(*value * 2);
        }
        std::unique_ptr<int> operator()(const std::exception_ptr& thrown) const {
            try {
                std::rethrow_exception(thrown);
            } catch (const Trouble& trouble) {
                return std::make_unique<int>(trouble.number);
            }
        }
    };
    const auto protect = pipeline(Fallback{Looks{}});
    const auto fails_always = [](const auto&) { return Outcome::failure; };
    CHECK(**protect.call([] { return std::make_unique<int>(21); }, fails_always) == 42);
    CHECK(**protect.call([]() -> std::unique_ptr<int> { throw Trouble{7}; }) == 7);
}

TEST_CASE("Fallback: what the handler throws passes through", "[pipeline]") {
    struct Throws {
        int operator()(const Refusal&) const { throw Trouble{5}; }
        int operator()(std::exception_ptr) const { throw Trouble{6}; }
    };
    Rig rig;
    CHECK(ending_of([&] { return pipeline(Fallback{Throws{}}).call(throws); }) == "threw 6");
    rig.guard.refuses = Refusal{Error::throttled};
    CHECK(ending_of([&] { return pipeline(Fallback{Throws{}}, rig.guard).call(throws); }) == "threw 5");
}

TEST_CASE("Fallback: a handler may rethrow the exception, whose object stays the same", "[pipeline]") {
    struct Rethrows {
        int operator()(const Refusal&) const { return 1; }
        int operator()(const std::exception_ptr& thrown) const { std::rethrow_exception(thrown); }
    };
    const auto one = std::make_exception_ptr(Trouble{3});
    try {
        (void)pipeline(Fallback{Rethrows{}}).call([&]() -> int { std::rethrow_exception(one); });
        FAIL("it threw");
    } catch (const Trouble&) {
        CHECK(std::current_exception() == one);
    }
}

TEST_CASE("Fallback: a handler declines by a Result without a value", "[pipeline]") {
    Rig rig;
    const Fallback only_throttled{[](const Refusal& refusal) -> Result<int> {
        if (refusal == Error::throttled) return 9;
        return Refused{refusal};
    }};
    const auto ending = [&](Error reason) {
        rig.guard.refuses = Refusal{reason, 1s};
        return pipeline(only_throttled, rig.guard).call([] { return 1; });
    };
    CHECK(ending(Error::throttled) == Result<int>{9});
    CHECK(ending(Error::rate_limited) == Result<int>{Refused{Refusal{Error::rate_limited, 1s}}});

    rig.guard.refuses = Refusal{Error::rate_limited};
    CHECK(pipeline(rig.fallback, only_throttled, rig.guard).call([] { return 1; }) == Result<int>{9});
    CHECK(rig.given == "r"); // the outer one answers what the inner one declined
    CHECK(pipeline(Fallback{[](const Refusal& refusal) { return Refused{refusal}; }}, rig.guard)
              .call([] { return 1; })
              .error() == Error::rate_limited);
}

TEST_CASE("Fallback: of two, the outer leaves alone what the inner has answered", "[pipeline]") {
    Rig rig;
    const Fallback bad{[](const auto&) { return -1; }}; // would be judged a failure
    CHECK(pipeline(rig.fallback, bad).call([] { return -2; }, negative_fails) == Result<int>{-1});
    CHECK(pipeline(rig.fallback, bad).call(throws) == Result<int>{-1});
    rig.guard.refuses = Refusal{Error::throttled};
    CHECK(pipeline(rig.fallback, bad, rig.guard).call([] { return 1; }) == Result<int>{-1});
    CHECK(rig.given.empty());
}

TEST_CASE("Fallback: of two, the outer may answer what the inner's handler throws", "[pipeline]") {
    struct Throws {
        int operator()(const Refusal&) const { throw Trouble{5}; }
        int operator()(std::exception_ptr) const { throw Trouble{6}; }
    };
    Rig rig;
    CHECK(pipeline(rig.fallback, Fallback{Throws{}}).call(throws) == Result<int>{9});
    rig.guard.refuses = Refusal{Error::throttled};
    CHECK(pipeline(rig.fallback, Fallback{Throws{}}, rig.guard).call([] { return 1; }) ==
          Result<int>{9});
    CHECK(rig.given == "ee");
}

TEST_CASE("Fallback: is not called for cancelled", "[pipeline]") {
    Rig rig;
    rig.guard.refuses = Refusal{Error::cancelled};
    CHECK(pipeline(rig.fallback, rig.guard).call([] { return 1; }).error() == Error::cancelled);
    CHECK(rig.given.empty());
}

TEST_CASE("Fallback: is not called once a stop was requested, whatever the ending", "[pipeline]") {
    Rig rig;
    std::stop_source source;
    const auto ending = [&](auto f) {
        source = std::stop_source{};
        return ending_of([&] {
            return pipeline(rig.fallback, rig.guard)
                .call({.stop = source.get_token()}, f, [](const auto&) { return Outcome::failure; });
        });
    };
    CHECK(ending([&]() -> int { return source.request_stop(), -1; }) == "value -1");
    const auto stops_and_throws = [&]() -> int {
        source.request_stop();
        throw Trouble{2};
    };
    CHECK(ending_of([&] {
              source = std::stop_source{};
              return pipeline(rig.fallback, rig.guard)
                  .call({.stop = source.get_token()}, stops_and_throws);
          }) == "threw 2");
    struct StopsAndRefuses {
        std::stop_source* source;
        Journal* journal;
        Journal::Permit try_acquire() const {
            source->request_stop();
            return Journal::Permit{journal, Refusal{Error::throttled}};
        }
    };
    source = std::stop_source{};
    StopsAndRefuses refusing{&source, &rig.guard};
    CHECK(
        pipeline(rig.fallback, refusing).call({.stop = source.get_token()}, [] { return 1; }).error() ==
        Error::throttled);
    CHECK(rig.given.empty());
}

TEST_CASE("Fallback: its handler holds no guard inside, and those outside", "[pipeline]") {
    dashpot::Bulkhead outer{1};
    dashpot::Bulkhead inner{1};
    const Fallback looks{[&](const auto&) {
        CHECK(outer.in_flight() == 1);
        CHECK(inner.in_flight() == 0);
        return 9;
    }};
    CHECK(pipeline(outer, looks, inner).call(throws) == Result<int>{9});
}

TEST_CASE("Fallback: guards outside record how the call itself ended", "[pipeline]") {
    Rig rig;
    std::string inner_text;
    Journal inner{'b', inner_text};
    const auto protect = pipeline(rig.guard, rig.fallback, inner);
    CHECK(protect.call(throws) == Result<int>{9});
    CHECK(protect.call([] { return -1; }, negative_fails) == Result<int>{9});
    inner.refuses = Refusal{Error::throttled};
    CHECK(protect.call([] { return 1; }) == Result<int>{9});
    CHECK(rig.journal == "afaafaara");

    dashpot::CircuitBreaker<> breaker{{.threshold = 3}};
    for (int i = 0; i != 3; ++i) CHECK(pipeline(breaker, rig.fallback).call(throws) == Result<int>{9});
    CHECK(breaker.state() == dashpot::State::open);
}

TEST_CASE("Fallback: a Retry outside calls the handler at every attempt", "[pipeline]") {
    Rig rig;
    const ManualClock clock;
    Script script{clock, {fails()}};
    CHECK(pipeline(Retry{.wait = 0s}, rig.fallback).with(clock).call(script) == Result<int>{9});
    CHECK(script.calls() == 3);
    CHECK(rig.given == "eee");

    Script second{clock, {fails(), gives(2)}};
    CHECK(pipeline(Retry{.wait = 0s}, rig.fallback).with(clock).call(second) == Result<int>{2});

    Script third{clock, {fails()}};
    rig.given.clear();
    CHECK(pipeline(rig.fallback, Retry{.wait = 0s}).with(clock).call(third) == Result<int>{9});
    CHECK(third.calls() == 3);
    CHECK(rig.given == "e");
}

TEST_CASE("Fallback: returns nothing for a call that returns nothing, and a reference for a reference",
          "[pipeline]") {
    int handled = 0;
    CHECK(
        pipeline(Fallback{[&](const auto&) { ++handled; }}).call([] { throw Trouble{}; }).has_value());
    CHECK(handled == 1);
    CHECK(pipeline(Fallback{[&](const auto&) -> Result<void> { return Refused{{Error::throttled}}; }})
              .call([] { throw Trouble{}; })
              .error() == Error::throttled);
    static int spare = 7;
    int here = 1;
    const auto protect = pipeline(Fallback{[](const auto&) -> int& { return spare; }});
    CHECK(&protect.call([&]() -> int& { return here; })->get() == &here);
    CHECK(&protect.call([]() -> int& { throw Trouble{}; })->get() == &spare);
}

TEST_CASE("Fallback: its value converts to what the function returns", "[pipeline]") {
    const Fallback text{[](const auto&) { return "none"; }};
    CHECK(pipeline(text).call([]() -> std::string { throw Trouble{}; }) == Result<std::string>{"none"});
    struct Base {
        virtual ~Base() = default;
    };
    struct Derived : Base {};
    const Fallback derived{[](const auto&) { return std::make_unique<Derived>(); }};
    CHECK(*pipeline(derived).call([]() -> std::unique_ptr<Base> { throw Trouble{}; }) != nullptr);
}

TEST_CASE("Fallback: a Result that the function itself returns is a value like any other",
          "[pipeline]") {
    const Fallback cached{[](const auto&) -> Result<int> { return 9; }};
    const auto refused = []() -> Result<int> { return Refused{{Error::timed_out}}; };
    const auto answer = pipeline(cached).call(refused); // a failure, by the default classifier
    REQUIRE(answer);
    CHECK(*answer == Result<int>{9});
}

TEST_CASE("Fallback: counts its answers", "[pipeline]") {
    RetryStats stats;
    Rig rig;
    rig.fallback.stats = &stats;
    CHECK(pipeline(rig.fallback).call([] { return 1; }));
    CHECK(stats.fallbacks() == 0);
    CHECK(pipeline(rig.fallback).call(throws));
    CHECK(stats.fallbacks() == 1);
    const Fallback declines{[](const auto&) -> Result<int> { return Refused{{Error::throttled}}; },
                            &stats};
    CHECK_FALSE(pipeline(declines).call(throws));
    CHECK(stats.fallbacks() == 1);
}

} // namespace tests::pipeline_fallback
