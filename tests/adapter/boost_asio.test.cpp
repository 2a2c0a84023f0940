// SPDX-License-Identifier: MIT
#include <dashpot/adapter/boost_asio.hpp>
#include <dashpot/dashpot.hpp>

#include "catch.hpp"

#include <boost/asio/detached.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <exception>
#include <optional>

namespace tests::adapter_boost_asio {

using namespace std::chrono_literals;
using dashpot::Error;
using dashpot::Hedge;
using dashpot::pipeline;
using dashpot::Result;
using dashpot::Timeout;
using dashpot::on_asio::call;
namespace net = boost::asio;

net::awaitable<int> never() {
    net::steady_timer timer{co_await net::this_coro::executor, 1h};
    co_await timer.async_wait(net::use_awaitable);
    co_return 0;
}
net::awaitable<int> gives(int value) {
    co_await net::post(co_await net::this_coro::executor, net::use_awaitable);
    co_return value;
}

std::optional<Result<int>> result_of(net::awaitable<Result<int>> awaited) {
    net::io_context context;
    std::optional<Result<int>> kept;
    net::co_spawn(context, std::move(awaited),
                  [&](const std::exception_ptr&, Result<int> result) { kept = result; });
    context.run_for(20s);
    return kept;
}

TEST_CASE("BoostAsioTest: ACallTimesOutWaitsInAQueueAndIsHedged") {
    dashpot::CircuitBreaker<> breaker{dashpot::ConsecutiveFailures{1}};
    dashpot::QueuedBulkhead<> queue{{.max_concurrent = 1}};
    int attempts = 0;
    CHECK(result_of(call(pipeline(Hedge{.after = 20ms, .max_attempts = 2}, breaker),
                         [&] { return ++attempts == 1 ? never() : gives(2); })) == Result<int>{2});
    CHECK(breaker.state() == dashpot::State::closed);
    CHECK(result_of(call(pipeline(Timeout{20ms}, breaker, queue), never))->error() == Error::timed_out);
    CHECK(queue.in_flight() == 0);
    CHECK(breaker.state() == dashpot::State::open);
    CHECK(result_of(call(breaker, [] { return gives(1); }))->error() == Error::circuit_open);
}

TEST_CASE("BoostAsioTest: ACallIsCancelledOrDestroyedAndLeavesNothingBehind") {
    for (const bool is_cancelled : {true, false}) {
        dashpot::Bulkhead hull{1};
        net::cancellation_signal signal;
        {
            net::io_context context;
            net::co_spawn(context, call(pipeline(Timeout{1h}, hull), never),
                          net::bind_cancellation_slot(signal.slot(), net::detached));
            for (int round = 0; round < 20; ++round) context.poll();
            CHECK(hull.in_flight() == 1);
            if (is_cancelled) {
                signal.emit(net::cancellation_type::terminal);
                context.restart();
                context.run_for(20s);
                CHECK(hull.in_flight() == 0);
            }
        }
        CHECK(hull.in_flight() == 0);
    }
}

} // namespace tests::adapter_boost_asio
