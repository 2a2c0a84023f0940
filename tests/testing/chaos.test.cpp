// SPDX-License-Identifier: MIT
#include <dashpot/testing/chaos.hpp>

#include "catch.hpp"
#include "pipeline/script.hpp"

#include <exception>
#include <sstream>
#include <stdexcept>
#include <stop_token>
#include <vector>

namespace tests::testing_chaos {

using namespace support;
using dashpot::Fallback;
using dashpot::pipeline;
using dashpot::Result;
using dashpot::Retry;
using dashpot::testing::Chaos;

namespace {

std::exception_ptr trouble() { return std::make_exception_ptr(Trouble{7}); }
std::exception_ptr nothing() { return nullptr; }

/// Which of 1000 calls fail.
template <class Protect>
std::vector<bool> failures_of(const Protect& protect) {
    std::vector<bool> failed;
    for (int i = 0; i != 1000; ++i)
        failed.push_back(ending_of([&] { return protect.call([] { return 1; }); }) == "threw 7");
    return failed;
}
std::ptrdiff_t count(const std::vector<bool>& failed) {
    return std::count(failed.begin(), failed.end(), true);
}

} // namespace

TEST_CASE("Chaos: by default it changes nothing", "[testing]") {
    const ManualClock clock;
    const auto protect = pipeline(Chaos{}).with(clock);
    for (int i = 0; i != 100; ++i) CHECK(protect.call([] { return 1; }) == Result<int>{1});
    CHECK(clock.now() == dashpot::Instant{});
}

TEST_CASE("Chaos: an injected failure is an exception, and the function is not called", "[testing]") {
    int calls = 0;
    const auto f = [&] { return ++calls; };
    CHECK_THROWS_AS(pipeline(Chaos{.failure_rate = 1.0}).call(f), std::runtime_error);
    CHECK_THROWS_AS(pipeline(Chaos{.failure_rate = 1.0, .make_failure = trouble}).call(f), Trouble);
    CHECK(calls == 0);
    CHECK(pipeline(Chaos{.failure_rate = 1.0, .make_failure = nothing}).call(f) == Result<int>{1});
}

TEST_CASE("Chaos: an injected failure is judged like one of the function", "[testing]") {
    std::string text;
    Journal guard{'a', text};
    const Chaos chaos{.failure_rate = 1.0, .make_failure = trouble};
    const auto f = [] { return 1; };
    CHECK_THROWS_AS(pipeline(guard, chaos).call(f), Trouble);
    CHECK_THROWS_AS(pipeline(guard, chaos).call(f, [](std::exception_ptr) { return Outcome::ignored; }),
                    Trouble);
    CHECK(text == "afaaia");
    CHECK_THROWS_AS(pipeline(chaos, guard).call(f), Trouble);
    CHECK(text == "afaaia"); // what is inside is not asked
    CHECK(pipeline(Fallback{[](const auto&) { return 9; }}, guard, chaos).call(f) == Result<int>{9});
    const auto nested = pipeline(chaos);
    CHECK_THROWS_AS(pipeline(guard, nested).call(f), Trouble);
    CHECK(text == "afaaiaafaafa");
}

TEST_CASE("Chaos: a Retry outside tries an injected failure again, and pays for it", "[testing]") {
    dashpot::RetryBudget budget;
    const Chaos chaos{.failure_rate = 1.0, .make_failure = trouble};
    CHECK_THROWS_AS(pipeline(Retry{.wait = 0s, .budget = &budget}, chaos).call([] { return 1; }),
                    Trouble);
    CHECK(budget.balance() == 98.0);
}

TEST_CASE("Chaos: fails at the given rate", "[testing]") {
    const auto at = [](double rate) {
        return count(
            failures_of(pipeline(Chaos{.failure_rate = rate, .seed = 1, .make_failure = trouble})));
    };
    CHECK(at(0.0) == 0);
    CHECK(at(1.0) == 1000);
    CHECK(at(0.3) > 250);
    CHECK(at(0.3) < 350);
}

TEST_CASE("Chaos: a seed repeats the choices, and another seed does not", "[testing]") {
    const auto with = [](std::uint64_t seed) {
        return failures_of(pipeline(Chaos{.failure_rate = 0.5, .seed = seed, .make_failure = trouble}));
    };
    CHECK(with(1) == with(1));
    CHECK(with(1) != with(2));
    const auto protect = pipeline(Chaos{.failure_rate = 0.5, .make_failure = trouble});
    CHECK(failures_of(protect) != failures_of(protect));
}

TEST_CASE("Chaos: a copy continues where the original is", "[testing]") {
    const auto protect = pipeline(Chaos{.failure_rate = 0.5, .seed = 1, .make_failure = trouble});
    (void)failures_of(protect);
    const auto copy = protect;
    auto assigned = pipeline(Chaos{});
    assigned = protect;
    const auto next = failures_of(protect);
    CHECK(failures_of(copy) == next);
    CHECK(failures_of(assigned) == next);
}

TEST_CASE("Chaos: delays at the given rate, by the pipeline's clock", "[testing]") {
    const ManualClock clock;
    const auto protect = pipeline(Chaos{.delay_rate = 0.5, .delay = 1s, .seed = 1}).with(clock);
    for (int i = 0; i != 1000; ++i) CHECK(protect.call([] { return 1; }));
    CHECK(clock.now() > dashpot::Instant{450s});
    CHECK(clock.now() < dashpot::Instant{550s});
}

TEST_CASE("Chaos: a delay ends at the deadline and at a stop, and the call goes on", "[testing]") {
    const ManualClock clock;
    const auto protect = pipeline(Chaos{.delay_rate = 1.0, .delay = 1h}).with(clock);
    CHECK(protect.call({.timeout = 2s}, [](const dashpot::Attempt& attempt) {
        return attempt.remaining();
    }) == Result<std::chrono::nanoseconds>{0ns});
    CHECK(clock.now() == dashpot::Instant{2s});
}

TEST_CASE("Chaos: names the option out of range, and prints itself", "[testing]") {
    CHECK_THROWS_WITH(pipeline(Chaos{.failure_rate = 50.0}),
                      "Chaos::failure_rate is 50, must be in [0, 1]; for 50 % write 0.5");
    CHECK_THROWS_WITH(pipeline(Chaos{.delay_rate = -0.1}),
                      "Chaos::delay_rate is -0.1, must be in [0, 1]; for 50 % write 0.5");
    CHECK_THROWS_WITH(pipeline(Chaos{.delay = -1s}), "Chaos::delay is -1s, must be 0s or longer");
    std::ostringstream text;
    text << Chaos{.failure_rate = 0.3, .delay = 1s, .seed = 1};
    CHECK(text.str() == "Chaos{.failure_rate = 0.3, .delay_rate = 0, .delay = 1s, .seed = 1}");
}

} // namespace tests::testing_chaos
