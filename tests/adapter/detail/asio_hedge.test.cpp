// SPDX-License-Identifier: MIT
#include "../asio_support.hpp"

#include <dashpot/adapter/detail/asio_hedge.hpp>

#include "catch.hpp"

namespace tests::adapter_detail_asio_hedge {

using namespace support;
using dashpot::Backoff;
using dashpot::Hedge;
using dashpot::pipeline;
using dashpot::Retry;
using dashpot::Timeout;
using dashpot::testing::ManualClock;

/// One attempt after another: what each of them does.
struct Script {
    std::vector<std::function<Reply()>> attempts;
    std::vector<std::uint32_t> numbers{};

    Reply operator()(const Attempt& attempt) {
        numbers.push_back(attempt.number);
        return attempts[(std::min)(numbers.size(), attempts.size()) - 1]();
    }
};

const auto first_of = [](auto& script) { return std::ref(script); };

TEST_CASE("AsioHedgeTest: AFastAnswerNeedsNoHedge") {
    Ward ward;
    Script script{{[] { return gives(1); }}};
    CHECK(ending_of([&] {
              return call(pipeline(Hedge{.after = 1h, .budget = &ward.budget}, ward.breaker, ward.hull),
                          first_of(script));
          }) == "value 1");
    CHECK(script.numbers == std::vector<std::uint32_t>{1});
    CHECK(ward.is_free());
}

TEST_CASE("AsioHedgeTest: ASlowAttemptIsHedgedAndTheFirstSuccessWins") {
    Ward ward;
    Script script{{never, [] { return gives(2); }}};
    CHECK(ending_of([&] {
              return call(pipeline(Hedge{.after = 20ms, .max_attempts = 3}, ward.breaker, ward.hull),
                          first_of(script));
          }) == "value 2");
    CHECK(script.numbers == std::vector<std::uint32_t>{1, 2});
    CHECK(ward.is_free());
    CHECK(ward.is_untouched()); // the loser is ignored
    CHECK(ward.breaker.snapshot().totals->successes == 1);
}

TEST_CASE("AsioHedgeTest: AFailedAttemptIsFollowedAtOnce") {
    Script script{{[] { return fails(1); }, [] { return gives(2); }}};
    CHECK(ending_of([&] { return call(pipeline(Hedge{.after = 1h}), first_of(script)); }) == "value 2");
    CHECK(script.numbers == std::vector<std::uint32_t>{1, 2});
}

TEST_CASE("AsioHedgeTest: IfAllFailTheLastFailureSurfaces") {
    Script script{{[] { return fails(1); }, [] { return fails(2); }}};
    CHECK(ending_of([&] { return call(pipeline(Hedge{.after = 1h}), first_of(script)); }) == "threw 2");
    Script of_one{{[] { return fails(7); }}};
    CHECK(ending_of([&] { return call(pipeline(Hedge{.max_attempts = 1}), first_of(of_one)); }) ==
          "threw 7");
}

TEST_CASE("AsioHedgeTest: TheLoserIsIgnoredHoweverItEnds") {
    for (const int loser : {0, 1, 2}) {
        Ward ward;
        Script script{{[&]() -> Reply {
                           return loser == 0   ? gives_late(1, 100ms)
                                  : loser == 1 ? never()
                                               : [] { return gives_late(3, 100ms); }();
                       },
                       [] { return gives(2); }}};
        CHECK(ending_of([&] {
                  return call(
                      pipeline(Hedge{.after = 0s}, ward.breaker, ward.hull), first_of(script),
                      [](int value) { return value == 3 ? Outcome::failure : Outcome::success; });
              }) == "value 2");
        CHECK(ward.is_free());
        CHECK(ward.is_untouched());
        CHECK(ward.breaker.snapshot().totals->successes == 1);
    }
}

TEST_CASE("AsioHedgeTest: TheCallReturnsAfterTheLosersHaveEnded") {
    bool is_over = false;
    bool was_over = false;
    Script script{{[&] { return winds_down(50ms, is_over); }, [] { return gives(2); }}};
    CHECK(ending_of([&]() -> Answer {
              const auto result = co_await call(pipeline(Hedge{.after = 0s}), first_of(script));
              was_over = is_over;
              co_return result;
          }) == "value 2");
    CHECK(was_over);
}

TEST_CASE("AsioHedgeTest: ARefusedExtraAttemptDoesNotEndTheCall") {
    Ward ward;
    dashpot::Bulkhead one{1};
    Script script{{[]() -> Reply { return gives_late(1, 100ms); }}};
    CHECK(ending_of([&] {
              return call(pipeline(Hedge{.after = 10ms, .budget = &ward.budget}, one),
                          first_of(script));
          }) == "value 1");
    CHECK(script.numbers.size() == 1);
    CHECK(ward.budget.balance() == 10.0); // the token came back
    CHECK(one.in_flight() == 0);
}

TEST_CASE("AsioHedgeTest: IfNoAttemptIsMadeTheRefusalSurfaces") {
    dashpot::Bulkhead none{0};
    CHECK(ending_of([&] {
              return call(pipeline(Hedge{.after = 1h}, none), [] { return gives(1); });
          }) == "bulkhead_full");
}

TEST_CASE("AsioHedgeTest: AFailureSaysMoreThanARefusal") {
    dashpot::Bulkhead one{1};
    Script script{{[]() -> Reply {
        (void)co_await gives_late(1, 100ms);
        throw Trouble{4};
    }}};
    CHECK(ending_of([&] { return call(pipeline(Hedge{.after = 10ms}, one), first_of(script)); }) ==
          "threw 4");
}

TEST_CASE("AsioHedgeTest: AnExtraAttemptCostsATokenAndASuccessEarnsOnce") {
    dashpot::RetryBudget budget{{.ratio = 0.5, .capacity = 2}};
    Script script{{never, [] { return gives(2); }}};
    const auto protect = pipeline(Hedge{.after = 0s, .budget = &budget});
    CHECK(ending_of([&] { return call(protect, first_of(script)); }) == "value 2");
    CHECK(budget.balance() == 1.5);
    Script again{{never, [] { return gives(2); }}};
    const auto shared = pipeline(Retry{.budget = &budget}, protect);
    CHECK(ending_of([&] { return call(shared, first_of(again)); }) == "value 2");
    CHECK(budget.balance() == 1.0); // one deposit, though two strategies share it
}

TEST_CASE("AsioHedgeTest: AnEmptyBudgetLetsTheFirstAttemptRunOn") {
    dashpot::RetryBudget budget{{.ratio = 0.001, .capacity = 1}};
    CHECK(budget.try_withdraw());
    Script script{{[]() -> Reply { return gives_late(1, 100ms); }}};
    CHECK(ending_of([&] {
              return call(pipeline(Hedge{.after = 0s, .budget = &budget}), first_of(script));
          }) == "value 1");
    CHECK(script.numbers.size() == 1);
}

TEST_CASE("AsioHedgeTest: ARetryOutsideMultipliesTheAttempts") {
    Script script{{[] { return fails(1); }}};
    CHECK(ending_of([&] {
              return call(pipeline(Retry{.max_attempts = 2, .wait = Backoff{0s}}, Hedge{.after = 1h}),
                          first_of(script));
          }) == "threw 1");
    CHECK(script.numbers == std::vector<std::uint32_t>{1, 2, 1, 2});
    Script inside{{[] { return fails(1); }}};
    CHECK(ending_of([&] {
              return call(pipeline(Hedge{.after = 1h}, Retry{.max_attempts = 2, .wait = Backoff{0s}}),
                          first_of(inside));
          }) == "threw 1");
    CHECK(inside.numbers == std::vector<std::uint32_t>{1, 2, 1, 2});
}

TEST_CASE("AsioHedgeTest: NoAttemptBeginsAfterTheDeadlineOrACancellation") {
    Script script{{never}};
    CHECK(ending_of([&] {
              return call(pipeline(Timeout{30ms}, Hedge{.after = 1h, .max_attempts = 9}),
                          first_of(script));
          }) == "timed_out");
    CHECK(script.numbers.size() == 1);
    std::stop_source source;
    Script stopped{{[&]() -> Reply {
        asio::post(co_await asio::this_coro::executor, [&] { source.request_stop(); });
        co_return co_await never();
    }}};
    CHECK(ending_of([&] {
              return call(pipeline(Hedge{.after = 1h, .max_attempts = 9}), {.stop = source.get_token()},
                          first_of(stopped));
          }) == "aborted");
    CHECK(stopped.numbers.size() == 1);
}

TEST_CASE("AsioHedgeTest: TheDelayCountsFromTheLatestStart") {
    ManualClock clock;
    std::vector<std::chrono::nanoseconds> starts;
    const auto protect = pipeline(Hedge{.after = 100ms, .max_attempts = 3}).with(clock);
    const auto at = [&] { return clock.now().time_since_epoch(); };
    CHECK(ending_of([&] {
              return call(protect, [&](const Attempt& attempt) -> Reply {
                  starts.push_back(at());
                  if (attempt.number == 1) {
                      clock.advance(10ms);
                      throw Trouble{1};
                  }
                  if (attempt.number == 3) co_return 3;
                  clock.advance(99ms);
                  asio::steady_timer timer{co_await asio::this_coro::executor, 6ms};
                  co_await timer.async_wait(asio::use_awaitable);
                  clock.advance(1ms);
                  co_return co_await never();
              });
          }) == "value 3");
    CHECK(starts == std::vector<std::chrono::nanoseconds>{0ms, 10ms, 110ms});
}

TEST_CASE("AsioHedgeTest: AGuardAroundTheHedgeRecordsOneOutcome") {
    Ward ward;
    Script script{{[] { return fails(1); }, [] { return gives(2); }}};
    CHECK(ending_of([&] {
              return call(pipeline(ward.breaker, Hedge{.after = 1h}, ward.hull), first_of(script));
          }) == "value 2");
    CHECK(ward.is_untouched());
    CHECK(ward.breaker.snapshot().totals->successes == 1);
}

} // namespace tests::adapter_detail_asio_hedge
