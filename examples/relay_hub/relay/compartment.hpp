// SPDX-License-Identifier: MIT
#ifndef DASHPOT_EXAMPLES_RELAY_HUB_RELAY_COMPARTMENT_HPP
#define DASHPOT_EXAMPLES_RELAY_HUB_RELAY_COMPARTMENT_HPP

#include "../report/activity.hpp"
#include "../report/guard_report.hpp"
#include "../report/transition_history.hpp"
#include "../settings/configured_policy.hpp"
#include "../settings/settings.hpp"
#include "command.hpp"
#include "gate.hpp"
#include "reply.hpp"
#include "tally.hpp"
#include "target_call.hpp"

#include <dashpot/adapter/traffic_log.hpp>
#include <dashpot/guard/subscription.hpp>
#include <dashpot/pipeline/attempt.hpp>

#include <nlohmann/json_fwd.hpp>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

namespace relay_hub {

/// One target: where it is, its guards, and what became of the requests for it.
///
/// **Threads.** Every member may be called from any thread at any time, but reconfigure() not together
/// with report(), add_to() or degradation().
class Compartment {
  public:
    /// @throws std::invalid_argument  the target's host has no address
    ///
    /// @param is_protected  false: it lets every call in, however many there are and however they end
    Compartment(Registry& registry, const TargetOptions& options, bool is_protected);

    /// New settings, with all the memory that they need.
    struct Plan;
    struct Prepared {
        TargetSettings settings;
        std::shared_ptr<const Plan> plan;
        Gate::Prepared gate;
    };
    /// All of a reconfigure() that can fail.
    /// @throws std::invalid_argument, std::bad_alloc
    [[nodiscard]] Prepared prepare(const TargetSettings& settings);

    /// Changes its guards and its time-out as it runs. State, window and calls in flight stay, as
    /// dashpot::Target::reconfigure() says; a call goes on with the time-out that it began with, and a
    /// half-open period under way with no longer one: see CallTimeout.
    /// @param prepared  by this compartment's prepare(), for one use
    void reconfigure(Prepared prepared) noexcept;

    /// Writes each call from now on to a log, which outlives this. To be called before the first call.
    void log_traffic(dashpot::TrafficLog& log) noexcept { traffic_ = &log; }

    /// Commands the circuit breaker.
    void obey(Command command);

    /// Calls the target if its guards let it, and answers at once if they do not.
    /// @param patience  how long the caller waits; none: as long as it takes
    [[nodiscard]] Reply relay(const std::string& body,
                              std::optional<std::chrono::milliseconds> patience);

    /// Closes connections that were idle for too long, and has the host looked up again. Now and then.
    void tidy() noexcept { client_.tidy(); }

    /// To be told of every change of its state.
    void note(const dashpot::Transition& transition) { history_.note(transition); }

    /// What GET /targets shows of it.
    [[nodiscard]] nlohmann::json report() const;

    /// Adds the guards that are in no registry, for GET /metrics.
    void add_to(dashpot::GuardMetrics& metrics) const { gate_.add_to(metrics, settings_); }

    /// What GET /targets/NAME/history shows of it: its last events, the oldest first, as JSON.
    [[nodiscard]] std::string history() const;

    /// What GET /readyz shows of it: `state`, `since` and `retry_after_ms` while its circuit would
    /// refuse the next call; nothing otherwise.
    [[nodiscard]] std::optional<nlohmann::ordered_json> degradation() const;

  private:
    struct Answered;
    class AnswerInstead;

    [[nodiscard]] std::shared_ptr<const Plan> plan() const;
    [[nodiscard]] Answered call_target(const std::string& body, CallTime& time,
                                       const dashpot::Attempt& attempt, bool is_idempotent);
    [[nodiscard]] CallResult post(const std::string& body, std::chrono::nanoseconds timeout,
                                  std::optional<std::chrono::milliseconds> told);
    [[nodiscard]] std::uint64_t in_flight() const;
    void count(const dashpot::Refusal& refusal);
    [[nodiscard]] Reply refuse(const dashpot::Refusal& refusal);
    [[nodiscard]] nlohmann::json refusals() const;

    const std::string name_;
    dashpot::TrafficLog* traffic_ = nullptr; // null: none
    TargetClient client_;
    Gate gate_;
    TargetSettings settings_; // what report() shows
    mutable std::mutex plan_mutex_;
    std::shared_ptr<const Plan> plan_; // guarded by plan_mutex_
    LastOpening last_opening_;
    const dashpot::Subscription opening_subscription_; // after last_opening_: it goes first
    Tally answers_;
    Activity activity_;
    TransitionHistory history_;
    std::atomic<std::uint64_t> calls_{0};
    std::atomic<std::uint64_t> failures_{0};
    std::array<std::atomic<std::uint64_t>, 16> refused_{}; // by dashpot::Error
};

} // namespace relay_hub

#endif
