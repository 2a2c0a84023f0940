// SPDX-License-Identifier: MIT
#ifndef DASHPOT_ADAPTER_DETAIL_ASIO_ENTRY_HPP
#define DASHPOT_ADAPTER_DETAIL_ASIO_ENTRY_HPP

#include <dashpot/adapter/detail/asio_call.hpp>
#include <dashpot/adapter/detail/asio_hedge.hpp>
#include <dashpot/core/abi.hpp>
#include <dashpot/core/by_exception.hpp>
#include <dashpot/pipeline/call_options.hpp>
#include <dashpot/pipeline/detail/innermost_call.hpp>
#include <dashpot/pipeline/detail/piece.hpp>
#include <dashpot/pipeline/pipeline.hpp>

#include <concepts>
#include <memory>
#include <type_traits>
#include <utility>

namespace dashpot::inline DASHPOT_ABI::detail {

/// What a function returns that is called as an lvalue, with an Attempt or with nothing.
template <class F>
using AwaitableOf = Returned<std::decay_t<F>&>;

/// Is a function for which the library L has an awaitable.
template <class F, class L>
concept ReturnsAwaitableOf = TakesAttemptOrNothing<std::decay_t<F>&> &&
                             L::template is_awaitable<std::remove_cvref_t<AwaitableOf<F>>>;

/// Is a pipeline, or what pipeline() takes as its only piece.
template <class P>
concept ProtectsCalls = NestedPipeline<std::remove_cvref_t<P>> || std::is_lvalue_reference_v<P> ||
                        is_shared_ptr<std::remove_cvref_t<P>>;

/// Keeps a pipeline for one call: a pointer to a variable, and everything else by value.
template <class P>
[[nodiscard]] auto held_for_call(P&& protect) {
    if constexpr (!NestedPipeline<std::remove_cvref_t<P>>) {
        return dashpot::pipeline(std::forward<P>(protect));
    } else if constexpr (std::is_lvalue_reference_v<P>) {
        return std::addressof(std::as_const(protect));
    } else {
        return std::remove_cvref_t<P>(std::forward<P>(protect));
    }
}

/// Makes the awaitable of one call. The call begins when it is awaited.
template <class L, class P, class F, class Classify>
[[nodiscard]] auto asio_call(P&& protect, const CallOptions& options, F&& f, Classify&& classify) {
    using Awaitable = std::remove_cvref_t<AwaitableOf<F>>;
    using T = typename Awaitable::value_type;
    using Ex = typename Awaitable::executor_type;
    using Order = AsioOrder<decltype(held_for_call(std::forward<P>(protect))), std::decay_t<F>,
                            std::decay_t<Classify>>;
    Order order{held_for_call(std::forward<P>(protect)), options, std::forward<F>(f),
                std::forward<Classify>(classify)};
    using Stages = decltype(StepByStep::stages_of(order.pipeline()));
    if constexpr (!any_needs_strand(static_cast<Stages*>(nullptr))) {
        if (!options.stop.stop_possible() && options.deadline.is_never() && !options.timeout) {
            return travel<L, Ex>(AsioWholeCall<T, Order>{std::move(order)});
        }
    }
    return call_on_strand<L, Ex, T>(std::move(order));
}

} // namespace dashpot::inline DASHPOT_ABI::detail

#endif
