// SPDX-License-Identifier: MIT
#ifndef DASHPOT_GUARD_DETAIL_ADMITTED_CALL_HPP
#define DASHPOT_GUARD_DETAIL_ADMITTED_CALL_HPP

#include <dashpot/core/abi.hpp>
#include <dashpot/core/by_exception.hpp>
#include <dashpot/core/contract.hpp>
#include <dashpot/core/detail/deferred.hpp>
#include <dashpot/core/outcome.hpp>
#include <dashpot/core/result.hpp>
#include <dashpot/core/verdict.hpp>

#include <concepts>
#include <exception>
#include <functional>
#include <type_traits>
#include <utility>

namespace dashpot::inline DASHPOT_ABI::detail {

/// What a classifier answered: an Outcome, or a Verdict if that is what it returns.
template <class Answer>
[[nodiscard]] constexpr auto as_judged(const Answer& answer) {
    if constexpr (std::convertible_to<const Answer&, Verdict>) {
        return Verdict{answer};
    } else {
        return Outcome{answer};
    }
}

/// Settles a permit by what `judge` says of the call; as ignored if it throws instead.
template <class Permit, class Judge>
void settle(Permit& permit, Judge&& judge) {
    struct IgnoreUnlessAnswered {
        Permit& permit;
        ~IgnoreUnlessAnswered() { (void)permit.ignore(); }
    } const otherwise{permit};
    (void)permit.record(std::forward<Judge>(judge)());
}

/// The user's function, under a permit that was granted. An exception of its own passes through; if
/// the classifier does not judge exceptions, the permit's destructor records it as a failure.
template <class Permit, class F, class Classify>
decltype(auto) invoke_judging_exceptions([[maybe_unused]] Permit& permit, F&& f,
                                         [[maybe_unused]] Classify& classify) {
#if DASHPOT_EXCEPTIONS
    if constexpr (judges_exceptions<Classify>()) {
        try {
            return std::invoke(std::forward<F>(f));
        } catch (...) {
            const std::exception_ptr thrown = std::current_exception();
            // What is no C++ exception cancels this thread: the permit's destructor answers for it.
            if (thrown) settle(permit, [&] { return as_judged(std::invoke(classify, thrown)); });
            throw;
        }
    } else
#endif
    {
        return std::invoke(std::forward<F>(f));
    }
}

/// The one shape of `call`, for whatever hands out permits.
///
/// Takes the permit by value: it is answered before the caller sees the result.
template <class Permit, class F, class Classify>
auto admitted_call(Permit permit, F&& f, Classify& classify) -> Result<std::invoke_result_t<F>> {
    using Returned = std::invoke_result_t<F>;
    using Value = Result<Returned>;
    static_assert(!is_deferred<std::remove_cvref_t<Returned>>(),
                  "f returns before its call is over: a future, a coroutine or a sender. Take a permit "
                  "with try_acquire() (Target: try_enter()) and record the outcome when the call "
                  "completes: docs/asynchronous_code.md");
    if (!permit) return Refused{permit.refusal()};
    if constexpr (std::is_void_v<Returned>) {
        invoke_judging_exceptions(permit, std::forward<F>(f), classify);
        if constexpr (std::is_invocable_r_v<Outcome, Classify&>) {
            settle(permit, [&] { return as_judged(std::invoke(classify)); });
        } else {
            static_assert(judges_exceptions<Classify>() && !JudgesOnlyValues<Classify>,
                          "the classifier can never be called: f returns nothing, so the classifier "
                          "must take nothing or a std::exception_ptr, and return an Outcome");
            (void)permit.success();
        }
        return Value{};
    } else {
        using Plain = std::remove_cvref_t<Returned>;
        Value result{std::in_place, invoke_judging_exceptions(permit, std::forward<F>(f), classify)};
        const Plain& value = *result;
        if constexpr (std::is_invocable_r_v<Outcome, Classify&, const Plain&>) {
            settle(permit, [&] { return as_judged(std::invoke(classify, value)); });
        } else {
            static_assert(judges_exceptions_alone<Classify>(),
                          "the classifier can never be called with what f returns: the classifier "
                          "must take the returned value or only a std::exception_ptr, and return an "
                          "Outcome");
            (void)permit.success();
        }
        return result;
    }
}

} // namespace dashpot::inline DASHPOT_ABI::detail

#endif
