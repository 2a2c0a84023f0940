// SPDX-License-Identifier: MIT
#ifndef DASHPOT_PIPELINE_DETAIL_CALL_SCOPE_HPP
#define DASHPOT_PIPELINE_DETAIL_CALL_SCOPE_HPP

#include <dashpot/core/abi.hpp>
#include <dashpot/core/clock.hpp>
#include <dashpot/core/deadline.hpp>
#include <dashpot/core/duration.hpp>
#include <dashpot/core/result.hpp>
#include <dashpot/pipeline/attempt.hpp>
#include <dashpot/pipeline/detail/ending.hpp>

#include <cstdint>
#include <stop_token>

namespace dashpot::inline DASHPOT_ABI::detail {

/// A budget that a Retry further out uses for the same call.
struct BudgetInUse {
    const void* budget;
    const BudgetInUse* outer;

    /// Returns true if the budget is `wanted`, or one further out is.
    [[nodiscard]] static bool contains(const BudgetInUse* in_use, const void* wanted) noexcept {
        for (; in_use != nullptr; in_use = in_use->outer) {
            if (in_use->budget == wanted) return true;
        }
        return false;
    }
};

/// What the stages of a pipeline know about the call that passes them. Each stage passes its own copy
/// inwards.
template <Clock C>
struct CallScope {
    using clock_type = C;

    const C* clock;
    Ending* ending;
    const std::stop_token* stop; // null: the call cannot be stopped
    Deadline deadline{};
    std::uint32_t attempt = 1;
    const BudgetInUse* budgets = nullptr;

    [[nodiscard]] Instant now() const noexcept { return read(*clock); }
    [[nodiscard]] bool is_stopped() const noexcept { return stop != nullptr && stop->stop_requested(); }
    [[nodiscard]] std::stop_token stop_token() const noexcept {
        return stop != nullptr ? *stop : std::stop_token{};
    }

    /// The attempt that the function receives.
    [[nodiscard]] Attempt as_attempt() const {
        return {attempt, deadline, stop_token(), TimeSource::of(*clock)};
    }

    /// Records a refusal and returns it.
    [[nodiscard]] Refused refuse(const Refusal& refusal) const noexcept {
        ending->refuse(refusal);
        return Refused{refusal};
    }
};

} // namespace dashpot::inline DASHPOT_ABI::detail

#endif
