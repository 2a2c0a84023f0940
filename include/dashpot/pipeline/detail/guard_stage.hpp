// SPDX-License-Identifier: MIT
#ifndef DASHPOT_PIPELINE_DETAIL_GUARD_STAGE_HPP
#define DASHPOT_PIPELINE_DETAIL_GUARD_STAGE_HPP

#include <dashpot/core/abi.hpp>
#include <dashpot/core/clock.hpp>
#include <dashpot/core/deadline.hpp>
#include <dashpot/core/error.hpp>
#include <dashpot/core/outcome.hpp>
#include <dashpot/core/result.hpp>
#include <dashpot/pipeline/detail/ending.hpp>

#include <concepts>
#include <stop_token>

namespace dashpot::inline DASHPOT_ABI {

template <Clock C>
class QueuedBulkhead;

namespace detail {

/// What try_acquire() or try_enter() of a guard returns.
template <class P>
concept PermitOfGuard = requires(P& permit) {
    static_cast<bool>(permit);
    { permit.refusal() } -> std::convertible_to<Refusal>;
};

template <class G>
concept HasTryEnter = requires(G& guard) {
    { guard.try_enter() } -> PermitOfGuard;
};

template <class G>
concept HasTryAcquire = requires(G& guard) {
    { guard.try_acquire() } -> PermitOfGuard;
};

/// A guard of the library or of a user. G may be const.
template <class G>
concept Guard = HasTryEnter<G> || HasTryAcquire<G>;

/// Is true for guards that let a call wait for its admission.
template <class G>
inline constexpr bool lets_calls_wait = false;
template <Clock C>
inline constexpr bool lets_calls_wait<QueuedBulkhead<C>> = true;

/// Answers a permit at the end of its scope with the ending of the call inside, whether by return or by
/// exception.
///
/// **Contract.** A permit without release() records a refusal further in as ignored. A permit without
/// record() is answered by its destruction.
template <class Permit>
class AnswerAtExit {
  public:
    AnswerAtExit(Permit& permit, const Ending& ending) noexcept : permit_{permit}, ending_{ending} {}
    AnswerAtExit(const AnswerAtExit&) = delete;
    AnswerAtExit& operator=(const AnswerAtExit&) = delete;

    ~AnswerAtExit() {
        if constexpr (requires { permit_.release(); }) {
            if (ending_.was_refused()) {
                permit_.release();
                return;
            }
        }
        if constexpr (requires { permit_.record(ending_.verdict); }) {
            (void)permit_.record(ending_.verdict);
        }
    }

  private:
    Permit& permit_;
    const Ending& ending_;
};

/// A guard of a pipeline. `Held` is a pointer or a std::shared_ptr.
template <class G, class Held>
class GuardStage {
  public:
    explicit GuardStage(Held guard) noexcept : guard_{static_cast<Held&&>(guard)} {}

    static constexpr bool may_repeat = false;

    /// Passes the call inwards with a permit, or refuses it. The permit is answered before the result
    /// is returned.
    template <class T, class Scope, class Next>
    [[gnu::always_inline]] Result<T> run(const Scope& scope, const Next& next) const {
        auto permit = admit(scope);
        if (!permit) return scope.refuse(permit.refusal());
        const AnswerAtExit answer{permit, *scope.ending};
        return next(scope);
    }

    /// The guard, for code that passes the stage step by step.
    [[nodiscard]] G& guard() const noexcept { return *guard_; }

  private:
    template <class Scope>
    auto admit(const Scope& scope) const {
        if constexpr (lets_calls_wait<G>) {
            return guard_->acquire(scope.deadline, scope.stop_token());
        } else if constexpr (HasTryEnter<G>) {
            return guard_->try_enter();
        } else {
            return guard_->try_acquire();
        }
    }

    Held guard_;
};

} // namespace detail

} // namespace dashpot::inline DASHPOT_ABI

#endif
