// SPDX-License-Identifier: MIT
#ifndef DASHPOT_PIPELINE_DETAIL_FALLBACK_STAGE_HPP
#define DASHPOT_PIPELINE_DETAIL_FALLBACK_STAGE_HPP

#include <dashpot/core/abi.hpp>
#include <dashpot/core/error.hpp>
#include <dashpot/core/result.hpp>
#include <dashpot/pipeline/detail/ending.hpp>
#include <dashpot/pipeline/fallback.hpp>

#include <concepts>
#include <exception>
#include <functional>
#include <type_traits>
#include <utility>

namespace dashpot::inline DASHPOT_ABI::detail {

/// A handler that takes what a call ended with. It is called as const.
template <class F, class Given>
concept Answers = std::invocable<const F&, const Given&>;

template <class F, class Given>
struct AnswerTo {
    using type = void;
};
template <class F, class Given>
    requires Answers<F, Given>
struct AnswerTo<F, Given> : std::invoke_result<const F&, const Given&> {};

/// What a handler returns; void if it does not take what it is given.
template <class F, class Given>
using AnswerOf = typename AnswerTo<F, Given>::type;

/// A Fallback of a pipeline.
template <class F>
class FallbackStage {
  public:
    explicit FallbackStage(Fallback<F> fallback)
        : handler_{std::move(fallback.handler)}, stats_{fallback.stats} {
        static_assert(Answers<F, Refusal>,
                      "the handler of a Fallback must take a const dashpot::Refusal&, and must be "
                      "callable as const");
    }

    static constexpr bool may_repeat = false;

    /// Passes the call inwards, and answers a refusal or a failure.
    template <class T, class Scope, class Next>
    Result<T> run(const Scope& scope, const Next& next) const {
#if DASHPOT_EXCEPTIONS
        if constexpr (answers_exceptions) {
            std::exception_ptr thrown;
            Result<T> result = caught<T>(scope, next, thrown);
            if (thrown) return answer<T>(scope, thrown);
            return checked<T>(scope, std::move(result));
        } else
#endif
        {
            return checked<T>(scope, next(scope));
        }
    }

    /// Answers a refusal from before the call.
    template <class T, class Scope, class Next>
    Result<T> pass_refusal(const Scope& scope, const Next& next) const {
        return checked<T>(scope, next(scope));
    }

    /// Is true if the handler takes exceptions.
    static constexpr bool answers_exceptions =
        DASHPOT_EXCEPTIONS != 0 && Answers<F, Refusal> && Answers<F, std::exception_ptr>;

    /// Returns true if an exception that came from inside is one that the handler answers.
    [[nodiscard]] static bool is_answerable(const Ending& ending) noexcept {
        return ending.is_failure() || ending.is_thrown_by_handler;
    }

    /// Answers a refusal or a failure from inside; returns every other result as it is.
    template <class T, class Scope>
    Result<T> checked(const Scope& scope, Result<T> result) const {
        const Ending& ending = *scope.ending;
        if (ending.is_answered || scope.is_stopped()) return result;
        if (!result.has_value()) {
            if (result.error().reason == Error::cancelled) return result;
            return answer<T>(scope, Refusal{result.error()});
        }
        if constexpr (!std::is_void_v<T>) {
            using Value = std::remove_cvref_t<T>;
            if constexpr (Answers<F, Value>) {
                const Value& value = *result;
                if (ending.is_failure()) return answer<T>(scope, value);
            }
        }
        return result;
    }

    /// Calls the handler.
    template <class T, class Scope, class Given>
    Result<T> answer(const Scope& scope, const Given& given) const {
        scope.ending->is_thrown_by_handler = true; // unless it returns
        Result<T> result = from_handler<T>(given);
        scope.ending->is_thrown_by_handler = false;
        scope.ending->is_answered = result.has_value();
        if (stats_ != nullptr && result.has_value()) stats_->count_fallback();
        return result;
    }

  private:
#if DASHPOT_EXCEPTIONS
    template <class T, class Scope, class Next>
    static Result<T> caught(const Scope& scope, const Next& next, std::exception_ptr& thrown) {
        try {
            return next(scope);
        } catch (...) {
            if (!is_answerable(*scope.ending)) throw;
            if (scope.is_stopped()) throw;
            thrown = std::current_exception();
            if (!thrown) throw;                        // the cancellation of this thread
            return Refused{Refusal{Error::cancelled}}; // is not used
        }
    }
#endif

    template <class T, class Given>
    Result<T> from_handler(const Given& given) const {
        using Answer = AnswerOf<F, Given>;
        if constexpr (!Answers<F, Given>) {
            return Refused{Refusal{Error::cancelled}}; // the constructor has said why
        } else if constexpr (std::same_as<std::remove_cvref_t<Answer>, Result<T>>) {
            return std::invoke(handler_, given);
        } else if constexpr (std::is_void_v<T>) {
            (void)std::invoke(handler_, given);
            return Result<T>{};
        } else if constexpr (std::convertible_to<Answer, Stored<T>>) {
            return Result<T>{std::in_place, std::invoke(handler_, given)};
        } else if constexpr (std::convertible_to<Answer, Result<T>>) {
            return std::invoke(handler_, given);
        } else {
            static_assert(std::convertible_to<Answer, Result<T>>,
                          "the handler of a Fallback must return what the called function returns, or "
                          "a Result of it");
            return Refused{Refusal{Error::cancelled}};
        }
    }

    F handler_;
    RetryStats* stats_;
};

} // namespace dashpot::inline DASHPOT_ABI::detail

#endif
