// SPDX-License-Identifier: MIT
#ifndef DASHPOT_PIPELINE_DETAIL_PIECE_HPP
#define DASHPOT_PIPELINE_DETAIL_PIECE_HPP

#include <dashpot/core/abi.hpp>
#include <dashpot/core/contract.hpp>
#include <dashpot/core/result.hpp>
#include <dashpot/pipeline/detail/fallback_stage.hpp>
#include <dashpot/pipeline/detail/guard_stage.hpp>
#include <dashpot/pipeline/detail/hedge_stage.hpp>
#include <dashpot/pipeline/detail/retry_stage.hpp>
#include <dashpot/pipeline/detail/timeout_stage.hpp>
#include <dashpot/pipeline/fallback.hpp>
#include <dashpot/pipeline/hedge.hpp>
#include <dashpot/pipeline/retry.hpp>
#include <dashpot/pipeline/timeout.hpp>

#include <memory>
#include <type_traits>
#include <utility>

namespace dashpot::inline DASHPOT_ABI::detail {

/// The stage of a strategy, which a pipeline holds by value. Specialized for each strategy.
template <class Strategy>
struct StrategyStage {};
template <>
struct StrategyStage<Retry> {
    using type = RetryStage;
};
template <>
struct StrategyStage<Timeout> {
    using type = TimeoutStage;
};
template <>
struct StrategyStage<Hedge> {
    using type = HedgeStage;
};
template <class F>
struct StrategyStage<Fallback<F>> {
    using type = FallbackStage<F>;
};

template <class Piece>
concept Strategy = requires { typename StrategyStage<Piece>::type; };

/// The stage of a nested pipeline. Specialized in pipeline.hpp.
template <class P, class Held>
struct NestedStageFor {};

template <class P>
concept NestedPipeline = requires { typename NestedStageFor<P, const P*>::type; };

template <class Piece>
inline constexpr bool is_shared_ptr = false;
template <class T>
inline constexpr bool is_shared_ptr<std::shared_ptr<T>> = true;

/// Stands in for a wrong piece, so that the compiler reports nothing but the reason.
struct WrongStage {
    static constexpr bool may_repeat = false;

    template <class T, class Scope, class Next>
    Result<T> run(const Scope& scope, const Next& next) const {
        return next(scope);
    }
};

template <class G, class Held>
auto stage_of_guard(Held held) {
    if constexpr (NestedPipeline<std::remove_const_t<G>>) {
        return typename NestedStageFor<std::remove_const_t<G>, Held>::type{std::move(held)};
    } else {
        return GuardStage<G, Held>{std::move(held)};
    }
}

template <class G>
inline constexpr bool is_guard_or_pipeline = Guard<G> || NestedPipeline<std::remove_const_t<G>>;

/// Makes the stage of a piece that was passed to pipeline().
template <class Piece>
auto stage_of(Piece&& piece) {
    using Plain = std::remove_cvref_t<Piece>;
    if constexpr (Strategy<Plain>) {
        return typename StrategyStage<Plain>::type{std::forward<Piece>(piece)};
    } else if constexpr (is_shared_ptr<Plain>) {
        using G = typename Plain::element_type;
        if constexpr (is_guard_or_pipeline<G>) {
            if (piece == nullptr)
                refuse_option("pipeline(): a std::shared_ptr", "null", "must hold a guard");
            return stage_of_guard<G, Plain>(std::forward<Piece>(piece));
        } else {
            static_assert(is_guard_or_pipeline<G>,
                          "what this std::shared_ptr holds is no piece of a pipeline: a guard has "
                          "try_acquire() or try_enter(), whose result tests true or has refusal()");
            return WrongStage{};
        }
    } else if constexpr (!is_guard_or_pipeline<std::remove_reference_t<Piece>>) {
        static_assert(is_guard_or_pipeline<std::remove_reference_t<Piece>>,
                      "this is no piece of a pipeline: a piece is a Retry, a Timeout, a Fallback, or a "
                      "guard that has try_acquire() or try_enter(), whose result tests true or has "
                      "refusal()");
        return WrongStage{};
    } else if constexpr (!std::is_lvalue_reference_v<Piece>) {
        static_assert(std::is_lvalue_reference_v<Piece>,
                      "a pipeline does not own this guard, which is a temporary: pass a variable that "
                      "lives longer, or a std::shared_ptr");
        return WrongStage{};
    } else {
        using G = std::remove_reference_t<Piece>;
        return stage_of_guard<G, G*>(std::addressof(piece));
    }
}

template <class Piece>
using StageOf = decltype(stage_of(std::declval<Piece>()));

} // namespace dashpot::inline DASHPOT_ABI::detail

#endif
