// SPDX-License-Identifier: MIT
#ifndef DASHPOT_ADAPTER_DETAIL_ASIO_CALL_HPP
#define DASHPOT_ADAPTER_DETAIL_ASIO_CALL_HPP

#include <dashpot/adapter/detail/asio_race.hpp>
#include <dashpot/adapter/detail/asio_wait.hpp>
#include <dashpot/adapter/detail/awaited_attempt.hpp>
#include <dashpot/core/abi.hpp>
#include <dashpot/core/clock.hpp>
#include <dashpot/core/deadline.hpp>
#include <dashpot/core/detail/sleep.hpp>
#include <dashpot/core/error.hpp>
#include <dashpot/core/result.hpp>
#include <dashpot/pipeline/attempt.hpp>
#include <dashpot/pipeline/call_options.hpp>
#include <dashpot/pipeline/detail/journey.hpp>
#include <dashpot/pipeline/pipeline.hpp>

#include <cstddef>
#include <exception>
#include <memory>
#include <optional>
#include <stop_token>
#include <tuple>
#include <type_traits>
#include <utility>

// g++ warns of the frame of a coroutine that takes a lambda of one source file: it is no template's.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsubobject-linkage"
#endif

namespace dashpot::inline DASHPOT_ABI::detail {

/// What one asynchronous call consists of: the pipeline, the function, the classifier, the options.
///
/// @tparam P  a pointer to a Pipeline, or a Pipeline
template <class P, class F, class Classify>
struct AsioOrder {
    P held;
    CallOptions options;
    F f;
    Classify classify;

    [[nodiscard]] const auto& pipeline() const noexcept {
        if constexpr (std::is_pointer_v<P>) {
            return *held;
        } else {
            return held;
        }
    }
};

/// A call from its beginning: all stages. `Order` is an AsioOrder, or a pointer to one.
template <class T, class Order>
class AsioWholeCall {
  public:
    explicit AsioWholeCall(Order order) : order_{std::move(order)} {}

    using value_type = T;
    using Pipeline = std::remove_cvref_t<decltype(std::declval<Order&>().pipeline())>;
    using clock_type =
        std::remove_cvref_t<decltype(StepByStep::clock_of(std::declval<const Pipeline&>()))>;

    [[nodiscard]] auto stages() const noexcept { return StepByStep::stages_of(order_.pipeline()); }
    [[nodiscard]] auto& f() noexcept { return order_.f; }
    [[nodiscard]] auto& classify() noexcept { return order_.classify; }
    [[nodiscard]] static constexpr bool is_lost() noexcept { return false; }
    [[nodiscard]] Order& order() noexcept { return order_; }

    /// Begins the call. If it is too late already, the refusal is returned.
    [[nodiscard]] std::optional<Result<T>> begin(bool is_cancelled) {
        const CallOptions& options = order_.options;
        if (is_cancelled || options.stop.stop_requested()) {
            return Result<T>{Refused{{Error::cancelled}}};
        }
        deadline_ = options.deadline;
        if (options.timeout || !deadline_.is_never()) {
            const Instant now = read(StepByStep::clock_of(order_.pipeline()));
            if (options.timeout) deadline_ = earlier(deadline_, deadline_after(now, *options.timeout));
            if (deadline_.has_passed_at(now)) {
                return StepByStep::refuse_late<T>(order_.pipeline(), options.stop);
            }
        }
        return std::nullopt;
    }

    [[nodiscard]] PassageScope<clock_type> scope() noexcept {
        PassageScope<clock_type> scope{};
        scope.clock = &StepByStep::clock_of(order_.pipeline());
        scope.ending = &ending_;
        scope.stop = &order_.options.stop;
        scope.deadline = deadline_;
        return scope;
    }

  private:
    Order order_;
    Ending ending_{};
    Deadline deadline_{};
};

/// Refers to an AsioOrder that another coroutine owns.
template <class Order>
struct AsioOrderRef {
    explicit AsioOrderRef(Order& order) noexcept
        : whole{&order}, options{order.options}, f{order.f}, classify{order.classify} {}
    Order* whole;
    CallOptions& options;
    decltype(std::declval<Order&>().f)& f;
    decltype(std::declval<Order&>().classify)& classify;
    [[nodiscard]] const auto& pipeline() const noexcept { return whole->pipeline(); }
};

/// Has a stage for which the executor must run one function at a time: one that cancels what runs
/// inside it, or that another thread wakes.
template <class Stage>
inline constexpr bool needs_strand = false;
template <>
inline constexpr bool needs_strand<TimeoutStage> = true;
template <>
inline constexpr bool needs_strand<HedgeStage> = true;
template <class C, class Held>
inline constexpr bool needs_strand<GuardStage<QueuedBulkhead<C>, Held>> = true;

template <class... Stages>
[[nodiscard]] consteval bool any_needs_strand(std::tuple<const Stages*...>*) {
    return (needs_strand<Stages> || ...);
}

/// The parts of a list of stages before the first Hedge and after it.
template <class Stages>
struct AroundHedge;
template <class... Stages>
struct AroundHedge<std::tuple<const Stages*...>> {
    static constexpr std::size_t before = stages_before_hedge<Stages...>();
    static constexpr bool is_hedged = before != sizeof...(Stages);

    template <std::size_t From, class All, std::size_t... Number>
    static auto part(const All& all, std::index_sequence<Number...>) noexcept {
        return std::tuple{std::get<From + Number>(all)...};
    }
    static auto outside(const std::tuple<const Stages*...>& all) noexcept {
        return part<0>(all, std::make_index_sequence<before>{});
    }
    static auto inside(const std::tuple<const Stages*...>& all) noexcept {
        return part<before + 1>(all, std::make_index_sequence<sizeof...(Stages) - before - 1>{});
    }
};

template <class T, Clock C, class... Stages>
[[nodiscard]] Journey<T, C, Stages...> begin_journey(const std::tuple<const Stages*...>& stages,
                                                     const PassageScope<C>& scope) {
    return {stages, scope};
}

template <class L, class Ex, class Call, class Inside>
typename L::template Awaitable<void, Ex>
hedge_call(Call& call, const Hedge& hedge, const Inside& inside,
           const PassageScope<typename Call::clock_type>& scope,
           Travel<typename Call::value_type>& travel);

/// Passes a call through its stages, awaits the function, and returns what the caller gets.
///
/// The coroutine thread is the caller's own, or one on a strand if something in the call needs it.
template <class L, class Ex, class Call>
typename L::template Awaitable<Result<typename Call::value_type>, Ex> travel(Call call) {
    using T = typename Call::value_type;
    using C = typename Call::clock_type;
    using Around = AroundHedge<std::remove_cvref_t<decltype(call.stages())>>;

    if (auto refused = call.begin(L::is_cancelled(co_await L::cancellation_state()))) {
        co_return std::move(*refused);
    }
    const auto stages = call.stages();
    auto journey = begin_journey<T, C>(Around::outside(stages), call.scope());
    for (;;) {
        const Need need = journey.proceed();
        if (need == Need::over) break;
        Travel<T>& travel = journey.travel();
        const PassageScope<C>& scope = journey.scope();
        if (need == Need::call) {
            if constexpr (Around::is_hedged) {
                Travel<T> from_hedge;
                co_await hedge_call<L, Ex>(call, std::get<Around::before>(stages)->options(),
                                           Around::inside(stages), scope, from_hedge);
                travel.is_cancelled = L::is_cancelled(co_await L::cancellation_state());
                if (from_hedge.thrown) {
                    journey.fail(std::move(from_hedge.thrown));
                } else {
                    journey.end(std::move(*from_hedge.result));
                }
            } else {
                const Attempt attempt = scope.as_attempt();
                Arrival<T> arrival;
                Interruption why = Interruption::none;
                if (scope.deadline.is_never()) {
                    try {
                        if constexpr (std::is_void_v<T>) {
                            co_await invoke_attempt(call.f(), attempt);
                            arrival.value.emplace();
                        } else {
                            arrival.value.emplace(std::in_place,
                                                  co_await invoke_attempt(call.f(), attempt));
                        }
                    } catch (...) {
                        arrival.thrown = std::current_exception();
                    }
                } else {
                    const auto executor = co_await L::executor();
                    const auto race = recycled<L, AsioRace<L, Ex>>(Ex{executor});
                    const RaceKeeper<AsioRace<L, Ex>> keeper{race};
                    race->begin(*scope.clock, scope.deadline.at());
                    race->listen_to(co_await L::cancellation_state());
                    co_await L::co_spawn(Ex{executor},
                                         run_attempt<L, Ex>(call.f(), attempt, arrival, race),
                                         L::template bound_token<Ex>(race->slot()));
                    why = race->interruption();
                }
                travel.is_cancelled = // the function may have changed the state of its thread
                    L::is_cancelled(co_await L::cancellation_state()) || scope.is_stopped();
                if (call.is_lost()) {
                    why = Interruption::lost;
                } else if (why == Interruption::none && travel.is_cancelled) {
                    why = Interruption::cancelled;
                }
                conclude<T>(journey, call.classify(), arrival, why);
            }
        } else if (need == Need::sleep) {
            const Instant until = journey.pause().until;
            if constexpr (SleepingClock<C>) {
                sleep_until(*scope.clock, until, scope.stop_token());
            } else {
                typename L::template Timer<Ex> timer{co_await L::executor()};
                typename L::ErrorCode ignored;
                while (!travel.is_cancelled && scope.now() < until) {
                    set_timer(timer, *scope.clock, until);
                    co_await timer.async_wait(L::template quiet_token<Ex>(ignored));
                    travel.is_cancelled = L::is_cancelled(co_await L::cancellation_state());
                }
            }
            journey.wake();
        } else { // Need::queue
            Pause& pause = journey.pause();
            pause.refusal.reset();
            if (scope.is_stopped()) {
                pause.refusal = Refusal{Error::cancelled};
                journey.wake();
                continue;
            }
            using Place = AsioQueuePlace<L, Ex>;
            PlaceKeeper<Place> place{recycled<L, Place>(Ex{co_await L::executor()}, *pause.queue)};
            place->join(scope.deadline);
            typename L::ErrorCode ignored;
            while (!place->is_answered() && !travel.is_cancelled) {
                place->set_timer();
                co_await place->timer().async_wait(L::template quiet_token<Ex>(ignored));
                travel.is_cancelled = L::is_cancelled(co_await L::cancellation_state());
                if (!place->is_answered() && !travel.is_cancelled) place->expire();
            }
            if (travel.is_cancelled) {
                pause.refusal = Refusal{Error::cancelled};
            } else if (place->refusal()) {
                pause.refusal = place->refusal();
            } else {
                pause.slot = place->take_slot();
            }
            journey.wake();
        }
    }
    Travel<T>& travel = journey.travel();
    if (travel.thrown) std::rethrow_exception(std::move(travel.thrown));
    co_return std::move(*travel.result);
}

/// What a stop token calls, on any thread.
template <class Link>
struct CancelSoon {
    Link* link;
    void operator()() const { link->cancel_soon(); }
};

/// Passes a call through its stages in a coroutine thread of its own, and keeps what it ended with.
template <class L, class Ex, class Call>
typename L::template Awaitable<void, Ex> travel_apart(Call call, Travel<typename Call::value_type>& out,
                                                      std::shared_ptr<AsioThreadLink<L, Ex>> link,
                                                      std::stop_token stop) {
    co_await L::hear_every_cancellation();
    // Not earlier: the link must not be used while the thread is being spawned. The call itself looks
    // for a stop before.
    using OnStop = CancelSoon<AsioThreadLink<L, Ex>>;
    std::optional<std::stop_callback<OnStop>> on_stop;
    if (stop.stop_possible()) on_stop.emplace(stop, OnStop{link.get()});
    try {
        if (link->was_cancelled()) {
            out.result.emplace(Refused{{Error::cancelled}});
        } else {
            out.result.emplace(co_await travel<L, Ex>(std::move(call)));
        }
    } catch (...) {
        out.thrown = std::current_exception();
    }
}

/// A call for which the executor must run one function at a time.
template <class L, class Ex, class T, class Order>
typename L::template Awaitable<Result<T>, Ex> call_on_strand(Order order) {
    using Call = AsioWholeCall<T, AsioOrderRef<Order>>;
    const Ex executor = co_await L::executor();
    const bool can_stop = order.options.stop.stop_possible();
    if (!can_stop && L::is_strand(executor)) {
        co_return co_await travel<L, Ex>(Call{AsioOrderRef<Order>{order}});
    }
    const auto state = co_await L::cancellation_state();
    Travel<T> out;
    {
        const auto link = recycled<L, AsioThreadLink<L, Ex>>(
            L::is_strand(executor) ? executor : L::strand_of(executor));
        link->listen_to(state, L::is_cancelled(state));
        try {
            co_await L::co_spawn(
                link->executor(),
                travel_apart<L, Ex>(Call{AsioOrderRef<Order>{order}}, out, link, order.options.stop),
                L::template bound_token<Ex>(link->slot()));
        } catch (...) { // cancelled before its first function ran
            if (!link->was_cancelled() || out.result || out.thrown) throw;
            out.result.emplace(Refused{{Error::cancelled}});
        }
    }
    if (out.thrown) std::rethrow_exception(std::move(out.thrown));
    co_return std::move(*out.result);
}

} // namespace dashpot::inline DASHPOT_ABI::detail

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif

#endif
