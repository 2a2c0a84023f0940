// SPDX-License-Identifier: MIT
#include "../asio_support.hpp"

#include <dashpot/adapter/detail/asio_call.hpp>

#include "catch.hpp"

#include <asio/thread_pool.hpp>

#include <thread>

namespace tests::adapter_detail_asio_call {

using namespace support;
using asio::cancellation_type;
using dashpot::Backoff;
using dashpot::Hedge;
using dashpot::pipeline;
using dashpot::Retry;
using dashpot::Timeout;

/// A place at which a call is suspended.
struct Place {
    const char* name;
    std::function<Answer(Ward&)> start;
    const char* cancelled; // how the call ends if it is cancelled there
};

/// Every place at which a call can be suspended. At each of them it holds permits.
std::vector<Place> places() {
    return {
        {"in the function", [](Ward& w) { return call(pipeline(w.breaker, w.hull, w.limiter), never); },
         "aborted"},
        {"in the function, before a deadline",
         [](Ward& w) { return call(pipeline(w.breaker, Timeout{1h}, w.hull, w.limiter), never); },
         "aborted"},
        {"in the function, with a token and a deadline",
         [](Ward& w) {
             static const std::stop_source source;
             return call(pipeline(w.breaker, w.hull), {.timeout = 1h, .stop = source.get_token()},
                         never);
         },
         "aborted"},
        {"in a wait between attempts",
         [](Ward& w) {
             return call(pipeline(w.breaker, w.hull, Retry{.wait = Backoff{1h}, .budget = &w.budget}),
                         [] { return fails(1); });
         },
         "threw 1"},
        {"in a wait between attempts, before a deadline",
         [](Ward& w) {
             return call(pipeline(w.breaker, Timeout{2h}, w.hull,
                                  Retry{.wait = Backoff{1h}, .budget = &w.budget}),
                         [] { return fails(1); });
         },
         "threw 1"},
        {"in the second attempt",
         [](Ward& w) {
             return call(
                 pipeline(w.breaker, Retry{.wait = Backoff{0s}}, w.hull),
                 [](const Attempt& attempt) { return attempt.number == 1 ? fails(1) : never(); });
         },
         "aborted"},
        {"in the queue", [](Ward& w) { return call(pipeline(w.breaker, w.hull, w.queue), never); },
         "cancelled"},
        {"in the queue, before a deadline",
         [](Ward& w) { return call(pipeline(w.breaker, Timeout{1h}, w.hull, w.queue), never); },
         "cancelled"},
        {"in a hedge",
         [](Ward& w) {
             return call(pipeline(w.hull, Hedge{.after = 0s, .max_attempts = 3}, w.breaker, w.limiter),
                         never);
         },
         "aborted"},
        {"in a hedge, before a deadline and the second attempt",
         [](Ward& w) {
             return call(pipeline(w.breaker, w.hull, Timeout{2h}, Hedge{.after = 1h}, w.limiter),
                         never);
         },
         "aborted"},
        {"in a hedge's queue",
         [](Ward& w) {
             return call(pipeline(w.breaker, w.hull, Hedge{.after = 0s}, w.limiter, w.queue), never);
         },
         "cancelled"},
    };
}

/// Lets everything run that can run now.
void settle(asio::io_context& context) {
    for (int round = 0; round < 50; ++round) {
        context.restart();
        context.poll();
    }
}

TEST_CASE("AsioCallTest: ACancelledCallGivesEveryPermitBackAsIgnored") {
    for (const Place& place : places()) {
        for (const auto type :
             {cancellation_type::terminal, cancellation_type::partial, cancellation_type::total}) {
            INFO(place.name);
            Ward ward;
            {
                const auto slot = ward.queue.try_acquire();
                asio::io_context context;
                Running running{context.get_executor(), [&] { return place.start(ward); }};
                settle(context);
                CHECK_FALSE(running.is_over());
                CHECK(ward.hull.in_flight() == 1);
                running.cancel(type);
                settle(context);
                CHECK(running.ending() == place.cancelled);
                CHECK(ward.queue.queued() == 0);
                context.restart();
                CHECK(context.poll() == 0); // nothing is armed
            }
            CHECK(ward.is_free());
            CHECK(ward.is_untouched());
        }
    }
}

TEST_CASE("AsioCallTest: ACallWhoseContextIsDestroyedGivesEveryPermitBackAsIgnored") {
    for (const Place& place : places()) {
        INFO(place.name);
        Ward ward;
        {
            const auto slot = ward.queue.try_acquire();
            std::optional<Running> running; // its signal outlives the context
            asio::io_context context;
            running.emplace(context.get_executor(), [&] { return place.start(ward); });
            settle(context);
            context.stop(); // a stopped executor resumes nothing
            CHECK(ward.hull.in_flight() == 1);
        }
        CHECK(ward.is_free());
        CHECK(ward.is_untouched());
    }
}

TEST_CASE("AsioCallTest: ACallWhoseContextIsDestroyedWhileItIsBeingCancelledLeavesNothingBehind") {
    for (const Place& place : places()) {
        INFO(place.name);
        Ward ward;
        {
            const auto slot = ward.queue.try_acquire();
            asio::io_context context;
            Running running{context.get_executor(), [&] { return place.start(ward); }};
            settle(context);
            running.cancel(cancellation_type::terminal);
        }
        CHECK(ward.is_free());
        CHECK(ward.is_untouched());
    }
}

TEST_CASE("AsioCallTest: ACallOnAStrandIsCancelledAndDestroyedAsAnyOther") {
    for (const Place& place : places()) {
        for (const bool is_cancelled : {true, false}) {
            INFO(place.name);
            Ward ward;
            {
                const auto slot = ward.queue.try_acquire();
                asio::io_context context;
                const auto strand = asio::make_strand(context);
                Running running{strand, [&] { return place.start(ward); }};
                settle(context);
                CHECK(ward.hull.in_flight() == 1);
                if (is_cancelled) {
                    asio::post(strand, [&] { running.cancel(cancellation_type::total); });
                    settle(context);
                    CHECK(running.ending() == place.cancelled);
                }
            }
            CHECK(ward.is_free());
            CHECK(ward.is_untouched());
        }
    }
}

TEST_CASE("AsioCallTest: ACallThatIsAwaitedNeverOrTooLateHoldsNothing") {
    for (const Place& place : places()) {
        INFO(place.name);
        Ward ward;
        { const Answer never_awaited = place.start(ward); }
        CHECK(ward.is_free());
        asio::io_context context;
        Running running{context.get_executor(), [&]() -> Answer {
                            co_await asio::this_coro::throw_if_cancelled(false);
                            asio::steady_timer timer{context, 1h};
                            asio::error_code error;
                            co_await timer.async_wait(asio::redirect_error(asio::use_awaitable, error));
                            co_return co_await place.start(ward);
                        }};
        settle(context);
        running.cancel(cancellation_type::terminal);
        settle(context);
        CHECK(running.ending() == "cancelled");
        CHECK(ward.is_free());
        CHECK(ward.is_untouched());
    }
}

/// An operation whose handler a test keeps, runs or destroys.
struct Pending {
    std::shared_ptr<std::function<void()>> completion{};

    Reply wait() {
        co_await asio::async_initiate<const asio::use_awaitable_t<>, void()>(
            [this](auto handler) {
                auto kept = std::make_shared<decltype(handler)>(std::move(handler));
                completion = std::make_shared<std::function<void()>>([kept] { std::move (*kept)(); });
            },
            asio::use_awaitable);
        co_return 5;
    }
};

TEST_CASE("AsioCallTest: AFunctionWhoseOperationForgetsItLeavesNothingBehind") {
    for (const int kind : {0, 1, 2}) {
        INFO(kind);
        Ward ward;
        Pending pending;
        asio::io_context context;
        const auto f = [&pending] { return pending.wait(); };
        Running running{context.get_executor(), [&] {
                            if (kind == 0) return call(pipeline(ward.breaker, ward.hull), f);
                            if (kind == 1) {
                                return call(pipeline(ward.breaker, Timeout{30ms}, ward.hull), f);
                            }
                            return call(pipeline(ward.hull, Hedge{.after = 1h}, ward.breaker), f);
                        }};
        settle(context);
        CHECK(ward.hull.in_flight() == 1);
        pending.completion.reset(); // the coroutine is destroyed, while the context goes on
        context.restart();
        context.run_for(60ms);
        CHECK(ward.is_free());
        CHECK(ward.is_untouched());
        CHECK_FALSE(running.is_over());
    }
}

TEST_CASE("AsioCallTest: AFunctionMayCompleteOnAnotherThread") {
    for (const int kind : {0, 1, 2}) {
        INFO(kind);
        Ward ward;
        Pending pending;
        asio::io_context context;
        const auto f = [&pending] { return pending.wait(); };
        Running running{context.get_executor(), [&] {
                            if (kind == 0) return call(pipeline(ward.breaker, ward.hull), f);
                            if (kind == 1) {
                                return call(pipeline(ward.breaker, Timeout{1h}, ward.hull), f);
                            }
                            return call(pipeline(ward.hull, Hedge{.after = 1h}, ward.breaker), f);
                        }};
        settle(context);
        std::thread{[&] { asio::post(context, [done = pending.completion] { (*done)(); }); }}.join();
        settle(context);
        CHECK(running.ending() == "value 5");
        CHECK(ward.is_free());
        CHECK(ward.breaker.snapshot().totals->successes == 1);
        pending.completion.reset();
    }
}

} // namespace tests::adapter_detail_asio_call
