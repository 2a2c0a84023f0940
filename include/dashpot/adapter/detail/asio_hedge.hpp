// SPDX-License-Identifier: MIT
#ifndef DASHPOT_ADAPTER_DETAIL_ASIO_HEDGE_HPP
#define DASHPOT_ADAPTER_DETAIL_ASIO_HEDGE_HPP

#include <dashpot/adapter/detail/asio_call.hpp>
#include <dashpot/adapter/detail/asio_wait.hpp>
#include <dashpot/core/abi.hpp>
#include <dashpot/core/clock.hpp>
#include <dashpot/core/error.hpp>
#include <dashpot/core/result.hpp>
#include <dashpot/pipeline/detail/ending.hpp>
#include <dashpot/pipeline/detail/hedge_course.hpp>
#include <dashpot/pipeline/detail/journey.hpp>
#include <dashpot/pipeline/hedge.hpp>

#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <utility>

// g++ warns of the frame of a coroutine that takes a lambda of one source file: it is no template's.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsubobject-linkage"
#endif

namespace dashpot::inline DASHPOT_ABI::detail {

/// One attempt of a Hedge: how it ends, and the signal that cancels it.
template <class L, class T>
struct AsioHedgeAttempt {
    explicit AsioHedgeAttempt(std::uint32_t its_number) noexcept : number{its_number} {}

    const std::uint32_t number;
    Ending ending{};
    Travel<T> travel{};
    typename L::CancellationSignal signal{};
    bool is_lost = false; // another attempt was first
    bool is_over = false;
    std::shared_ptr<AsioHedgeAttempt> before{}; // the attempt that was started before this one
};

/// The part of a call inside a Hedge, for one attempt.
template <class L, class Call, class Inside>
class AsioHedgedPart {
  public:
    using value_type = typename Call::value_type;
    using clock_type = typename Call::clock_type;
    using Attempt = AsioHedgeAttempt<L, value_type>;

    AsioHedgedPart(Call& call, const Inside& inside, const PassageScope<clock_type>& scope,
                   std::shared_ptr<Attempt> attempt)
        : call_{&call}, inside_{inside}, scope_{scope}, attempt_{std::move(attempt)} {}

    [[nodiscard]] const Inside& stages() const noexcept { return inside_; }
    [[nodiscard]] auto& f() noexcept { return call_->f(); }
    [[nodiscard]] auto& classify() noexcept { return call_->classify(); }
    [[nodiscard]] bool is_lost() const noexcept { return attempt_->is_lost; }
    [[nodiscard]] std::optional<Result<value_type>> begin(bool is_cancelled) {
        if (!is_cancelled && !attempt_->is_lost && !scope_.is_stopped()) return std::nullopt;
        return Result<value_type>{scope_.refuse({Error::cancelled})};
    }
    [[nodiscard]] const PassageScope<clock_type>& scope() const noexcept { return scope_; }

  private:
    Call* call_;
    Inside inside_;
    PassageScope<clock_type> scope_;
    std::shared_ptr<Attempt> attempt_;
};

/// Runs one attempt of a Hedge in its coroutine thread.
template <class L, class Ex, class Part, class T>
typename L::template Awaitable<void, Ex> hedge_attempt(Part part, AsioHedgeAttempt<L, T>& attempt) {
    co_await L::hear_every_cancellation();
    try {
        attempt.travel.result.emplace(co_await travel<L, Ex>(std::move(part)));
    } catch (...) {
        attempt.travel.thrown = std::current_exception();
    }
}

/// What a Hedge shares with its attempts. It lives in the frame of the call, which outlives them.
template <class L, class Call, class Inside>
struct AsioHedgeCall {
    using T = typename Call::value_type;
    using C = typename Call::clock_type;
    using Attempt = AsioHedgeAttempt<L, T>;

    Call& call;
    const Inside& inside;
    const PassageScope<C>& scope;
    HedgeCourse<C> course;
    std::shared_ptr<Attempt> latest{}; // leads to all attempts
    std::shared_ptr<Attempt> best{};
    std::uint64_t calls = 0;
    bool is_cancelled = false;
};

/// Starts the attempts of one call, and resumes the call when all have ended.
///
/// **Contract.** The attempts and the timer own it, and it owns the suspended call. So the call's frame
/// outlives the attempts, and if they are destroyed unfinished, it is destroyed after them.
/// **Threads.** The executor runs one function at a time.
template <class L, class Ex, class Shared, class Handler>
class AsioHedgeTeam : public std::enable_shared_from_this<AsioHedgeTeam<L, Ex, Shared, Handler>> {
  public:
    AsioHedgeTeam(const Ex& executor, Shared& shared, Handler&& handler)
        : executor_{executor}, timer_{executor}, shared_{shared}, handler_{std::move(handler)} {}

    template <class State>
    void begin(const State& state) {
        if (state.slot().is_connected()) {
            state.slot().assign([weak = this->weak_from_this()](typename L::CancellationType type) {
                if (const auto self = weak.lock()) self->cancel(type);
            });
        }
        shared_.course.begin();
        start();
        await_next();
    }

  private:
    using Attempt = typename Shared::Attempt;
    using Part = AsioHedgedPart<L, std::remove_reference_t<decltype(std::declval<Shared&>().call)>,
                                std::remove_cvref_t<decltype(std::declval<Shared&>().inside)>>;

    /// Ends an attempt that has completed, or whose coroutine thread was destroyed.
    class Completion {
      public:
        Completion(std::shared_ptr<AsioHedgeTeam> team, std::shared_ptr<Attempt> attempt) noexcept
            : team_{std::move(team)}, attempt_{std::move(attempt)} {}
        Completion(Completion&&) noexcept = default;
        Completion& operator=(Completion&&) = delete;
        ~Completion() {
            if (team_) team_->forget();
        }
        void operator()(const std::exception_ptr&) {
            const auto team = std::move(team_);
            team->end(attempt_);
        }

      private:
        std::shared_ptr<AsioHedgeTeam> team_;
        std::shared_ptr<Attempt> attempt_;
    };

    void start() {
        const std::uint32_t number = shared_.course.started();
        const auto attempt = recycled<L, Attempt>(number);
        attempt->before = std::move(shared_.latest);
        shared_.latest = attempt;
        auto inner = shared_.scope;
        shared_.course.equip(inner, number, attempt->ending);
        ++running_;
        L::co_spawn(executor_,
                    hedge_attempt<L, Ex>(Part{shared_.call, shared_.inside, inner, attempt}, *attempt),
                    L::bound(attempt->signal.slot(), Completion{this->shared_from_this(), attempt}));
    }

    void end(const std::shared_ptr<Attempt>& attempt) {
        attempt->is_over = true;
        --running_;
        shared_.calls += attempt->ending.calls;
        auto& course = shared_.course;
        if (course.end_attempt(attempt->number, attempt->ending,
                               shared_.is_cancelled || attempt->is_lost)) {
            shared_.best = attempt;
            if (course.is_won()) cancel_losers();
        }
        if (course.wants_next() && course.try_start()) start();
        if (running_ == 0) return finish();
        await_next();
    }

    /// Arms the timer for the next attempt.
    void await_next() {
        const auto at = shared_.course.next_start();
        if (!at) return void(timer_.cancel());
        set_timer(timer_, *shared_.scope.clock, *at);
        timer_.async_wait([self = this->shared_from_this()](const typename L::ErrorCode& error) {
            if (!error && self->handler_) self->come_due();
        });
    }

    void come_due() {
        auto& course = shared_.course;
        const auto at = course.next_start();
        if (at && shared_.scope.now() >= *at && course.try_start()) start();
        await_next();
    }

    void cancel(typename L::CancellationType type) {
        shared_.is_cancelled = true;
        shared_.course.close();
        timer_.cancel();
        send_to_all(type);
    }

    void cancel_losers() {
        for (Attempt* each = shared_.latest.get(); each != nullptr; each = each->before.get()) {
            each->is_lost = !each->is_over;
        }
        send_to_all(L::every_type);
    }

    void send_to_all(typename L::CancellationType type) {
        // An attempt may end inside, which changes no list.
        for (auto each = shared_.latest; each; each = each->before) {
            if (!each->is_over) L::send(each->signal, type);
        }
    }

    /// If no attempt is left that could complete the call, nothing may keep it any longer.
    void forget() noexcept {
        --running_;
        shared_.course.close();
        if (running_ == 0) timer_.cancel();
    }

    void finish() {
        timer_.cancel();
        Handler handler = std::move(*handler_);
        handler_.reset();
        std::move(handler)();
    }

    Ex executor_;
    typename L::template Timer<Ex> timer_;
    Shared& shared_;
    std::optional<Handler> handler_;
    std::uint32_t running_ = 0;
};

/// Passes a call through a Hedge: runs the attempts side by side, and waits until all have ended.
template <class L, class Ex, class Call, class Inside>
typename L::template Awaitable<void, Ex>
hedge_call(Call& call, const Hedge& hedge, const Inside& inside,
           const PassageScope<typename Call::clock_type>& scope,
           Travel<typename Call::value_type>& travel) {
    using Shared = AsioHedgeCall<L, Call, Inside>;
    Shared shared{call, inside, scope, {hedge, scope}};
    const Ex executor = co_await L::executor();
    const auto state = co_await L::cancellation_state();
    co_await L::template suspend<Ex>([&](auto handler) {
        using Team = AsioHedgeTeam<L, Ex, Shared, decltype(handler)>;
        recycled<L, Team>(executor, shared, std::move(handler))->begin(state);
    });
    Ending& ending = *scope.ending;
    const std::uint64_t calls = ending.calls + shared.calls;
    ending = shared.best->ending;
    ending.calls = calls;
    if (shared.is_cancelled && !shared.course.is_won() && !ending.was_refused()) {
        ending.verdict = {Outcome::ignored};
    }
    travel = std::move(shared.best->travel);
}

} // namespace dashpot::inline DASHPOT_ABI::detail

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif

#endif
