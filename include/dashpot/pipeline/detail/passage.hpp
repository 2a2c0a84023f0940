// SPDX-License-Identifier: MIT
#ifndef DASHPOT_PIPELINE_DETAIL_PASSAGE_HPP
#define DASHPOT_PIPELINE_DETAIL_PASSAGE_HPP

#include <dashpot/core/abi.hpp>
#include <dashpot/core/clock.hpp>
#include <dashpot/core/duration.hpp>
#include <dashpot/core/error.hpp>
#include <dashpot/core/result.hpp>
#include <dashpot/guard/queued_bulkhead.hpp>
#include <dashpot/guard/waiter.hpp>
#include <dashpot/pipeline/detail/call_scope.hpp>
#include <dashpot/pipeline/detail/ending.hpp>
#include <dashpot/pipeline/detail/fallback_stage.hpp>
#include <dashpot/pipeline/detail/guard_stage.hpp>
#include <dashpot/pipeline/detail/hedge_stage.hpp>
#include <dashpot/pipeline/detail/retry_course.hpp>
#include <dashpot/pipeline/detail/retry_stage.hpp>
#include <dashpot/pipeline/detail/timeout_stage.hpp>

#include <concepts>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

// The stages of a pipeline, passed step by step. A stage that calls what is inside it blocks its thread
// until that returns. A passage is one call's way through one stage: it is entered and left, and
// returns what must happen in between. So a coroutine can wait there, and destroying it ends the call.

namespace dashpot::inline DASHPOT_ABI::detail {

/// What a call does next.
enum class Move : std::uint8_t {
    inwards,  ///< It enters the next stage.
    outwards, ///< It leaves towards the caller, with Travel's result or exception.
    sleep,    ///< It waits until Pause::until, and then resumes the passage.
    queue     ///< It waits in Pause::queue, and then resumes the passage.
};

/// What a call brings outwards: a result or an exception.
template <class T>
struct Travel {
    std::optional<Result<T>> result{};
    std::exception_ptr thrown{};
    /// The caller has cancelled the call: no attempt begins, and no fallback answers.
    bool is_cancelled = false;
};

/// What a call waits for, and what it gets.
struct Pause {
    Instant until{};
    QueueCore* queue = nullptr;
    QueuePermit slot{};
    std::optional<Refusal> refusal{};
};

/// The scope of a call that is passed step by step. It also keeps the clocks of the pipelines outside.
template <Clock C>
struct PassageScope : CallScope<C> {
    struct OuterClock {
        const C* clock = nullptr;
        const OuterClock* outer = nullptr;
    };
    const OuterClock* clocks = nullptr;
};

/// Where a passage is: the scope outside it, the scope that it sets for what is inside, and the call.
template <class T, Clock C>
struct Site {
    const PassageScope<C>& scope;
    PassageScope<C>& inner;
    Travel<T>& travel;
    Pause& pause;

    /// Ends the call here with a refusal.
    Move refuse(const Refusal& refusal) const {
        travel.result.emplace(scope.refuse(refusal));
        return Move::outwards;
    }
};

/// The way of one call through one stage. Specialized for each stage.
template <class Stage, class T, class C>
class Passage {
    static_assert(is_never<Stage>, "a pipeline with this piece cannot be awaited: the piece only knows "
                                   "how to block its thread, as testing::Chaos does");
};

/// The base of a passage that lets no call wait, and so is never resumed.
struct NeverWaits {
    template <class Place>
    Move resume(const Place&) noexcept {
        return Move::inwards;
    }
};

/// Holds the permit that a function returns, also one that cannot be moved.
template <class Permit>
class HeldPermit {
  public:
    HeldPermit() noexcept {}
    HeldPermit(const HeldPermit&) = delete;
    HeldPermit& operator=(const HeldPermit&) = delete;
    ~HeldPermit() { drop(); }

    template <class Take>
    void take(Take&& take) {
        drop();
        ::new (static_cast<void*>(std::addressof(permit_))) Permit(take());
        is_held_ = true;
    }
    [[nodiscard]] bool is_held() const noexcept { return is_held_; }
    [[nodiscard]] Permit& operator*() noexcept { return permit_; }
    void drop() noexcept {
        if (std::exchange(is_held_, false)) permit_.~Permit();
    }

  private:
    union {
        Permit permit_;
    };
    bool is_held_ = false;
};

/// A guard. A permit that is still unanswered when the passage is destroyed counts as ignored.
template <class G, class Held, class T, class C>
class Passage<GuardStage<G, Held>, T, C> {
    static constexpr bool waits = lets_calls_wait<G>;

    static auto admit(G& guard) {
        if constexpr (waits) {
            return QueuePermit{};
        } else if constexpr (HasTryEnter<G>) {
            return guard.try_enter();
        } else {
            return guard.try_acquire();
        }
    }
    using Permit = decltype(admit(std::declval<G&>()));

  public:
    using Stage = GuardStage<G, Held>;
    explicit Passage(const Stage& stage) noexcept : stage_{stage} {}
    Passage(const Passage&) = delete;
    Passage& operator=(const Passage&) = delete;
    ~Passage() {
        if (!permit_.is_held()) return;
        if constexpr (requires { (*permit_).ignore(); }) {
            (void)(*permit_).ignore();
        } else if constexpr (requires { (*permit_).release(); }) {
            (*permit_).release();
        }
    }

    Move enter(const Site<T, C>& site) {
        if constexpr (waits) {
            site.pause.queue = &QueueAccess::core_of(stage_.guard());
            return Move::queue;
        } else {
            permit_.take([&] { return admit(stage_.guard()); });
            if (*permit_) return Move::inwards;
            const Refusal refusal = (*permit_).refusal();
            permit_.drop();
            return site.refuse(refusal);
        }
    }

    Move resume(const Site<T, C>& site) {
        if constexpr (waits) {
            if (site.pause.refusal) return site.refuse(*site.pause.refusal);
            permit_.take([&] { return std::move(site.pause.slot); });
        }
        return Move::inwards;
    }

    Move leave(const Site<T, C>& site) {
        { const AnswerAtExit answer{*permit_, *site.scope.ending}; }
        permit_.drop();
        return Move::outwards;
    }

  private:
    const Stage& stage_;
    HeldPermit<Permit> permit_;
};

template <class T, class C>
class Passage<RetryStage, T, C> {
  public:
    explicit Passage(const RetryStage& stage) noexcept : stage_{stage} {}

    Move enter(const Site<T, C>& site) {
        course_.emplace(stage_.options(), site.scope);
        return begin(site);
    }

    Move leave(const Site<T, C>& site) {
        if (course_->is_over() || !course_->end_attempt() || site.travel.is_cancelled) return end();
        const auto wait = course_->plan_wait();
        if (!wait) return end();
        if (wait->count() == 0) return resume(site);
        site.pause.until = course_->wait_ends();
        return Move::sleep;
    }

    Move resume(const Site<T, C>& site) {
        if (site.travel.is_cancelled) { // the caller gets what the last attempt ended with
            site.scope.ending->verdict = {Outcome::ignored};
            course_->abandon();
            return end();
        }
        if (!course_->may_begin()) return end();
        site.travel.result.reset();
        site.travel.thrown = nullptr;
        return begin(site);
    }

  private:
    Move begin(const Site<T, C>& site) {
        site.inner = site.scope;
        static_cast<CallScope<C>&>(site.inner) = course_->begin_attempt();
        return Move::inwards;
    }
    Move end() noexcept {
        course_.reset();
        return Move::outwards;
    }

    const RetryStage& stage_;
    std::optional<RetryCourse<C>> course_{};
};

template <class T, class C>
class Passage<TimeoutStage, T, C> : public NeverWaits {
  public:
    explicit Passage(const TimeoutStage& stage) noexcept : stage_{stage} {}

    Move enter(const Site<T, C>& site) {
        const Instant now = site.scope.now();
        if (site.scope.deadline.has_passed_at(now)) return site.refuse({Error::deadline_exceeded});
        site.inner.deadline = earlier(site.scope.deadline, deadline_after(now, stage_.limit()));
        return Move::inwards;
    }
    Move leave(const Site<T, C>&) noexcept { return Move::outwards; }

  private:
    const TimeoutStage& stage_;
};

template <class F, class T, class C>
class Passage<FallbackStage<F>, T, C> : public NeverWaits {
  public:
    explicit Passage(const FallbackStage<F>& stage) noexcept : stage_{stage} {}

    Move enter(const Site<T, C>&) noexcept { return Move::inwards; }

    Move leave(const Site<T, C>& site) {
        Travel<T>& travel = site.travel;
        if (travel.is_cancelled || site.scope.is_stopped()) return Move::outwards;
        if (!travel.thrown) {
            *travel.result = stage_.template checked<T>(site.scope, std::move(*travel.result));
        } else if constexpr (FallbackStage<F>::answers_exceptions) {
            if (FallbackStage<F>::is_answerable(*site.scope.ending)) {
                const std::exception_ptr thrown = std::exchange(travel.thrown, nullptr);
                travel.result.emplace(stage_.template answer<T>(site.scope, thrown));
            }
        }
        return Move::outwards;
    }

  private:
    const FallbackStage<F>& stage_;
};

} // namespace dashpot::inline DASHPOT_ABI::detail

#endif
