// SPDX-License-Identifier: MIT
#include "../asio_support.hpp"

#include <dashpot/adapter/detail/asio_race.hpp>

#include "catch.hpp"

#include <thread>

namespace tests::adapter_detail_asio_race {

using namespace support;
using dashpot::Backoff;
using dashpot::Deadline;
using dashpot::Fallback;
using dashpot::pipeline;
using dashpot::Retry;
using dashpot::Timeout;
using dashpot::testing::ManualClock;

TEST_CASE("AsioRaceTest: ATimeoutCancelsTheFunctionAndAnswersTimedOut") {
    Ward ward;
    CHECK(ending_of([&] { return call(pipeline(Timeout{20ms}, ward.breaker, ward.hull), never); }) ==
          "timed_out");
    CHECK(ward.is_free());
    CHECK(ward.breaker.state() == dashpot::State::open); // a failure
}

TEST_CASE("AsioRaceTest: GuardsOutsideTheTimeoutRecordTheFailureToo") {
    Ward ward;
    CHECK(ending_of([&] { return call(pipeline(ward.breaker, ward.hull, Timeout{20ms}), never); }) ==
          "timed_out");
    CHECK(ward.is_free());
    CHECK(ward.breaker.snapshot().totals->failures == 1);
}

TEST_CASE("AsioRaceTest: TheDeadlineOfTheCallCancelsTheFunction") {
    Ward ward;
    CHECK(ending_of([&] { return call(ward.breaker, {.timeout = 20ms}, never); }) == "timed_out");
    CHECK(ending_of([&] { return call(ward.hull, {.deadline = Deadline::after(20ms)}, never); }) ==
          "timed_out");
    CHECK(ward.breaker.snapshot().totals->failures == 1);
    CHECK(ward.is_free());
}

TEST_CASE("AsioRaceTest: ATimedOutAttemptIsTriedAgain") {
    Ward ward;
    int calls = 0;
    CHECK(ending_of([&] {
              return call(pipeline(Retry{.wait = Backoff{0s}}, ward.hull, Timeout{20ms}),
                          [&] { return ++calls == 3 ? gives(7) : never(); });
          }) == "value 7");
    CHECK(calls == 3);
    CHECK(ward.is_free());
}

TEST_CASE("AsioRaceTest: AFallbackAnswersATimeOut") {
    Error reason{};
    CHECK(ending_of([&] {
              return call(pipeline(Fallback{[&](const Refusal& refusal) {
                                       reason = refusal.reason;
                                       return 9;
                                   }},
                                   Timeout{20ms}),
                          never);
          }) == "value 9");
    CHECK(reason == Error::timed_out);
}

TEST_CASE("AsioRaceTest: TheCallReturnsAfterTheFunctionHasEnded") {
    bool is_over = false;
    bool was_over = false;
    CHECK(ending_of([&]() -> Answer {
              const auto result =
                  co_await call(pipeline(Timeout{20ms}), [&] { return winds_down(50ms, is_over); });
              was_over = is_over;
              co_return result;
          }) == "timed_out");
    CHECK(was_over);
}

TEST_CASE("AsioRaceTest: AValueThatComesLateIsReturned") {
    Ward ward;
    CHECK(ending_of([&] {
              return call(pipeline(Timeout{20ms}, ward.breaker), [] { return gives_late(8, 100ms); });
          }) == "value 8");
    CHECK(ward.breaker.snapshot().totals->successes == 1);
}

TEST_CASE("AsioRaceTest: AFailureThatComesLateIsATimeOut") {
    CHECK(ending_of([&] {
              return call(
                  pipeline(Timeout{20ms}), [] { return gives_late(8, 100ms); },
                  [](int) { return Outcome::failure; });
          }) == "timed_out");
}

TEST_CASE("AsioRaceTest: ADeadlineThatHasPassedRefusesBeforeAnythingIsAsked") {
    Ward ward;
    int calls = 0;
    const auto f = [&] {
        ++calls;
        return gives(1);
    };
    CHECK(ending_of([&] { return call(pipeline(ward.breaker), {.timeout = 0s}, f); }) ==
          "deadline_exceeded");
    const Fallback answers{[](const Refusal&) { return 9; }};
    CHECK(ending_of([&] { return call(pipeline(answers, ward.breaker), {.timeout = 0s}, f); }) ==
          "value 9");
    CHECK(calls == 0);
}

TEST_CASE("AsioRaceTest: AStopThatWasRequestedRefusesBeforeAnythingIsAsked") {
    Ward ward;
    std::stop_source source;
    source.request_stop();
    CHECK(ending_of([&] {
              return call(ward.breaker, {.timeout = 0s, .stop = source.get_token()},
                          [] { return gives(1); });
          }) == "cancelled");
}

TEST_CASE("AsioRaceTest: AStopFromAnotherThreadCancelsTheFunction") {
    for (const bool has_deadline : {false, true}) {
        Ward ward;
        std::stop_source source;
        std::atomic<bool> is_begun{false};
        std::thread stopper{[&] {
            is_begun.wait(false);
            source.request_stop();
        }};
        CHECK(ending_of([&] {
                  CallOptions options{.stop = source.get_token()};
                  if (has_deadline) options.timeout = 1h;
                  return call(pipeline(ward.breaker, ward.hull), options, [&] {
                      is_begun = true;
                      is_begun.notify_one();
                      return never();
                  });
              }) == "aborted");
        stopper.join();
        CHECK(ward.is_free());
        CHECK(ward.is_untouched());
    }
}

TEST_CASE("AsioRaceTest: AStopDuringAWaitEndsTheCallAtOnce") {
    Ward ward;
    std::stop_source source;
    CHECK(ending_of([&] {
              return call(pipeline(Fallback{[](const Refusal&) { return 9; }}, ward.hull,
                                   Retry{.wait = Backoff{1h}, .budget = &ward.budget}),
                          {.stop = source.get_token()}, [&]() -> Reply {
                              asio::post(co_await asio::this_coro::executor,
                                         [&] { source.request_stop(); });
                              throw Trouble{4};
                          });
          }) == "threw 4");
    CHECK(ward.is_free());
}

TEST_CASE("AsioRaceTest: AValueOfACancelledFunctionIsReturnedAndAFailureIsIgnored") {
    for (const bool is_failure : {false, true}) {
        Ward ward;
        std::stop_source source;
        const auto judge = [&](int) { return is_failure ? Outcome::failure : Outcome::success; };
        CHECK(ending_of([&] {
                  return call(
                      pipeline(Retry{}, ward.breaker), {.stop = source.get_token()},
                      [&]() -> Reply {
                          source.request_stop();
                          co_return co_await gives_late(6, 30ms);
                      },
                      judge);
              }) == "value 6");
        CHECK(ward.is_untouched());
        CHECK(ward.breaker.snapshot().totals->successes == (is_failure ? 0 : 1));
    }
}

TEST_CASE("AsioRaceTest: AClockOfATestDecidesWhenTheFunctionIsTooLate") {
    ManualClock clock;
    const auto protect = pipeline(Timeout{1h}).with(clock);
    CHECK(ending_of([&] {
              return call(protect, [&]() -> Reply {
                  clock.advance(59min);
                  asio::steady_timer timer{co_await asio::this_coro::executor, 50ms};
                  co_await timer.async_wait(asio::use_awaitable); // not cancelled
                  clock.advance(1min);
                  co_return co_await never();
              });
          }) == "timed_out");
}

} // namespace tests::adapter_detail_asio_race
