// SPDX-License-Identifier: MIT
#ifndef DASHPOT_EXAMPLES_RELAY_HUB_RELAY_GATE_HPP
#define DASHPOT_EXAMPLES_RELAY_HUB_RELAY_GATE_HPP

#include "../settings/settings.hpp"
#include "call_timeout.hpp"

#include <dashpot/adapter/guard_metrics.hpp>
#include <dashpot/core/error.hpp>
#include <dashpot/core/outcome.hpp>
#include <dashpot/guard/adaptive_limiter.hpp>
#include <dashpot/guard/bulkhead.hpp>
#include <dashpot/guard/queued_bulkhead.hpp>
#include <dashpot/guard/rate_limiter.hpp>
#include <dashpot/guard/retry_budget.hpp>
#include <dashpot/pipeline/call_options.hpp>
#include <dashpot/pipeline/fallback.hpp>
#include <dashpot/pipeline/pipeline.hpp>
#include <dashpot/pipeline/retry.hpp>
#include <dashpot/pipeline/retry_stats.hpp>
#include <dashpot/registry/registry.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

namespace relay_hub {

using Registry = dashpot::Registry<dashpot::SteadyClock, ConfiguredPolicy>;
using Guards = dashpot::Target<dashpot::SteadyClock, ConfiguredPolicy>;

/// The time of one attempt to call a target.
struct CallTime {
    std::chrono::nanoseconds timeout{0}; ///< Set when the guards let it in: of the same config.
    std::chrono::nanoseconds took{0};    ///< To be set by the call, for guards that judge slow calls.
};

/// All that decides whether a call to one target is made: the queue, the circuit breaker, the limit of
/// calls in flight, given or learned, and the rate limit.
///
/// **Contract.** In this order. All of them stand before every call, and those that the config does not
/// mention limit nothing: so a new config changes what they do, and not which they are, and none loses
/// count. A call that a guard refuses has changed nothing in the guards before it.
/// - A call that the circuit would refuse does not wait for a slot: it is refused at once.
/// - Each attempt passes them anew. A call that waits for its next attempt holds nothing but its place
///   among the callers, whose number is limited because each holds a thread.
/// - The rate limit comes last. What it counts are calls that the target gets: callers that the circuit
///   refuses leave it all its permits, for the probes.
///
/// **Threads.** Every member may be called from any thread at any time, but reconfigure() not together
/// with add_to().
class Gate {
  public:
    /// @param is_protected  false: it lets every call in, however many there are and however they end
    Gate(Registry& registry, const TargetOptions& options, bool is_protected);

    /// New settings of the guards, with all the memory that they need.
    struct Prepared {
        dashpot::TargetOptions<ConfiguredPolicy> guards;
        dashpot::QueueOptions queue;
        ConfiguredLimit adaptive;
        dashpot::RateLimit rate_limit;
        dashpot::RetryBudgetOptions budget;
        std::uint32_t max_callers = 0;
        std::chrono::nanoseconds call_timeout{0};
    };
    /// All of a reconfigure() that can fail.
    /// @throws std::invalid_argument, std::bad_alloc
    [[nodiscard]] Prepared prepare(const TargetSettings& settings) const;
    void reconfigure(Prepared prepared) noexcept;

    /// When calls are made again by these settings. It is good for call() of this gate.
    [[nodiscard]] dashpot::Retry retry(const TargetSettings& settings) noexcept;

    /// Calls `f` if the guards let it, again and again as `retry` says, and records what `judge` says
    /// of its end.
    /// @param time   what `f` may use, and sets
    /// @param answer_instead  a Fallback's handler
    template <class F, class Judge, class Handler>
    [[nodiscard]] auto call(const dashpot::CallOptions& options, CallTime& time,
                            const dashpot::Retry& retry, F&& f, Judge&& judge, Handler answer_instead) {
        OpenCircuit open_circuit{*this};
        Entrance entrance{*this, time};
        return dashpot::pipeline(dashpot::Fallback{answer_instead}, callers_, retry, open_circuit,
                                 queue_, entrance, limiter_, rate_limiter_)
            .call(options, std::forward<F>(f), std::forward<Judge>(judge));
    }

    [[nodiscard]] Guards& guards() const noexcept { return *guards_; }
    [[nodiscard]] std::uint32_t waiting() const noexcept { return queue_.queued(); }
    [[nodiscard]] std::uint32_t learned_limit() const noexcept { return limiter_.limit(); }
    [[nodiscard]] std::uint32_t permits_available() const noexcept { return rate_limiter_.available(); }
    [[nodiscard]] const dashpot::RetryBudget& budget() const noexcept { return budget_; }
    /// What became of retries. The fallbacks are counted by who makes them.
    [[nodiscard]] dashpot::RetryStats& stats() noexcept { return stats_; }
    [[nodiscard]] const dashpot::RetryStats& stats() const noexcept { return stats_; }

    /// Adds what the registry does not have: those of the guards that `settings`, which are in force,
    /// mention.
    void add_to(dashpot::GuardMetrics& metrics, const TargetSettings& settings) const;

  private:
    /// A guard before the queue.
    class OpenCircuit {
      public:
        class Answer {
          public:
            Answer() = default;
            explicit Answer(const dashpot::Refusal& refusal) : refusal_{refusal} {}
            explicit operator bool() const noexcept { return !refusal_; }
            [[nodiscard]] dashpot::Refusal refusal() const noexcept { return *refusal_; }

          private:
            std::optional<dashpot::Refusal> refusal_;
        };

        explicit OpenCircuit(Gate& gate) noexcept : gate_{gate} {}
        [[nodiscard]] Answer try_acquire() const;

      private:
        Gate& gate_;
    };

    /// Circuit breaker and bulkhead, with the time-out of the same config, for one attempt at a time.
    class Entrance {
      public:
        class Permit {
          public:
            Permit(Guards::Entry entry, const CallTime& time) noexcept
                : entry_{std::move(entry)}, time_{&time} {}
            explicit operator bool() const noexcept { return static_cast<bool>(entry_); }
            [[nodiscard]] dashpot::Refusal refusal() const noexcept { return entry_.refusal(); }
            bool record(dashpot::Outcome outcome) noexcept {
                return entry_.record(outcome, time_->took);
            }
            void release() noexcept { entry_.release(); }

          private:
            Guards::Entry entry_;
            const CallTime* time_;
        };

        Entrance(Gate& gate, CallTime& time) noexcept : gate_{gate}, time_{time} {}
        [[nodiscard]] Permit try_enter() const { return {gate_.enter(time_.timeout), time_}; }

      private:
        Gate& gate_;
        CallTime& time_;
    };

    /// @param timeout  set where the call is let in: for it, of the same config
    [[nodiscard]] Guards::Entry enter(std::chrono::nanoseconds& timeout);

    const bool is_protected_;
    const std::shared_ptr<Guards> guards_;
    CallTimeout call_timeout_;
    dashpot::Bulkhead callers_;
    dashpot::RetryBudget budget_;
    dashpot::RetryStats stats_;
    dashpot::QueuedBulkhead<> queue_;
    dashpot::AdaptiveLimiter<dashpot::SteadyClock, ConfiguredLimit> limiter_;
    dashpot::RateLimiter<> rate_limiter_;
};

} // namespace relay_hub

#endif
