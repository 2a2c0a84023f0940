// SPDX-License-Identifier: MIT
#ifndef DASHPOT_PIPELINE_DETAIL_TIMEOUT_STAGE_HPP
#define DASHPOT_PIPELINE_DETAIL_TIMEOUT_STAGE_HPP

#include <dashpot/core/abi.hpp>
#include <dashpot/core/deadline.hpp>
#include <dashpot/core/duration.hpp>
#include <dashpot/core/error.hpp>
#include <dashpot/core/result.hpp>
#include <dashpot/pipeline/timeout.hpp>

namespace dashpot::inline DASHPOT_ABI::detail {

/// Returns the deadline that is `length` after `now`, or never if that is the end of the time line.
[[nodiscard]] constexpr Deadline deadline_after(Instant now, std::chrono::nanoseconds length) noexcept {
    const Instant at{saturating_add(now.time_since_epoch(), length)};
    return at == (Instant::max)() ? Deadline{} : Deadline{at};
}

/// A Timeout of a pipeline.
class TimeoutStage {
  public:
    explicit TimeoutStage(const Timeout& timeout) : limit_{timeout.limit} { timeout.validate(); }

    static constexpr bool may_repeat = false;

    /// Passes the call inwards with an earlier deadline, or refuses it if the deadline from outside has
    /// passed.
    template <class T, class Scope, class Next>
    [[gnu::always_inline]] Result<T> run(const Scope& scope, const Next& next) const {
        const Instant now = scope.now();
        if (scope.deadline.has_passed_at(now)) return scope.refuse({Error::deadline_exceeded});
        Scope inner = scope;
        inner.deadline = earlier(scope.deadline, deadline_after(now, limit_));
        return next(inner);
    }

    [[nodiscard]] Nanoseconds limit() const noexcept { return limit_; }

  private:
    Nanoseconds limit_;
};

} // namespace dashpot::inline DASHPOT_ABI::detail

#endif
