// SPDX-License-Identifier: MIT
#ifndef DASHPOT_PIPELINE_DETAIL_ENDING_HPP
#define DASHPOT_PIPELINE_DETAIL_ENDING_HPP

#include <dashpot/core/abi.hpp>
#include <dashpot/core/error.hpp>
#include <dashpot/core/outcome.hpp>
#include <dashpot/core/verdict.hpp>

#include <cstdint>

namespace dashpot::inline DASHPOT_ABI::detail {

/// How the latest attempt of a call ended: what guards record, retries decide by and fallbacks answer.
///
/// **Contract.** An attempt is a failure until it is judged, because an exception that no classifier
/// judges is a failure.
struct Ending {
    /// The outcome. For a refusal it is `ignored`, with the refusal's `retry_after`.
    Verdict verdict{Outcome::failure};
    /// The reason of a refusal; Error{} if the call was made.
    Error refused_by{};
    /// A Fallback's handler has returned the value.
    bool is_answered = false;
    /// A Fallback's handler has thrown the exception.
    bool is_thrown_by_handler = false;
    /// How many attempts have called the function, in all of the call.
    std::uint64_t calls = 0;

    [[nodiscard]] bool was_refused() const noexcept { return refused_by != Error{}; }
    [[nodiscard]] bool is_failure() const noexcept { return verdict.outcome == Outcome::failure; }
    [[nodiscard]] bool is_success() const noexcept { return verdict.outcome == Outcome::success; }

    /// Forgets the attempt before.
    void begin_attempt() noexcept {
        verdict = {Outcome::failure};
        refused_by = Error{};
        is_answered = false;
        is_thrown_by_handler = false;
    }

    /// Records that a guard or a deadline refused.
    void refuse(const Refusal& refusal) noexcept {
        verdict.outcome = Outcome::ignored;
        verdict.retry_after = refusal.retry_after;
        refused_by = refusal.reason;
    }
};

/// Receives the judgement of the innermost function, as a permit does.
class JudgedAttempt {
  public:
    /// Begins the call of the function.
    explicit JudgedAttempt(Ending& ending) noexcept : ending_{&ending} { ++ending.calls; }

    explicit operator bool() const noexcept { return true; }
    [[nodiscard]] static Refusal refusal() noexcept { return {Error::cancelled}; } // is never refused

    bool success() noexcept { return record(Outcome::success); }
    bool ignore() noexcept { return record(Outcome::ignored); }
    bool record(const Verdict& verdict) noexcept {
        if (ending_ == nullptr) return false;
        ending_->verdict = verdict;
        ending_ = nullptr;
        return true;
    }
    bool record(Outcome outcome) noexcept {
        if (ending_ == nullptr) return false;
        ending_->verdict.outcome = outcome;
        ending_ = nullptr;
        return true;
    }

  private:
    Ending* ending_;
};

} // namespace dashpot::inline DASHPOT_ABI::detail

#endif
