// SPDX-License-Identifier: MIT
#ifndef DASHPOT_PIPELINE_PIPELINE_HPP
#define DASHPOT_PIPELINE_PIPELINE_HPP

#include <dashpot/core/abi.hpp>
#include <dashpot/core/by_exception.hpp>
#include <dashpot/core/clock.hpp>
#include <dashpot/core/deadline.hpp>
#include <dashpot/core/error.hpp>
#include <dashpot/core/result.hpp>
#include <dashpot/pipeline/attempt.hpp>
#include <dashpot/pipeline/call_options.hpp>
#include <dashpot/pipeline/detail/call_scope.hpp>
#include <dashpot/pipeline/detail/ending.hpp>
#include <dashpot/pipeline/detail/innermost_call.hpp>
#include <dashpot/pipeline/detail/piece.hpp>
#include <dashpot/pipeline/detail/timeout_stage.hpp>

#include <concepts>
#include <cstddef>
#include <stop_token>
#include <tuple>
#include <type_traits>
#include <utility>

namespace dashpot::inline DASHPOT_ABI {

namespace detail {

/// The clock of a pipeline that was given none: the outer pipeline's, or else SteadyClock.
struct NoClock {};

using DefaultClock = SteadyClock;
inline constexpr DefaultClock default_clock{};

/// Refuses a call whose deadline has passed.
template <class T>
struct RefuseAtDeadline {
    template <class Scope>
    Result<T> operator()(const Scope& scope) const {
        return scope.refuse({Error::deadline_exceeded});
    }
};

/// What a wrong function returns, so that the compiler reports nothing but the reason.
struct WrongFunction {};

template <class P, class Held>
class NestedStage;

struct StepByStep;

} // namespace detail

/// Guards and strategies around one call, the outermost first. Made by pipeline().
///
///     auto protect = dashpot::pipeline(dashpot::Fallback{cached}, dashpot::Timeout{2s},
///                                      dashpot::Retry{.max_attempts = 3}, target);
///     auto reply = protect.call([&](const dashpot::Attempt& attempt) {
///         return client.get(url, attempt.remaining());
///     });
///
/// **Contract.** `pipeline(a, b).call(f)` is a(b(f())).
/// - Guards are held by reference and must outlive the pipeline; a std::shared_ptr is kept. Strategies
///   are values.
/// - One classifier judges each attempt once. Every guard records the outcome of what ran inside it.
/// - A refusal further in is recorded by no guard: it gives its permit back.
///
/// **Threads.** A value that can be copied. Any number of threads may call one object at once.
/// **Cost.** The sum of its pieces. No virtual call, no allocation.
/// **Errors.** Options are refused when the pipeline is made. Exceptions of the function, the
/// classifier and a fallback's handler are passed through.
///
/// @tparam C       the clock's type, or detail::NoClock
/// @tparam Stages  the stages that the pieces became
template <class C, class... Stages>
class Pipeline {
  public:
    /// Use pipeline().
    explicit Pipeline(C clock, Stages... stages)
        : clock_{std::move(clock)}, stages_{std::move(stages)...} {}

    /// Returns the same pipeline with this clock. Deadlines are read from the clock, and waits use its
    /// `sleep_until(Instant, std::stop_token)`, if it has one.
    template <Clock NewClock>
    [[nodiscard]] Pipeline<NewClock, Stages...> with(NewClock clock) const& {
        return std::apply(
            [&](const Stages&... stages) {
                return Pipeline<NewClock, Stages...>{std::move(clock), stages...};
            },
            stages_);
    }
    template <Clock NewClock>
    [[nodiscard]] Pipeline<NewClock, Stages...> with(NewClock clock) && {
        return std::apply(
            [&](Stages&... stages) {
                return Pipeline<NewClock, Stages...>{std::move(clock), std::move(stages)...};
            },
            stages_);
    }

    /// Calls `f` through all stages.
    ///
    /// **Contract.** Returns what `f` returned or a fallback answered, or the Refusal of the stage that
    /// ended the call. `f` takes a `const Attempt&` or nothing. With a Retry, `f` is called as an
    /// lvalue. `classify` is what CircuitBreaker::call() takes.
    template <class F, class Classify = ByException>
        requires(!std::same_as<std::remove_cvref_t<F>, CallOptions>)
    [[nodiscard]] auto call(F&& f, Classify&& classify = {}) const {
        return call_within(Deadline{}, nullptr, std::forward<F>(f), classify);
    }

    /// As above, with a deadline and a stop token.
    ///
    /// **Contract.** If a stop was requested already, the call is refused with `cancelled`. Otherwise,
    /// if its deadline has passed, it is refused with `deadline_exceeded`: only a Fallback that stands
    /// before all guards and timeouts is called.
    template <class F, class Classify = ByException>
    [[nodiscard]] auto call(const CallOptions& options, F&& f, Classify&& classify = {}) const {
        using Function = CalledAs<F>;
        if constexpr (check_function<F>()) {
            using T = detail::Returned<Function>;
            if (options.stop.stop_requested()) return Result<T>{Refused{{Error::cancelled}}};
            Deadline deadline = options.deadline;
            if (options.timeout || !deadline.is_never()) {
                const Instant now = detail::read(own_clock());
                if (options.timeout) {
                    deadline = earlier(deadline, detail::deadline_after(now, *options.timeout));
                }
                if (deadline.has_passed_at(now)) {
                    return refuse_late<T>(options.stop);
                }
            }
            return call_within(deadline, &options.stop, std::forward<F>(f), classify);
        } else {
            return Result<detail::WrongFunction>{};
        }
    }

  private:
    template <class P, class Held>
    friend class detail::NestedStage;
    friend struct detail::StepByStep;

    using ClockInUse = std::conditional_t<std::same_as<C, detail::NoClock>, detail::DefaultClock, C>;

    static constexpr bool may_repeat = (Stages::may_repeat || ...);

    /// As what `f` is called: with a Retry as an lvalue, because it may be called again.
    template <class F>
    using CalledAs = std::conditional_t<may_repeat, std::remove_reference_t<F>&, F&&>;

    template <class F>
    static consteval bool check_function() {
        if constexpr (may_repeat && !detail::TakesAttemptOrNothing<CalledAs<F>>) {
            static_assert(!detail::TakesAttemptOrNothing<F&&>,
                          "a Retry may call f again, so f must be callable as an lvalue");
            static_assert(detail::TakesAttemptOrNothing<F&&>,
                          "f must take a const dashpot::Attempt& or nothing");
        } else {
            static_assert(detail::TakesAttemptOrNothing<CalledAs<F>>,
                          "f must take a const dashpot::Attempt& or nothing");
        }
        return detail::TakesAttemptOrNothing<CalledAs<F>>;
    }

    [[nodiscard]] const auto& own_clock() const noexcept {
        if constexpr (std::same_as<C, detail::NoClock>) {
            return detail::default_clock;
        } else {
            return clock_;
        }
    }

    template <class F, class Classify>
    auto call_within(Deadline deadline, const std::stop_token* stop, F&& f, Classify& classify) const {
        if constexpr (check_function<F>()) {
            const detail::InnermostCall<CalledAs<F>, Classify> innermost{f, classify};
            detail::Ending ending;
            const detail::CallScope<ClockInUse> scope{&own_clock(), &ending, stop, deadline};
            return run<0, detail::Returned<CalledAs<F>>>(scope, innermost);
        } else {
            return Result<detail::WrongFunction>{};
        }
    }

    /// What a stage calls: the stages from number Place on, and then the innermost function.
    template <std::size_t Place, class T, class Innermost>
    struct Inwards {
        const Pipeline& pipeline;
        const Innermost& innermost;

        template <class Scope>
        [[gnu::always_inline]] Result<T> operator()(const Scope& scope) const {
            return pipeline.template run<Place, T>(scope, innermost);
        }
        /// Ends the call as if the innermost function had thrown.
        template <class Scope, class Thrown>
        Result<T> fail(const Scope& scope, const Thrown& thrown) const {
            return innermost.fail(scope, thrown);
        }
    };

    /// Passes a call through the stages from number Place on, and then to `innermost`.
    template <std::size_t Place, class T, class Scope, class Innermost>
    [[gnu::always_inline]] Result<T> run(const Scope& scope, const Innermost& innermost) const {
        if constexpr (Place == sizeof...(Stages)) {
            return innermost(scope);
        } else {
            return std::get<Place>(stages_).template run<T>(
                scope, Inwards<Place + 1, T, Innermost>{*this, innermost});
        }
    }

    /// Refuses a call whose deadline has passed before it began.
    template <class T>
    Result<T> refuse_late(const std::stop_token& stop) const {
        detail::Ending ending;
        const detail::CallScope<ClockInUse> scope{&own_clock(), &ending, &stop};
        return refuse<0, T>(scope, detail::RefuseAtDeadline<T>{});
    }

    /// Passes a refusal at the deadline to the stages that stand before the first guard or timeout.
    template <std::size_t Place, class T, class Scope, class Refuse>
    Result<T> refuse(const Scope& scope, const Refuse& refusal) const {
        if constexpr (Place == sizeof...(Stages)) {
            return refusal(scope);
        } else {
            const auto& stage = std::get<Place>(stages_);
            const auto next = [&](const Scope& inner) { return refuse<Place + 1, T>(inner, refusal); };
            if constexpr (requires { stage.template pass_refusal<T>(scope, next); }) {
                return stage.template pass_refusal<T>(scope, next);
            } else {
                return detail::RefuseAtDeadline<T>{}(scope);
            }
        }
    }

    [[no_unique_address]] C clock_;
    std::tuple<Stages...> stages_;
};

namespace detail {

/// A pipeline within a pipeline. Without a clock of its own it uses the outer one's.
template <class C, class... Stages, class Held>
class NestedStage<Pipeline<C, Stages...>, Held> {
  public:
    explicit NestedStage(Held pipeline) noexcept : pipeline_{std::move(pipeline)} {}

    static constexpr bool may_repeat = Pipeline<C, Stages...>::may_repeat;

    template <class T, class Scope, class Next>
    Result<T> run(const Scope& scope, const Next& next) const {
        return pipeline_->template run<0, T>(within(scope), Outwards<T, Scope, Next>{scope, next});
    }

    template <class T, class Scope, class Next>
    Result<T> pass_refusal(const Scope& scope, const Next& next) const {
        return pipeline_->template refuse<0, T>(within(scope), Outwards<T, Scope, Next>{scope, next});
    }

    /// The nested pipeline, for code that passes its stages step by step.
    [[nodiscard]] const Pipeline<C, Stages...>& pipeline() const noexcept { return *pipeline_; }

  private:
    friend struct StepByStep;

    /// What the nested pipeline calls innermost: what follows it in the outer one, with the outer
    /// clock.
    template <class T, class Scope, class Next>
    struct Outwards {
        const Scope& outer;
        const Next& next;

        Result<T> operator()(Scope scope) const {
            scope.clock = outer.clock;
            return next(scope);
        }
        template <class Thrown>
        Result<T> fail(const Scope& scope, const Thrown& thrown) const {
            return next.fail(scope, thrown);
        }
    };

    template <class Scope>
    Scope within(const Scope& scope) const {
        Scope inner = scope;
        if constexpr (!std::same_as<C, NoClock>) {
            static_assert(std::same_as<C, typename Scope::clock_type>,
                          "two clock types in one pipeline: give all of its pipelines the same one, "
                          "with(clock)");
            if constexpr (std::same_as<C, typename Scope::clock_type>) inner.clock = &pipeline_->clock_;
        }
        return inner;
    }

    Held pipeline_;
};

template <class C, class... Stages, class Held>
struct NestedStageFor<Pipeline<C, Stages...>, Held> {
    using type = NestedStage<Pipeline<C, Stages...>, Held>;
};

} // namespace detail

/// Makes a pipeline of pieces, the outermost first.
///
///     auto protect = dashpot::pipeline(dashpot::Retry{}, breaker);
///
/// **Contract.** A piece is one of these:
/// - a strategy, by value: Retry, Timeout, Fallback;
/// - a guard, as a variable or a std::shared_ptr: a CircuitBreaker, a Bulkhead, a Target, or any type
///   that has try_acquire() or try_enter(), whose result tests true or has refusal();
/// - a pipeline, as a variable or a std::shared_ptr.
///
/// **Errors.** std::invalid_argument for an option out of range, and for a null std::shared_ptr.
template <class... Pieces>
[[nodiscard]] auto pipeline(Pieces&&... pieces) {
    return Pipeline<detail::NoClock, detail::StageOf<Pieces>...>{
        detail::NoClock{}, detail::stage_of(std::forward<Pieces>(pieces))...};
}

} // namespace dashpot::inline DASHPOT_ABI

#endif
