// SPDX-License-Identifier: MIT
#ifndef DASHPOT_PIPELINE_DETAIL_INNERMOST_CALL_HPP
#define DASHPOT_PIPELINE_DETAIL_INNERMOST_CALL_HPP

#include <dashpot/core/abi.hpp>
#include <dashpot/core/result.hpp>
#include <dashpot/guard/detail/admitted_call.hpp>
#include <dashpot/pipeline/attempt.hpp>
#include <dashpot/pipeline/detail/ending.hpp>

#include <concepts>
#include <exception>
#include <functional>
#include <type_traits>
#include <utility>

namespace dashpot::inline DASHPOT_ABI::detail {

template <class F>
concept TakesAttempt = std::invocable<F, const Attempt&>;

template <class F>
concept TakesAttemptOrNothing = TakesAttempt<F> || std::invocable<F>;

template <class F>
struct ReturnedBy : std::invoke_result<F> {};
template <TakesAttempt F>
struct ReturnedBy<F> : std::invoke_result<F, const Attempt&> {};

/// What F returns, with an Attempt or without. F is a reference type: an rvalue reference is called as
/// an rvalue.
template <class F>
using Returned = typename ReturnedBy<F>::type;

/// The user's function at the inner end of a pipeline, with the classifier of the call.
template <class F, class Classify>
class InnermostCall {
  public:
    using returned_type = Returned<F>;

    InnermostCall(std::remove_reference_t<F>& f, Classify& classify) noexcept
        : f_{&f}, classify_{&classify} {}

    /// Calls the function, and records in the scope how the call ended.
    template <class Scope>
    Result<returned_type> operator()(const Scope& scope) const {
        return admitted_call(
            JudgedAttempt{*scope.ending},
            [&]() -> returned_type {
                if constexpr (TakesAttempt<F>) {
                    return std::invoke(static_cast<F>(*f_), scope.as_attempt());
                } else {
                    return std::invoke(static_cast<F>(*f_));
                }
            },
            *classify_);
    }

#if DASHPOT_EXCEPTIONS
    /// Ends the call as if the function had thrown `thrown`. The function is not called.
    template <class Scope>
    Result<returned_type> fail(const Scope& scope, const std::exception_ptr& thrown) const {
        return admitted_call(
            JudgedAttempt{*scope.ending}, [&]() -> returned_type { std::rethrow_exception(thrown); },
            *classify_);
    }
#endif

  private:
    std::remove_reference_t<F>* f_;
    Classify* classify_;
};

} // namespace dashpot::inline DASHPOT_ABI::detail

#endif
