// SPDX-License-Identifier: MIT
#ifndef DASHPOT_PIPELINE_DETAIL_HEDGE_COURSE_HPP
#define DASHPOT_PIPELINE_DETAIL_HEDGE_COURSE_HPP

#include <dashpot/core/abi.hpp>
#include <dashpot/core/clock.hpp>
#include <dashpot/core/deadline.hpp>
#include <dashpot/core/duration.hpp>
#include <dashpot/guard/retry_budget.hpp>
#include <dashpot/pipeline/detail/call_scope.hpp>
#include <dashpot/pipeline/detail/ending.hpp>
#include <dashpot/pipeline/hedge.hpp>

#include <cstdint>
#include <optional>

namespace dashpot::inline DASHPOT_ABI::detail {

/// How much an attempt of a Hedge says about the call. What says more is what the caller gets.
enum class Weight : std::uint8_t {
    none,    ///< Nothing yet.
    refused, ///< A guard inside refused it.
    ignored, ///< It was cancelled.
    failed,  ///< It failed.
    won      ///< It ended in a success or in an ignored outcome, and decides.
};

/// The position of one call in a Hedge: how many attempts were started, and the decision about the
/// next one and about the winner.
///
/// **Contract.** begin() first. Another attempt is started when next_start() has come, and when
/// end_attempt() has returned and wants_next(); each only if try_start() returns true.
/// **Threads.** It belongs to one call. **Cost.** No allocation.
template <Clock C>
class HedgeCourse {
  public:
    HedgeCourse(const Hedge& hedge, const CallScope<C>& scope) noexcept
        : hedge_{hedge}, scope_{scope}, budget_{hedge.budget, scope.budgets} {}
    HedgeCourse(const HedgeCourse&) = delete;
    HedgeCourse& operator=(const HedgeCourse&) = delete;

    /// Starts the first attempt.
    void begin() noexcept { start(); }

    /// Sets in `inner` what the attempt with this number inherits.
    void equip(CallScope<C>& inner, std::uint32_t number, Ending& ending) const noexcept {
        inner.attempt = number;
        inner.ending = &ending;
        if (hedge_.budget != nullptr) inner.budgets = &budget_;
    }

    /// Returns when the next attempt is due although none has failed; nothing if there is none.
    [[nodiscard]] std::optional<Instant> next_start() const noexcept {
        if (!may_start()) return std::nullopt;
        const Instant at{saturating_add(latest_start_.time_since_epoch(), hedge_.after)};
        if (scope_.deadline.has_passed_at(at)) return std::nullopt;
        return at;
    }

    /// Starts another attempt, if there may be one, and counts it.
    [[nodiscard]] bool try_start() noexcept {
        if (!may_start()) return false;
        if (!scope_.deadline.is_never() && scope_.deadline.has_passed_at(scope_.now())) return false;
        if (hedge_.budget != nullptr && !hedge_.budget->try_withdraw()) {
            is_closed_ = true;
            return false;
        }
        start();
        return true;
    }

    /// Records how the attempt with this number ended. Returns true if it is the one that the caller
    /// gets, as far as is known.
    [[nodiscard]] bool end_attempt(std::uint32_t number, const Ending& ending,
                                   bool is_cancelled) noexcept {
        if (number > 1 && ending.calls == 0) give_token_back();
        const Weight weight = weight_of(ending, is_cancelled);
        wants_next_ = weight == Weight::failed;
        if (best_ == Weight::won || weight < best_) return false;
        best_ = weight;
        if (weight == Weight::won) {
            close();
            if (ending.is_success()) deposit();
        }
        return true;
    }

    /// Returns true if the attempt that ended latest failed: then the next one may start at once.
    [[nodiscard]] bool wants_next() const noexcept { return wants_next_; }
    [[nodiscard]] bool is_won() const noexcept { return best_ == Weight::won; }
    [[nodiscard]] std::uint32_t started() const noexcept { return started_; }

    /// No more attempts: the call was cancelled or won.
    void close() noexcept { is_closed_ = true; }

    /// Gives back the token of an attempt that never called the function.
    void give_token_back() noexcept {
        if (hedge_.budget != nullptr) hedge_.budget->give_back();
    }

  private:
    [[nodiscard]] static Weight weight_of(const Ending& ending, bool is_cancelled) noexcept {
        if (ending.was_refused()) return Weight::refused;
        if (ending.is_failure()) return Weight::failed;
        return is_cancelled && !ending.is_success() ? Weight::ignored : Weight::won;
    }

    [[nodiscard]] bool may_start() const noexcept {
        return !is_closed_ && started_ < hedge_.max_attempts && !scope_.is_stopped();
    }

    void start() noexcept {
        ++started_;
        latest_start_ = scope_.now();
    }

    /// Once per call: by the outermost strategy of those that share the budget.
    void deposit() const noexcept {
        if (hedge_.budget == nullptr || BudgetInUse::contains(scope_.budgets, hedge_.budget)) return;
        hedge_.budget->deposit();
    }

    const Hedge& hedge_;
    const CallScope<C>& scope_;
    const BudgetInUse budget_;
    Instant latest_start_{};
    std::uint32_t started_ = 0;
    bool is_closed_ = false;
    bool wants_next_ = false;
    Weight best_ = Weight::none;
};

} // namespace dashpot::inline DASHPOT_ABI::detail

#endif
