// SPDX-License-Identifier: MIT
#ifndef DASHPOT_ADAPTER_DETAIL_ASIO_RACE_HPP
#define DASHPOT_ADAPTER_DETAIL_ASIO_RACE_HPP

#include <dashpot/adapter/detail/asio_wait.hpp>
#include <dashpot/adapter/detail/awaited_attempt.hpp>
#include <dashpot/core/abi.hpp>
#include <dashpot/core/clock.hpp>
#include <dashpot/core/duration.hpp>
#include <dashpot/pipeline/attempt.hpp>
#include <dashpot/pipeline/detail/innermost_call.hpp>

#include <exception>
#include <functional>
#include <memory>
#include <type_traits>
#include <utility>

// g++ warns of the frame of a coroutine that takes a lambda of one source file: it is no template's.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsubobject-linkage"
#endif

namespace dashpot::inline DASHPOT_ABI::detail {

/// Calls the function with the attempt, or with nothing if that is what it takes.
template <class F>
decltype(auto) invoke_attempt(F& f, const Attempt& attempt) {
    if constexpr (TakesAttempt<F&>) {
        return std::invoke(f, attempt);
    } else {
        return std::invoke(f);
    }
}

/// Cancels a coroutine thread that runs on another executor, or that a stop token stops.
///
/// **Threads.** Cancellations may come from any thread; each is passed on through the executor, which
/// runs one function at a time. The owner of the caller's signal must not use it beside the caller.
template <class L, class Ex>
class AsioThreadLink : public std::enable_shared_from_this<AsioThreadLink<L, Ex>> {
  public:
    explicit AsioThreadLink(Ex executor) : executor_{std::move(executor)} {}

    [[nodiscard]] const Ex& executor() const noexcept { return executor_; }
    [[nodiscard]] auto slot() noexcept { return signal_.slot(); }

    /// Passes on every cancellation of the caller's coroutine thread.
    ///
    /// The caller's signal may outlive the executor, so it must not own this object.
    template <class State>
    void listen_to(const State& state, bool is_cancelled) {
        was_cancelled_ = is_cancelled;
        if (!state.slot().is_connected()) return;
        state.slot().assign([weak = this->weak_from_this()](typename L::CancellationType type) {
            if (const auto self = weak.lock()) {
                L::dispatch(self->executor_, [self, type] { self->cancel(type); });
            }
        });
    }

    /// Cancels the coroutine thread, from any thread.
    void cancel_soon() {
        L::post(executor_, [self = this->shared_from_this()] { self->cancel(L::every_type); });
    }

    void cancel(typename L::CancellationType type) {
        was_cancelled_ = true;
        L::send(signal_, type);
    }

    /// Returns true if the thread was cancelled, perhaps before it began.
    [[nodiscard]] bool was_cancelled() const noexcept { return was_cancelled_; }

  private:
    Ex executor_;
    typename L::CancellationSignal signal_{};
    bool was_cancelled_ = false;
};

/// An attempt in a coroutine thread of its own, which is cancelled at its deadline and with its caller.
///
/// **Contract.** The first interruption counts. None counts once the attempt has ended.
/// **Threads.** The executor runs one function at a time.
template <class L, class Ex>
class AsioRace : public std::enable_shared_from_this<AsioRace<L, Ex>> {
  public:
    explicit AsioRace(const Ex& executor) : timer_{executor} {}

    [[nodiscard]] auto slot() noexcept { return signal_.slot(); }
    [[nodiscard]] Interruption interruption() const noexcept { return interruption_; }

    /// Starts the timer. It owns a copy of the clock, because a timer may outlive a destroyed call.
    template <Clock C>
    void begin(const C& clock, Instant deadline) {
        set_timer(timer_, clock, deadline);
        timer_.async_wait(
            [self = this->shared_from_this(), clock, deadline](const typename L::ErrorCode& error) {
                if (error || self->is_over_) return;
                if (read(clock) < deadline) return self->begin(clock, deadline);
                self->interrupt(Interruption::timed_out, L::every_type);
            });
    }

    /// Passes on every cancellation of the caller's coroutine thread, which must not own this object.
    template <class State>
    void listen_to(const State& state) {
        if (!state.slot().is_connected()) return;
        state.slot().assign([weak = this->weak_from_this()](typename L::CancellationType type) {
            if (const auto self = weak.lock()) self->interrupt(Interruption::cancelled, type);
        });
    }

    /// The attempt has ended.
    void end() noexcept {
        is_over_ = true;
        timer_.cancel();
    }

  private:
    void interrupt(Interruption why, typename L::CancellationType type) {
        if (is_over_) return;
        if (interruption_ == Interruption::none) interruption_ = why;
        L::send(signal_, type);
    }

    typename L::template Timer<Ex> timer_;
    typename L::CancellationSignal signal_{};
    Interruption interruption_ = Interruption::none;
    bool is_over_ = false;
};

/// Ends a race when the call goes on or is destroyed.
template <class Race>
class RaceKeeper {
  public:
    explicit RaceKeeper(const std::shared_ptr<Race>& race) noexcept : race_{race} {}
    RaceKeeper(const RaceKeeper&) = delete;
    RaceKeeper& operator=(const RaceKeeper&) = delete;
    ~RaceKeeper() { race_->end(); }

  private:
    const std::shared_ptr<Race>& race_;
};

/// Awaits the function in a coroutine thread of its own.
template <class L, class Ex, class F, class T>
typename L::template Awaitable<void, Ex> run_attempt(F& f, const Attempt& attempt, Arrival<T>& arrival,
                                                     std::shared_ptr<AsioRace<L, Ex>> race) {
    co_await L::hear_every_cancellation();
    if (race->interruption() != Interruption::none) co_return; // before it began
    try {
        if constexpr (std::is_void_v<T>) {
            co_await invoke_attempt(f, attempt);
            arrival.value.emplace();
        } else {
            arrival.value.emplace(std::in_place, co_await invoke_attempt(f, attempt));
        }
    } catch (...) {
        arrival.thrown = std::current_exception();
    }
    race->end();
}

} // namespace dashpot::inline DASHPOT_ABI::detail

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif

#endif
