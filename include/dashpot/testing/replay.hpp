// SPDX-License-Identifier: MIT
#ifndef DASHPOT_TESTING_REPLAY_HPP
#define DASHPOT_TESTING_REPLAY_HPP

#include <dashpot/core/abi.hpp>
#include <dashpot/core/duration.hpp>
#include <dashpot/core/outcome.hpp>
#include <dashpot/core/reason.hpp>
#include <dashpot/core/state.hpp>
#include <dashpot/guard/breaker_event.hpp>
#include <dashpot/guard/breaker_options.hpp>
#include <dashpot/guard/circuit_breaker.hpp>
#include <dashpot/guard/transition.hpp>
#include <dashpot/policy/failure_policy.hpp>
#include <dashpot/testing/manual_clock.hpp>

#include <chrono>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace dashpot::inline DASHPOT_ABI::testing {

/// The result of a replay: what a breaker did with the events of another breaker.
struct Replay {
    std::vector<Transition> transitions{};
    std::uint64_t would_have_opened = 0; ///< The openings that METRICS_ONLY prevented.
    std::uint64_t refused = 0;           ///< The calls of the history that it refused.

    // Reasons why the same policy and options may give other results. If all are false, the results
    // are equal.
    bool lost_its_beginning = false; ///< The first events were no longer in the history.
    bool was_reconfigured = false;   ///< The breaker had several policies; events do not contain them.
    bool has_other_jitter = false;   ///< `options` have jitter without a seed: waits are drawn again.

    /// Returns true if a replay with the breaker's own policy and options gives what happened.
    [[nodiscard]] bool is_exact() const noexcept {
        return !lost_its_beginning && !was_reconfigured && !has_other_jitter;
    }
};

} // namespace dashpot::inline DASHPOT_ABI::testing

namespace dashpot::inline DASHPOT_ABI::detail {

/// Repeats the calls of a history, each at the moment at which it ended.
template <FailurePolicy P>
class Replayer {
    using Breaker = CircuitBreaker<testing::ManualClock, P>;
    using Permit = typename Breaker::Permit;

  public:
    Replayer(Instant start, P policy, const BreakerOptions& options)
        : clock_{start}, breaker_{std::move(policy), options, clock_},
          listening_{breaker_.on_transition(
              [this](const Transition& each) { replay_.transitions.push_back(each); })} {}

    void tell(const BreakerEvent& event) {
        clock_.set(event.at);
        switch (event.kind) {
        case EventKind::successes:
            for (std::uint64_t i = 0; i != event.count; ++i) finish(event, Outcome::success, false);
            break;
        case EventKind::slow_success: finish(event, Outcome::success, true); break;
        case EventKind::failure: finish(event, Outcome::failure, false); break;
        case EventKind::slow_failure: finish(event, Outcome::failure, true); break;
        case EventKind::returned_probe: finish(event, Outcome::ignored, false); break;
        case EventKind::probe:
        case EventKind::fresh_probes: begin_probe(); break;
        case EventKind::transition: follow(event.reason); break;
        case EventKind::reset: breaker_.reset(); break;
        case EventKind::reconfigured: replay_.was_reconfigured = true; break;
        case EventKind::would_have_opened: break; // follows from a call
        }
    }

    [[nodiscard]] testing::Replay result() {
        replay_.would_have_opened = breaker_.snapshot().would_have_opened;
        return std::move(replay_);
    }

  private:
    /// Begins a probe. A later event contains its outcome.
    void begin_probe() {
        if (breaker_.state() == State::closed || breaker_.state() == State::metrics_only) return;
        Permit permit = breaker_.try_acquire();
        if (permit) probes_.push_back(std::move(permit));
    }

    /// Records the end of a call. For a call that was no probe, only the end is known, so it begins at
    /// that moment too.
    void finish(const BreakerEvent& event, Outcome outcome, bool is_slow) {
        const std::chrono::nanoseconds length =
            is_slow ? (std::chrono::nanoseconds::max)() : std::chrono::nanoseconds{0};
        if (event.from == State::half_open) {
            while (!probes_.empty()) { // probes of an earlier period do not count
                Permit probe = std::move(probes_.back());
                probes_.pop_back();
                if (probe.record(outcome, length)) return;
            }
        }
        if (outcome == Outcome::ignored) return;
        Permit permit = breaker_.try_acquire();
        if (permit) {
            (void)permit.record(outcome, length);
        } else {
            ++replay_.refused;
        }
    }

    /// Repeats commands. Other transitions follow from the calls.
    void follow(Reason reason) {
        switch (reason) {
        case Reason::reset_timeout: return begin_probe();
        case Reason::trip: return breaker_.trip();
        case Reason::force_open: return breaker_.force_open();
        case Reason::disable: return breaker_.disable();
        case Reason::metrics_only: return breaker_.metrics_only();
        case Reason::reset: return breaker_.reset();
        case Reason::consecutive_failures:
        case Reason::failure_rate:
        case Reason::slow_rate:
        case Reason::failure_rate_and_slow_rate:
        case Reason::policy:
        case Reason::probes_succeeded:
        case Reason::probes_failed: break;
        }
    }

    testing::Replay replay_{};
    testing::ManualClock clock_;
    Breaker breaker_;
    Subscription listening_;
    std::vector<Permit> probes_{}; // probes in flight; destroyed before breaker_
};

} // namespace dashpot::inline DASHPOT_ABI::detail

namespace dashpot::inline DASHPOT_ABI::testing {

/// Repeats a history on a breaker with this policy and these options, under a ManualClock.
///
///     const auto again = testing::replay(breaker.history(), policy, options); // as it happened
///     policy.failure_rate = 0.3;
///     const auto stricter = testing::replay(breaker.history(), policy, options); // at a rate of 30 %
///
/// **Contract.** If the policy and options are those that the breaker had from its construction, and
/// Replay::is_exact() returns true, the transitions are those that happened, with their times, reasons
/// and generations. With other options, the transitions are those that these options would have caused
/// with the same calls.
/// - A call that was no probe begins and ends at the moment at which it was recorded. If the replay
///   refuses the call, Replay::refused counts it.
/// - A call that was slow in the history is slow in the replay if slow calls are judged, whatever the
///   limit.
/// - The history does not contain successes that changed nothing. A count window that is larger than
///   the original one therefore sees too few calls.
///
/// **Threads.** Any thread may call it, because it uses its own breaker. **Cost.** The cost is that of
/// the calls.
/// **Errors.** Throws std::invalid_argument for options out of range.
template <FailurePolicy P>
[[nodiscard]] Replay replay(std::span<const BreakerEvent> history, P policy,
                            const BreakerOptions& options = {}) {
    BreakerOptions its_own = options;
    its_own.history = 0;
    const Instant start = history.empty() ? Instant{} : history.front().at;
    dashpot::detail::Replayer<P> replayer{start, std::move(policy), its_own};
    for (const BreakerEvent& event : history) replayer.tell(event);
    Replay result = replayer.result();
    result.lost_its_beginning = !history.empty() && history.front().number != 0;
    result.has_other_jitter =
        options.reset_timeout.curve().jitter > 0.0 && !options.reset_timeout.seed();
    return result;
}

} // namespace dashpot::inline DASHPOT_ABI::testing

#endif
