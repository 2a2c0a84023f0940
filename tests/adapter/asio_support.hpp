// SPDX-License-Identifier: MIT
#ifndef DASHPOT_TESTS_ADAPTER_ASIO_SUPPORT_HPP
#define DASHPOT_TESTS_ADAPTER_ASIO_SUPPORT_HPP

#include <dashpot/adapter/asio.hpp>
#include <dashpot/dashpot.hpp>
#include <dashpot/testing/manual_clock.hpp>

#include <asio/associated_cancellation_slot.hpp>
#include <asio/detached.hpp>
#include <asio/executor_work_guard.hpp>
#include <asio/steady_timer.hpp>
#include <asio/system_error.hpp>

#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

/// What tests of awaited calls need.
namespace support {

using namespace std::chrono_literals;
using dashpot::Attempt;
using dashpot::CallOptions;
using dashpot::Error;
using dashpot::Outcome;
using dashpot::Refusal;
using dashpot::Result;
using dashpot::on_asio::call;

using Reply = asio::awaitable<int>;
using Answer = asio::awaitable<Result<int>>;

/// What a function throws.
struct Trouble {
    int number = 0;
};

/// Ends only if it is cancelled.
inline Reply never() {
    asio::steady_timer timer{co_await asio::this_coro::executor, asio::steady_timer::time_point::max()};
    co_await timer.async_wait(asio::use_awaitable);
    co_return 0;
}

/// Ends as cancelled, but `length` after the cancellation.
inline Reply winds_down(std::chrono::milliseconds length, bool& is_over) {
    try {
        (void)co_await never();
    } catch (const asio::system_error&) {}
    co_await asio::this_coro::reset_cancellation_state();
    asio::steady_timer timer{co_await asio::this_coro::executor, length};
    co_await timer.async_wait(asio::use_awaitable);
    is_over = true;
    throw asio::system_error{asio::error::operation_aborted};
}

/// Gives `value` after a switch of the context.
inline Reply gives(int value) {
    co_await asio::post(co_await asio::this_coro::executor, asio::use_awaitable);
    co_return value;
}

/// Takes a little time, and gives `value` even if it is cancelled meanwhile.
inline Reply gives_late(int value, std::chrono::milliseconds length) {
    co_await asio::this_coro::reset_cancellation_state(asio::disable_cancellation());
    asio::steady_timer timer{co_await asio::this_coro::executor, length};
    co_await timer.async_wait(asio::use_awaitable);
    co_return value;
}

inline Reply fails(int number) {
    co_await asio::post(co_await asio::this_coro::executor, asio::use_awaitable);
    throw Trouble{number};
}

/// How a call ended, as text.
inline std::string text_of(const std::exception_ptr& thrown, const std::optional<Result<int>>& result) {
    if (thrown) {
        try {
            std::rethrow_exception(thrown);
        } catch (const Trouble& trouble) {
            return "threw " + std::to_string(trouble.number);
        } catch (const asio::system_error& error) {
            return error.code() == asio::error::operation_aborted ? "aborted" : "system error";
        } catch (...) {
            return "threw something else";
        }
    }
    if (!result) return "not over";
    if (!*result) return std::string{to_string(result->error().reason)};
    return "value " + std::to_string(**result);
}

/// A call in a coroutine thread of its own, which is cancelled by a signal.
class Running {
  public:
    template <class Ex>
    Running(const Ex& executor, std::function<Answer()> start) {
        asio::co_spawn(
            executor, wrapped(std::move(start)),
            asio::bind_cancellation_slot(state_->signal.slot(), [state = state_](std::exception_ptr e) {
                state->thrown = std::move(e);
                state->is_over = true;
            }));
    }

    void cancel(asio::cancellation_type type) { state_->signal.emit(type); }
    [[nodiscard]] bool is_over() const { return state_->is_over; }
    [[nodiscard]] std::string ending() const {
        return state_->is_over ? text_of(state_->thrown, state_->result) : "not over";
    }

  private:
    struct State {
        asio::cancellation_signal signal{};
        std::exception_ptr thrown{};
        std::optional<Result<int>> result{};
        bool is_over = false;
    };

    asio::awaitable<void> wrapped(std::function<Answer()> start) {
        return keep(std::move(start), state_);
    }
    static asio::awaitable<void> keep(std::function<Answer()> start, std::shared_ptr<State> state) {
        co_await asio::this_coro::reset_cancellation_state(asio::enable_total_cancellation());
        state->result.emplace(co_await start());
    }

    std::shared_ptr<State> state_ = std::make_shared<State>();
};

/// Awaits a call on a context of its own, and says how it ended.
inline std::string ending_of(std::function<Answer()> start) {
    asio::io_context context;
    const Running running{context.get_executor(), std::move(start)};
    context.run_for(20s);
    return running.ending();
}

/// Guards of every kind, for calls that are to leave nothing behind.
struct Ward {
    dashpot::Bulkhead hull{10};
    dashpot::QueuedBulkhead<> queue{{.max_concurrent = 1, .max_queued = 100, .max_wait = 1h}};
    dashpot::CircuitBreaker<> breaker{dashpot::ConsecutiveFailures{1},
                                      {.count_totals = true}}; // one failure opens it
    dashpot::AdaptiveLimiter<> limiter{};
    dashpot::RetryBudget budget{{.capacity = 10}};
    dashpot::RetryStats stats{};

    [[nodiscard]] bool is_free() const {
        return hull.in_flight() == 0 && queue.in_flight() == 0 && queue.queued() == 0 &&
               limiter.in_flight() == 0 && budget.balance() == 10.0;
    }
    [[nodiscard]] bool is_untouched() const {
        const auto totals = breaker.snapshot().totals;
        return breaker.state() == dashpot::State::closed && totals->failures == 0;
    }
};

} // namespace support

#endif
