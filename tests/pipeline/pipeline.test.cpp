// SPDX-License-Identifier: MIT
#include <dashpot/pipeline/pipeline.hpp>

#include "catch.hpp"
#include "pipeline/script.hpp"

#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

namespace tests::pipeline_pipeline {

using namespace support;
using dashpot::Attempt;
using dashpot::Bulkhead;
using dashpot::CallOptions;
using dashpot::Deadline;
using dashpot::Error;
using dashpot::Fallback;
using dashpot::pipeline;
using dashpot::Result;
using dashpot::Retry;
using dashpot::State;
using dashpot::Timeout;
using dashpot::Verdict;
using Breaker = dashpot::CircuitBreaker<ManualClock>;
using Target = dashpot::Target<ManualClock>;

namespace {

struct Rig {
    ManualClock clock;
    std::string journal{};
    Journal a{'a', journal};
    Journal b{'b', journal};
    Journal c{'c', journal};
};

} // namespace

TEST_CASE("Pipeline: enters its guards as written and leaves them in reverse", "[pipeline]") {
    Rig rig;
    const auto protect = pipeline(rig.a, rig.b, rig.c);
    CHECK(protect.call([&] {
        rig.journal += '(';
        return 1;
    }) == Result<int>{1});
    CHECK(rig.journal == "abc(scsbsa");
    rig.journal.clear();
    CHECK_THROWS_AS(protect.call([]() -> int { throw Trouble{}; }), Trouble);
    CHECK(rig.journal == "abcfcfbfa");
}

TEST_CASE("Pipeline: a guard that refuses ends the call, and those outside give their permits back",
          "[pipeline]") {
    Rig rig;
    rig.c.refuses = Refusal{Error::rate_limited, 3s};
    const auto answer = pipeline(rig.a, rig.b, rig.c).call([&] { return 1; });
    REQUIRE_FALSE(answer);
    CHECK(answer.error() == Refusal{Error::rate_limited, 3s});
    CHECK(rig.journal == "abrbra");
}

TEST_CASE("Pipeline: an empty one calls the function", "[pipeline]") {
    CHECK(pipeline().call([] { return 1; }) == Result<int>{1});
    CHECK_THROWS_AS(pipeline().call([]() -> int { throw Trouble{}; }), Trouble);
}

TEST_CASE("Pipeline: each attempt is judged once, whatever the number of guards", "[pipeline]") {
    Rig rig;
    int judged = 0;
    const auto classify = [&](int) {
        ++judged;
        return Outcome::ignored;
    };
    CHECK(pipeline(Fallback{[](const auto&) { return 9; }}, rig.a, Retry{}, rig.b, rig.c)
              .call([] { return 1; }, classify) == Result<int>{1});
    CHECK(judged == 1);
    CHECK(rig.journal == "abcicibia");

    judged = 0;
    const auto of_exceptions = [&](std::exception_ptr) {
        ++judged;
        return Outcome::failure;
    };
    CHECK_THROWS_AS(pipeline(rig.a, Retry{.max_attempts = 2, .wait = 0s}, rig.b)
                        .call([]() -> int { throw Trouble{}; }, of_exceptions),
                    Trouble);
    CHECK(judged == 2);
}

TEST_CASE("Pipeline: a classifier that throws counts as ignored, and its exception is passed through",
          "[pipeline]") {
    Rig rig;
    const auto protect = pipeline(rig.a, Retry{.wait = 0s}, rig.b);
    int calls = 0;
    CHECK_THROWS_AS(protect.call([&] { return ++calls; }, [](int) -> Outcome { throw Trouble{}; }),
                    Trouble);
    CHECK_THROWS_AS(protect.call(
                        [&]() -> int {
                            ++calls;
                            throw 7;
                        },
                        [](std::exception_ptr) -> Outcome { throw Trouble{}; }),
                    Trouble);
    CHECK(rig.journal == "abibiaabibia");
    CHECK(calls == 2);
}

TEST_CASE("Pipeline: an exception is a failure where the classifier does not take it", "[pipeline]") {
    Rig rig;
    CHECK_THROWS_AS(
        pipeline(rig.a, rig.b).call([]() -> int { throw 7; }, [](int) { return Outcome::ignored; }),
        int);
    CHECK(rig.journal == "abfbfa");
}

TEST_CASE("Pipeline: a function takes an Attempt or nothing", "[pipeline]") {
    CHECK(pipeline().call([](const Attempt& attempt) { return attempt.number; }) ==
          Result<std::uint32_t>{1U});
    CHECK(pipeline().call([](Attempt attempt) { return attempt.number; }) == Result<std::uint32_t>{1U});
    CHECK(pipeline().call([](const auto& attempt) { return attempt.number; }) ==
          Result<std::uint32_t>{1U});
    struct Both {
        int operator()() const { return 1; }
        int operator()(const Attempt&) const { return 2; }
    };
    CHECK(pipeline().call(Both{}) == Result<int>{2});
}

TEST_CASE("Pipeline: carries void, references and values that can only be moved", "[pipeline]") {
    Rig rig;
    const auto protect = pipeline(Fallback{[](const Refusal&) -> int& { throw Trouble{}; }},
                                  Retry{.wait = 0s}, rig.a, Timeout{1s});
    int there = 1;
    Result<int&> by_reference = protect.call([&]() -> int& { return there; });
    by_reference->get() = 2;
    CHECK(there == 2);

    const auto guarded = pipeline(Timeout{1s}, Retry{.wait = 0s}, rig.a);
    bool called = false;
    CHECK(guarded.call([&] { called = true; }).has_value());
    CHECK(called);

    auto moved = guarded.call([] { return std::make_unique<int>(42); });
    REQUIRE(moved);
    CHECK(**moved == 42);

    auto only_moved = [owner = std::make_unique<int>(7)] { return *owner; };
    CHECK(guarded.call(std::move(only_moved)) == Result<int>{7});
}

TEST_CASE("Pipeline: without a Retry a function may be called as an rvalue", "[pipeline]") {
    struct OnlyOnce {
        std::unique_ptr<int> owned = std::make_unique<int>(3);
        std::unique_ptr<int> operator()() && { return std::move(owned); }
    };
    Rig rig;
    CHECK(**pipeline(Timeout{1s}, rig.a).call(OnlyOnce{}) == 3);
}

TEST_CASE("Pipeline: with a Retry a function is called as an lvalue, and nothing is moved out of it",
          "[pipeline]") {
    struct Either {
        std::string* text;
        int operator()() & {
            *text += 'l';
            throw Trouble{};
        }
        int operator()() && {
            *text += 'r';
            throw Trouble{};
        }
    };
    std::string text;
    CHECK_THROWS_AS(pipeline(Retry{.wait = 0s}).call(Either{&text}), Trouble);
    CHECK(text == "lll");
    const auto nested = pipeline(Retry{.max_attempts = 2, .wait = 0s});
    CHECK_THROWS_AS(pipeline(nested).call(Either{&text}), Trouble);
    CHECK(text == "lllll");
    CHECK_THROWS_AS(pipeline().call(Either{&text}), Trouble);
    CHECK(text == "lllllr");
}

TEST_CASE("Pipeline: is a value that can be a member, copied and assigned", "[pipeline]") {
    Rig rig;
    struct Client {
        Journal& guard;
        decltype(pipeline(Retry{}, std::declval<Journal&>(), Timeout{1s})) protect =
            pipeline(Retry{.wait = 0s}, guard, Timeout{1s});
    };
    const Client client{rig.a};
    Client copy{client};
    auto other = pipeline(Retry{.max_attempts = 1}, rig.b, Timeout{2s});
    other = copy.protect;
    CHECK(other.call([] { return 1; }));
    CHECK(std::as_const(copy).protect.call([] { return 1; }));
    CHECK(rig.journal == "asaasa");
}

TEST_CASE("Pipeline: holds a guard by reference, or a shared_ptr to it", "[pipeline]") {
    auto hull = std::make_shared<Bulkhead>(1U);
    const std::weak_ptr<Bulkhead> alive = hull;
    {
        const auto protect = pipeline(std::move(hull));
        const auto copy = protect;
        CHECK(alive.use_count() == 2);
        CHECK(copy.call([&] { return alive.lock()->in_flight(); }) == Result<std::uint32_t>{1U});
    }
    CHECK(alive.expired());

    Bulkhead other{1};
    const auto by_reference = pipeline(other);
    CHECK(by_reference.call([&] { return other.in_flight(); }) == Result<std::uint32_t>{1U});
}

TEST_CASE("Pipeline: a shared_ptr that holds nothing is refused", "[pipeline]") {
    CHECK_THROWS_WITH(pipeline(std::shared_ptr<Bulkhead>{}),
                      "pipeline(): a std::shared_ptr is null, must hold a guard");
    using Inner = decltype(pipeline(Retry{}));
    CHECK_THROWS_AS(pipeline(std::shared_ptr<const Inner>{}), std::invalid_argument);
}

TEST_CASE("Pipeline: options are refused when it is made", "[pipeline]") {
    CHECK_THROWS_WITH(pipeline(Timeout{0s}), "Timeout::limit is 0s, must be longer than 0s");
    CHECK_THROWS_AS(pipeline(Retry{.max_attempts = 0}), std::invalid_argument);
}

TEST_CASE("Pipeline: a breaker, a bulkhead and a target are guards", "[pipeline]") {
    ManualClock clock;
    Breaker breaker{{.threshold = 2}, {.reset_timeout = 10s}, clock};
    Bulkhead hull{1};
    Target target{"CORE", {.policy = {2}, .max_concurrent = 1}, clock};
    const auto protect = pipeline(breaker, hull, target);
    const auto in_flight = [&] { return std::pair{hull.in_flight(), target.bulkhead().in_flight()}; };
    CHECK(protect.call([&] { return in_flight() == std::pair{1U, 1U}; }) == Result<bool>{true});
    CHECK(in_flight() == std::pair{0U, 0U});

    const auto inside = hull.try_acquire();
    CHECK(protect.call([] { return 1; }).error() == Error::bulkhead_full);
    CHECK(breaker.snapshot().ignored == 0); // given back
    hull.resize(2);
    for (int i = 0; i != 2; ++i)
        CHECK_THROWS_AS(protect.call([]() -> int { throw Trouble{}; }), Trouble);
    CHECK(breaker.state() == State::open);
    CHECK(target.breaker().state() == State::open);
    CHECK(protect.call([] { return 1; }).error() == Refusal{Error::circuit_open, 10s});
    CHECK(hull.in_flight() == 1);
}

TEST_CASE("Pipeline: a probe is given back if a guard further in refuses", "[pipeline]") {
    ManualClock clock;
    Breaker breaker{{.threshold = 1}, {.reset_timeout = 10s}, clock};
    Bulkhead full{0};
    breaker.trip();
    clock.advance(10s);
    CHECK(pipeline(breaker, full).call([] { return 1; }).error() == Error::bulkhead_full);
    CHECK(breaker.state() == State::half_open);
    CHECK(breaker.snapshot().probes_in_flight == 0);
    CHECK(pipeline(breaker).call([] { return 1; }));
    CHECK(breaker.state() == State::closed);
}

TEST_CASE("Pipeline: guards of a user need try_acquire() or try_enter() alone", "[pipeline]") {
    struct Bare {
        struct Pass {
            bool is_granted;
            int* left;
            ~Pass() { ++*left; }
            explicit operator bool() const { return is_granted; }
            Refusal refusal() const { return {Error::throttled}; }
        };
        Pass try_enter() { return {grants, &left}; }
        bool grants = true;
        int left = 0;
    };
    Bare bare;
    CHECK(pipeline(bare).call([&] { return bare.left; }) == Result<int>{0});
    CHECK(bare.left == 1);
    CHECK_THROWS_AS(pipeline(bare).call([]() -> int { throw Trouble{}; }), Trouble);
    CHECK(bare.left == 2);
    bare.grants = false;
    CHECK(pipeline(bare).call([] { return 1; }).error() == Error::throttled);
}

TEST_CASE("Pipeline: a user's permit without release() records a refusal further in as ignored",
          "[pipeline]") {
    struct Recording {
        struct Pass {
            std::string* text;
            explicit operator bool() const { return true; }
            Refusal refusal() const { return {Error::throttled}; }
            void record(Outcome outcome) const { *text += to_string(outcome)[0]; }
        };
        Pass try_acquire() { return {&text}; }
        std::string text{};
    };
    Recording recording;
    Rig rig;
    rig.a.refuses = Refusal{Error::throttled};
    CHECK_FALSE(pipeline(recording, rig.a).call([] { return 1; }));
    CHECK(pipeline(recording).call([] { return 1; }));
    CHECK(recording.text == "is");
}

TEST_CASE("Pipeline: a permit that takes a Verdict receives what the target asked for", "[pipeline]") {
    struct Asked {
        struct Pass {
            std::optional<Verdict>* heard;
            explicit operator bool() const { return true; }
            Refusal refusal() const { return {Error::throttled}; }
            void record(const Verdict& verdict) const { *heard = verdict; }
        };
        Pass try_acquire() { return {&heard}; }
        std::optional<Verdict> heard{};
    };
    Asked asked;
    const auto classify = [](int) { return Verdict{Outcome::failure, 2s}; };
    CHECK(pipeline(asked).call([] { return 1; }, classify));
    CHECK(asked.heard == Verdict{Outcome::failure, 2s});
}

TEST_CASE("Pipeline: a refusal that the function returns is ignored, and is no refusal of its own",
          "[pipeline]") {
    Rig rig;
    Bulkhead full{0};
    const auto answer = pipeline(rig.a, Retry{.wait = 0s}).call([&] {
        return full.try_acquire() ? Result<int>{1}
                                  : Result<int>{dashpot::Refused{{Error::bulkhead_full}}};
    });
    REQUIRE(answer);
    CHECK(answer->error() == Error::bulkhead_full);
    CHECK(rig.journal == "aia");
}

TEST_CASE("Pipeline: pipelines nest as if their pieces were written in place", "[pipeline]") {
    Rig rig;
    const auto inner = pipeline(rig.b, Timeout{500ms});
    const auto outer = pipeline(rig.a, inner, rig.c).with(rig.clock);
    CHECK(outer.call([](const Attempt& attempt) { return attempt.remaining() == 500ms; }) ==
          Result<bool>{true});
    CHECK(rig.journal == "abcscsbsa");
    rig.journal.clear();
    rig.c.refuses = Refusal{Error::throttled};
    CHECK_FALSE(outer.call([] { return 1; }));
    CHECK(rig.journal == "abrbra");
    const auto kept = std::make_shared<decltype(inner)>(inner);
    rig.c.refuses.reset();
    rig.journal.clear();
    CHECK(pipeline(kept, rig.a).with(rig.clock).call([] { return 1; }));
    CHECK(rig.journal == "basasb");
}

TEST_CASE("Pipeline: a nested one without a clock takes the outer one's", "[pipeline]") {
    ManualClock clock;
    Script script{clock, {fails(), gives(1)}};
    const auto inner = pipeline(Retry{.wait = 5s});
    CHECK(pipeline(inner).with(clock).call(script) == Result<int>{1});
    CHECK(script.starts == Times{0s, 5s});
}

TEST_CASE("Pipeline: a nested one with a clock of the same type keeps it", "[pipeline]") {
    ManualClock clock;
    ManualClock inner_clock{dashpot::Instant{1h}};
    Script script{inner_clock, {fails(), gives(1)}};
    const auto inner = pipeline(Retry{.wait = 5s}).with(inner_clock);
    std::chrono::nanoseconds left{};
    const auto seen = [&](const Attempt& attempt) {
        left = attempt.remaining();
        return script(attempt);
    };
    CHECK(pipeline(inner, Timeout{1s}).with(clock).call(seen) == Result<int>{1});
    CHECK(script.starts == Times{1h, 1h + 5s});
    CHECK(clock.now() == dashpot::Instant{});
    CHECK(left == 1s); // the piece behind it has the outer clock again
}

TEST_CASE("Pipeline: with() leaves the original as it is", "[pipeline]") {
    ManualClock clock;
    const auto first = pipeline(Timeout{1s});
    const auto second = first.with(clock);
    const auto reads = [&](const Attempt& attempt) {
        const auto before = attempt.remaining();
        clock.advance(1ms);
        return before - attempt.remaining();
    };
    CHECK(second.call(reads) == Result<std::chrono::nanoseconds>{1ms});
    ManualClock third_clock;
    CHECK(second.with(third_clock).call(reads) == Result<std::chrono::nanoseconds>{0ms});
}

TEST_CASE("Pipeline: is const and has no position of its own, so calls may be made in calls",
          "[pipeline]") {
    Rig rig;
    const auto protect = pipeline(Retry{.max_attempts = 2, .wait = 100ms}).with(rig.clock);
    int outer = 0;
    std::vector<std::uint32_t> inner_numbers;
    const auto ending = ending_of([&] {
        return protect.call([&]() -> int {
            ++outer;
            CHECK_THROWS_AS(protect.call([&](const Attempt& attempt) -> int {
                inner_numbers.push_back(attempt.number);
                throw Trouble{2};
            }),
                            Trouble);
            throw Trouble{1};
        });
    });
    CHECK(ending == "threw 1");
    CHECK(outer == 2);
    CHECK(inner_numbers == std::vector<std::uint32_t>{1, 2, 1, 2});
}

TEST_CASE("Pipeline: exceptions keep their type and their object through every piece", "[pipeline]") {
    struct Special : std::runtime_error {
        using std::runtime_error::runtime_error;
        int code = 42;
    };
    Rig rig;
    const auto protect = pipeline(Fallback{[](const Refusal&) { return 0; }}, Timeout{1s},
                                  Retry{.max_attempts = 2, .wait = 1ms}, rig.a, Timeout{1s})
                             .with(rig.clock);
    const std::exception_ptr one = std::make_exception_ptr(Special{"gone"});
    try {
        (void)protect.call([&]() -> int { std::rethrow_exception(one); });
        FAIL("it threw");
    } catch (const Special& special) {
        CHECK(special.code == 42);
        CHECK(std::current_exception() == one);
    }
    CHECK_THROWS_AS(protect.call([]() -> int { throw 7; }), int);
}

TEST_CASE("Pipeline: has no clock, no pointer and no counter that it does not need", "[pipeline]") {
    Bulkhead hull{1};
    const auto protect = pipeline(hull);
    STATIC_REQUIRE(sizeof(protect) == sizeof(void*));
}

} // namespace tests::pipeline_pipeline
