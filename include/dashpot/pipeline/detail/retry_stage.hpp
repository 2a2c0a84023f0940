// SPDX-License-Identifier: MIT
#ifndef DASHPOT_PIPELINE_DETAIL_RETRY_STAGE_HPP
#define DASHPOT_PIPELINE_DETAIL_RETRY_STAGE_HPP

#include <dashpot/core/abi.hpp>
#include <dashpot/core/result.hpp>
#include <dashpot/pipeline/detail/retry_course.hpp>
#include <dashpot/pipeline/retry.hpp>

#include <exception>

namespace dashpot::inline DASHPOT_ABI::detail {

/// A Retry of a pipeline, for calls that block their thread.
class RetryStage {
  public:
    explicit RetryStage(const Retry& retry) : retry_{retry} { retry.validate(); }

    static constexpr bool may_repeat = true;

    /// Passes the call inwards, again and again until it ends. The caller gets the last attempt's own
    /// result.
    template <class T, class Scope, class Next>
    [[gnu::always_inline]] Result<T> run(const Scope& scope, const Next& next) const {
        RetryCourse course{retry_, scope};
        for (;;) {
            [[maybe_unused]] bool is_waiting = false;
#if DASHPOT_EXCEPTIONS
            try {
#endif
                Result<T> result = next(course.begin_attempt());
                if (course.is_over() || !course.end_attempt()) return result;
                is_waiting = true;
                if (!course.waits_for_next()) return result;
#if DASHPOT_EXCEPTIONS
            } catch (...) {
                // An exception of the clock, or the cancellation of this thread, is no attempt's.
                if (is_waiting || std::current_exception() == nullptr) throw;
                if (!course.end_attempt() || !course.waits_for_next()) throw;
            }
#endif
        }
    }

    /// Passes a refusal from before the first attempt on.
    template <class T, class Scope, class Next>
    Result<T> pass_refusal(const Scope& scope, const Next& next) const {
        return next(scope);
    }

    [[nodiscard]] const Retry& options() const noexcept { return retry_; }

  private:
    Retry retry_;
};

} // namespace dashpot::inline DASHPOT_ABI::detail

#endif
