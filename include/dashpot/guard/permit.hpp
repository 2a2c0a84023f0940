// SPDX-License-Identifier: MIT
#ifndef DASHPOT_GUARD_PERMIT_HPP
#define DASHPOT_GUARD_PERMIT_HPP

#include <dashpot/core/abi.hpp>
#include <dashpot/core/clock.hpp>
#include <dashpot/core/contract.hpp>
#include <dashpot/core/detail/exception_watch.hpp>
#include <dashpot/core/duration.hpp>
#include <dashpot/core/error.hpp>
#include <dashpot/core/outcome.hpp>
#include <dashpot/core/verdict.hpp>
#include <dashpot/guard/detail/admission.hpp>
#include <dashpot/guard/detail/breaker_core.hpp>
#include <dashpot/guard/detail/breaker_word.hpp>
#include <dashpot/guard/detail/call_report.hpp>
#include <dashpot/policy/failure_policy.hpp>

#include <chrono>
#include <cstdint>
#include <utility>

namespace dashpot::inline DASHPOT_ABI {

template <Clock C, FailurePolicy P>
class CircuitBreaker;

/// The right to make one call, and the duty to record how it ended: CircuitBreaker::Permit.
///
/// **Contract.** It tests true while it is granted and unanswered.
/// - success(), failure(), ignore() and record() answer it. They return true if the outcome counted.
/// - It is answered once: a later answer does not count, nor does one from an earlier generation.
///   ignore() counts in its own generation.
/// - If it is destroyed unanswered, it counts as a failure if an exception unwinds the stack that was
///   thrown after it was taken, or after it was moved to this thread. Otherwise it counts as ignored.
/// - If it came to this thread inside another object, without being moved itself, each exception that
///   unwinds the stack makes it a failure.
/// - It measures the call only if slow calls are judged, and not if the caller passes the duration.
///
/// **Threads.** It may move between threads; one thread at a time may use it. It must not outlive its
/// breaker.
/// **Cost.** An answer costs one atomic load for a success that changes nothing, and one atomic write
/// of the thread's own for one that cannot open the circuit. An ignored call outside HALF_OPEN costs
/// nothing. Other answers take the breaker's mutex.
template <Clock C, FailurePolicy P>
class BreakerPermit {
  public:
    using duration = Nanoseconds;

    BreakerPermit(BreakerPermit&& other) noexcept { take(other); }
    BreakerPermit& operator=(BreakerPermit&& other) noexcept {
        if (this != &other) {
            drop();
            take(other);
        }
        return *this;
    }
    ~BreakerPermit() { drop(); }

    /// Returns true if it was granted and has no recorded outcome.
    [[nodiscard]] explicit operator bool() const noexcept { return held_.core != nullptr; }

    /// Returns the reason of a refusal. It may only be called if the permit was refused.
    [[nodiscard]] Refusal refusal() const noexcept {
        DASHPOT_ASSERT(held_.reason != Error{} && "refusal() of a permit that was granted");
        if (!held_.has_time) return {held_.reason};
        return {held_.reason, held_.retry_after};
    }

    /// Returns the breaker's generation at the time of the grant or refusal.
    [[nodiscard]] std::uint64_t generation() const noexcept { return held_.quiet_word.generation(); }

    /// Records a success. `elapsed` is how long the call took: it saves a clock reading if slow calls
    /// are judged, and has no effect otherwise. @return true if the outcome counted
    bool success() noexcept { return record(Outcome::success); }
    bool success(duration elapsed) noexcept { return record(Outcome::success, elapsed); }
    /// Records a failure, as success() does.
    bool failure() noexcept { return record(Outcome::failure); }
    bool failure(duration elapsed) noexcept { return record(Outcome::failure, elapsed); }
    /// Records that the call says nothing about the target. A probe can be granted again, and the
    /// policy does not see the call.
    bool ignore() noexcept { return record(Outcome::ignored); }
    /// Records an outcome, for example one that a classifier returned.
    bool record(Outcome outcome) noexcept {
        if (held_.core == nullptr) return false;
        // A permit that was granted while calls were not timed has no start, so its call is not slow.
        return answer(outcome, held_.has_time ? detail::Timing{held_.began, true} : detail::Timing{});
    }
    /// Records an outcome and the wait that the target asked for: see
    /// BreakerOptions::honor_retry_after.
    bool record(const Verdict& verdict) noexcept {
        if (held_.core == nullptr) return false;
        const detail::Timing timing =
            held_.has_time ? detail::Timing{held_.began, true} : detail::Timing{};
        return answer(verdict.outcome, timing, verdict.retry_after.value_or(Nanoseconds{}));
    }
    bool record(Outcome outcome, duration elapsed) noexcept {
        if (held_.core == nullptr) return false;
        return answer(outcome, {elapsed});
    }

    /// Gives the permit back unused, because the call was not made. As ignore(), but not counted.
    void release() noexcept {
        if (held_.core != nullptr) std::exchange(held_.core, nullptr)->release(generation());
    }

  private:
    friend class CircuitBreaker<C, P>;
    using Core = detail::BreakerCore<C, P>;

    struct Held {
        Core* core = nullptr; // set while the permit is granted and unanswered
        /// What the breaker publishes as long as a success of this permit would change nothing.
        detail::BreakerWord quiet_word;
        union {                                   // if has_time
            std::chrono::nanoseconds began{0};    // without a reason: when the call began
            std::chrono::nanoseconds retry_after; // with a reason: how long to wait
        };
        [[no_unique_address]] detail::ExceptionWatch
            watch;             // since it was granted; and 2 bytes of padding
        Error reason{};        // why it was refused; none: it was granted
        bool has_time = false; // calls are timed, or the wait is known
    };

    template <class Slot>
    BreakerPermit(Core& core, Slot slot) noexcept {
        const detail::BreakerWord seen = core.word();
        if (seen.is_closed()) {
            slot.take() ? hold(core, seen) : refuse(detail::Admission::without_slot(seen));
        } else {
            const detail::Admission admission = core.admit(false, slot);
            admission.was_refused() ? refuse(admission) : hold(core, admission.word);
        }
    }

    void refuse(const detail::Admission& admission) noexcept {
        held_.quiet_word = admission.word.as_closed_and_quiet();
        held_.retry_after = admission.retry_after.value_or(std::chrono::nanoseconds{0});
        held_.reason = admission.reason;
        held_.has_time = admission.retry_after.has_value();
    }

    void hold(Core& core, detail::BreakerWord word) noexcept {
        held_.core = &core;
        held_.quiet_word = word.as_closed_and_quiet();
        // Read after the admission: the time that its listeners took is not the call's.
        held_.has_time = core.times_calls();
        if (held_.has_time) held_.began = core.now().time_since_epoch();
        held_.watch.start();
    }

    void take(BreakerPermit& other) noexcept {
        held_ = std::exchange(other.held_, Held{});
        if (held_.core != nullptr) held_.watch.follow();
    }

    /// For a success that changes nothing, however long it took, one load is enough.
    bool answer(Outcome outcome, detail::Timing timing,
                std::chrono::nanoseconds retry_after = {}) noexcept {
        Core* const core = std::exchange(held_.core, nullptr);
        if (outcome == Outcome::success && core->word() == held_.quiet_word) return true;
        return core->answer(generation(), outcome, timing, retry_after);
    }

    void drop() noexcept {
        if (held_.core == nullptr) return;
        (void)record(held_.watch.sees_unwinding() ? Outcome::failure : Outcome::ignored);
    }

    Held held_;
};

} // namespace dashpot::inline DASHPOT_ABI

#endif
