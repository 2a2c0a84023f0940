// SPDX-License-Identifier: MIT
#ifndef DASHPOT_PIPELINE_DETAIL_RETRY_COURSE_HPP
#define DASHPOT_PIPELINE_DETAIL_RETRY_COURSE_HPP

#include <dashpot/core/abi.hpp>
#include <dashpot/core/clock.hpp>
#include <dashpot/core/detail/process_chance.hpp>
#include <dashpot/core/detail/sleep.hpp>
#include <dashpot/core/detail/thread_number.hpp>
#include <dashpot/core/duration.hpp>
#include <dashpot/core/error.hpp>
#include <dashpot/guard/retry_budget.hpp>
#include <dashpot/pipeline/detail/call_scope.hpp>
#include <dashpot/pipeline/detail/ending.hpp>
#include <dashpot/pipeline/retry.hpp>
#include <dashpot/pipeline/retry_stats.hpp>
#include <dashpot/policy/backoff.hpp>

#include <chrono>
#include <cstdint>
#include <optional>

namespace dashpot::inline DASHPOT_ABI::detail {

/// The position of one call in a Retry: the number of the attempt, the token it holds, and the decision
/// about the next attempt.
///
/// **Contract.** begin_attempt() before each attempt, end_attempt() after it. If plan_wait() then
/// returns a wait, another attempt may begin once the wait is over and may_begin() returns true. A
/// token that was withdrawn for an attempt that does not call the function is given back, at the
/// latest by the destructor.
/// **Threads.** It belongs to one call. **Cost.** No allocation.
template <Clock C>
class RetryCourse {
  public:
    RetryCourse(const Retry& retry, const CallScope<C>& scope) noexcept
        : retry_{retry}, scope_{scope}, budget_{retry.budget, scope.budgets} {}

    RetryCourse(const RetryCourse&) = delete;
    RetryCourse& operator=(const RetryCourse&) = delete;
    ~RetryCourse() { give_token_back(); }

    /// Returns the scope of the attempt that begins.
    [[nodiscard]] CallScope<C> begin_attempt() noexcept {
        if (retry_.stats != nullptr) retry_.stats->count_attempt();
        calls_before_ = scope_.ending->calls;
        CallScope<C> inner = scope_;
        inner.attempt = number_;
        if (retry_.budget != nullptr) inner.budgets = &budget_;
        return inner;
    }

    /// Returns true if the attempt has succeeded and there is nothing to settle: the usual case, in
    /// which end_attempt() need not be called.
    [[nodiscard]] bool is_over() const noexcept {
        return scope_.ending->is_success() && retry_.budget == nullptr;
    }

    /// Settles the attempt that has ended. Returns true if it is one that is tried again.
    [[nodiscard, gnu::noinline]] bool end_attempt() noexcept {
        if (scope_.ending->calls == calls_before_) {
            give_token_back();
        } else {
            holds_token_ = false;
        }
        if (scope_.ending->is_success()) {
            deposit();
            return false;
        }
        return is_tried_again();
    }

    /// Decides about another attempt. Returns the wait before it, or nothing if the call ends.
    [[nodiscard]] std::optional<std::chrono::nanoseconds> plan_wait() noexcept {
        if (number_ == retry_.max_attempts) return give_up(GaveUp::attempts);
        if (scope_.is_stopped()) return give_up(GaveUp::stop);
        const auto asked_for = scope_.ending->verdict.retry_after;
        if (asked_for && *asked_for > retry_.max_retry_after) return give_up(GaveUp::retry_after);
        std::chrono::nanoseconds wait = draw_wait();
        if (asked_for && *asked_for > wait) wait = *asked_for;
        if (needs_clock(wait)) {
            const Instant now = scope_.now();
            wait_ends_ = Instant{saturating_add(now.time_since_epoch(), wait)};
            if (scope_.deadline.has_passed_at(wait_ends_)) return give_up(GaveUp::deadline);
        }
        if (retry_.budget != nullptr) {
            if (!retry_.budget->try_withdraw()) return give_up(GaveUp::budget);
            holds_token_ = true;
        }
        return wait;
    }

    /// Returns when the wait ends that plan_wait() returned; only if the wait is not 0.
    [[nodiscard]] Instant wait_ends() const noexcept { return wait_ends_; }

    /// Returns true if the planned attempt may begin, after its wait.
    [[nodiscard]] bool may_begin() noexcept {
        if (scope_.is_stopped()) {
            give_up(GaveUp::stop);
            return false;
        }
        if (!scope_.deadline.is_never() && scope_.deadline.has_passed_at(scope_.now())) {
            give_up(GaveUp::deadline);
            return false;
        }
        if (retry_.stats != nullptr) retry_.stats->count_retry();
        scope_.ending->begin_attempt();
        ++number_;
        return true;
    }

    /// Ends the call because it was cancelled during the wait.
    void abandon() noexcept { give_up(GaveUp::stop); }

    /// Blocks the thread for the wait before the next attempt. Returns false if the call has ended.
    [[nodiscard, gnu::noinline, gnu::cold]] bool waits_for_next() {
        const auto wait = plan_wait();
        if (!wait) return false;
        if (wait->count() > 0) sleep_until(*scope_.clock, wait_ends_, scope_.stop_token());
        return may_begin();
    }

  private:
    [[nodiscard]] bool is_tried_again() const noexcept {
        const Ending& ending = *scope_.ending;
        if (!ending.was_refused()) return ending.is_failure();
        return retry_.retry_refusals && ending.refused_by != Error::cancelled &&
               ending.refused_by != Error::deadline_exceeded;
    }

    [[nodiscard]] bool needs_clock(std::chrono::nanoseconds wait) const noexcept {
        return wait.count() > 0 || !scope_.deadline.is_never();
    }

    [[nodiscard]] std::chrono::nanoseconds draw_wait() noexcept {
        std::uint64_t chance = 0;
        if (retry_.wait.curve().jitter > 0.0) {
            if (const auto seed = retry_.wait.seed()) {
                if (number_ == 1) chance_ = *seed;
            } else { // differs between processes, between threads, and between two draws of a thread
                chance_ = process_chance() ^ (std::uint64_t{thread_number()} << 48U);
            }
            chance = next_chance(chance_);
        }
        return retry_.wait.delay(number_ - 1, chance);
    }

    std::nullopt_t give_up(GaveUp reason) noexcept {
        give_token_back();
        if (retry_.stats != nullptr) retry_.stats->count_gave_up(reason);
        return std::nullopt;
    }

    /// Once per call: by the outermost Retry of those that share the budget.
    void deposit() const noexcept {
        if (retry_.budget == nullptr || BudgetInUse::contains(scope_.budgets, retry_.budget)) return;
        retry_.budget->deposit();
    }

    void give_token_back() noexcept {
        if (holds_token_) retry_.budget->give_back();
        holds_token_ = false;
    }

    const Retry& retry_;
    const CallScope<C>& scope_;
    const BudgetInUse budget_;
    std::uint32_t number_ = 1;
    bool holds_token_ = false;
    std::uint64_t calls_before_ = 0;
    std::uint64_t chance_ = 0;
    Instant wait_ends_{};
};

} // namespace dashpot::inline DASHPOT_ABI::detail

#endif
