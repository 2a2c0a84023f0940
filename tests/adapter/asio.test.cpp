// SPDX-License-Identifier: MIT
#include "asio_support.hpp"

#include <dashpot/adapter/asio.hpp>

#include "catch.hpp"

#include <asio/thread_pool.hpp>

#include <atomic>
#include <string>

namespace tests::adapter_asio {

using namespace support;
using dashpot::Backoff;
using dashpot::Fallback;
using dashpot::Hedge;
using dashpot::pipeline;
using dashpot::Retry;
using dashpot::Timeout;
using dashpot::testing::ManualClock;

TEST_CASE("AsioTest: OnePipelineServesBothKindsOfCalls") {
    Ward ward;
    const auto protect = pipeline(Timeout{1h}, Retry{}, ward.breaker, ward.hull);
    CHECK(protect.call([] { return 1; }) == Result<int>{1});
    CHECK(ending_of([&] { return call(protect, [] { return gives(2); }); }) == "value 2");
    CHECK(ward.breaker.snapshot().totals->successes == 2);
    CHECK(ward.is_free());
}

TEST_CASE("AsioTest: ASingleGuardATargetOfARegistryAndANestedPipelineProtectACall") {
    dashpot::Registry<> registry;
    const auto target = registry.get("prices");
    CHECK(ending_of([&] { return call(target, [] { return gives(1); }); }) == "value 1");
    CHECK(ending_of([&] { return call(*target, [] { return gives(2); }); }) == "value 2");
    const auto inner = pipeline(target, Timeout{1h});
    CHECK(ending_of([&] { return call(pipeline(Retry{}, inner), [] { return gives(3); }); }) ==
          "value 3");
    CHECK(target->bulkhead().in_flight() == 0);
}

TEST_CASE("AsioTest: ARefusalIsAnswered") {
    Ward ward;
    ward.breaker.force_open();
    CHECK(ending_of([&] { return call(ward.breaker, [] { return gives(1); }); }) == "circuit_open");
    const Fallback answers{[](const Refusal&) { return 9; }};
    CHECK(ending_of([&] {
              return call(pipeline(answers, ward.hull, ward.breaker), [] { return gives(1); });
          }) == "value 9");
    CHECK(ward.is_free());
}

TEST_CASE("AsioTest: WaitsBetweenAttemptsAreThoseOfTheSynchronousCall") {
    ManualClock clock;
    Ward ward;
    std::vector<std::chrono::nanoseconds> starts;
    const auto protect = pipeline(Retry{.max_attempts = 4,
                                        .wait = dashpot::ExponentialBackoff{.initial = 100ms},
                                        .budget = &ward.budget,
                                        .stats = &ward.stats},
                                  ward.hull)
                             .with(clock);
    CHECK(ending_of([&] {
              return call(protect, [&] {
                  starts.push_back(clock.now().time_since_epoch());
                  return starts.size() == 4 ? gives(4) : fails(1);
              });
          }) == "value 4");
    CHECK(starts == std::vector<std::chrono::nanoseconds>{0ms, 100ms, 300ms, 700ms});
    CHECK(ward.stats.retries() == 3);
    starts.clear();
    CHECK(ending_of([&] {
              return call(protect, {.timeout = 300ms}, [&] {
                  starts.push_back(clock.now().time_since_epoch());
                  return fails(1);
              });
          }) == "threw 1"); // the second wait would end at the deadline
    CHECK(starts.size() == 2);
}

TEST_CASE("AsioTest: AnExceptionAtEachPointPassesThroughAndLeavesNothingBehind") {
    struct Throwing {
        struct Permit {
            explicit operator bool() const { return true; }
            [[nodiscard]] Refusal refusal() const { return {Error::throttled}; }
        };
        [[noreturn]] Permit try_acquire() { throw Trouble{2}; }
    } guard;
    Ward ward;
    const auto once = Retry{.max_attempts = 1};
    CHECK(ending_of([&] { return call(pipeline(once, ward.hull), [] { return fails(1); }); }) ==
          "threw 1");
    CHECK(ending_of([&] {
              return call(pipeline(ward.hull, guard, ward.limiter), [] { return gives(1); });
          }) == "threw 2");
    CHECK(ending_of([&] {
              return call(
                  pipeline(ward.hull, ward.breaker), [] { return gives(1); },
                  [](int) -> Outcome { throw Trouble{3}; });
          }) == "threw 3");
    CHECK(ward.is_untouched()); // a classifier that throws judges nothing
    CHECK(ending_of([&] {
              return call(pipeline(ward.hull, Fallback{[](const Refusal&) -> int { throw Trouble{4}; }},
                                   Timeout{10ms}),
                          never);
          }) == "threw 4");
    CHECK(ending_of([&] { return call(pipeline(ward.hull), []() -> Reply { throw Trouble{5}; }); }) ==
          "threw 5"); // before there is an awaitable
    CHECK(ending_of([&] {
              return call(pipeline(ward.hull, Hedge{.after = 1h, .max_attempts = 1}, guard),
                          [] { return gives(1); });
          }) == "threw 2");
    CHECK(ward.is_free());
}

TEST_CASE("AsioTest: AClassifierJudgesExceptionsAndValues") {
    Ward ward;
    CHECK(ending_of([&] {
              return call(
                  ward.breaker, [] { return fails(1); },
                  [](const std::exception_ptr&) { return Outcome::ignored; });
          }) == "threw 1");
    CHECK(ward.is_untouched());
    CHECK(ending_of([&] {
              return call(
                  ward.breaker, CallOptions{}, [] { return gives(1); },
                  [](int) { return Outcome::failure; });
          }) == "value 1");
    CHECK(ward.breaker.state() == dashpot::State::open);
}

TEST_CASE("AsioTest: AFunctionMayReturnNothingAndTakeTheAttempt") {
    asio::io_context context;
    bool is_called = false;
    std::optional<Result<void>> result;
    dashpot::Bulkhead hull{1};
    asio::co_spawn(
        context,
        [&]() -> asio::awaitable<void> {
            result = co_await call(pipeline(Timeout{1h}, hull),
                                   [&](const Attempt& attempt) -> asio::awaitable<void> {
                                       is_called = attempt.number == 1 && attempt.remaining() > 59min;
                                       co_return;
                                   });
        },
        asio::detached);
    context.run_for(20s);
    CHECK(is_called);
    CHECK(result->has_value());
}

TEST_CASE("AsioTest: FourThreadsShareThePipelineAndNothingIsLost") {
    Ward ward;
    dashpot::QueuedBulkhead<> queue{{.max_concurrent = 3, .max_queued = 1000, .max_wait = 1h}};
    dashpot::CircuitBreaker<> breaker{dashpot::ConsecutiveFailures{1'000'000}};
    const auto protect =
        pipeline(Timeout{1h}, Retry{.max_attempts = 2, .wait = Backoff{0s}}, ward.hull,
                 Hedge{.after = 0s, .max_attempts = 3}, queue, Timeout{20ms}, breaker, ward.limiter);
    std::atomic<int> ended{0};
    std::atomic<unsigned> turn{0};
    {
        asio::thread_pool pool{4};
        std::stop_source source;
        const CallOptions options{.stop = source.get_token()};
        for (int count = 0; count < 8; ++count) {
            asio::co_spawn(
                pool,
                [&]() -> asio::awaitable<void> {
                    for (int round = 0; round < 15; ++round) {
                        try {
                            (void)co_await call(protect, options, [&]() -> Reply {
                                switch (turn.fetch_add(1) % 7U) {
                                case 0: return never();
                                case 1: return fails(1);
                                case 2: return gives_late(2, std::chrono::milliseconds{1});
                                default: return gives(1);
                                }
                            });
                        } catch (const std::exception&) {
                        } catch (const Trouble&) {}
                    }
                    if (++ended == 6) source.request_stop();
                },
                asio::detached);
        }
        pool.join();
    }
    CHECK(ended == 8);
    CHECK(ward.is_free());
    CHECK(queue.in_flight() == 0);
    CHECK(queue.queued() == 0);
}

} // namespace tests::adapter_asio
