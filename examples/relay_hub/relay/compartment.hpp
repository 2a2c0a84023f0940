// SPDX-License-Identifier: MIT
#ifndef DASHPOT_EXAMPLES_RELAY_HUB_RELAY_COMPARTMENT_HPP
#define DASHPOT_EXAMPLES_RELAY_HUB_RELAY_COMPARTMENT_HPP

#include "../report/activity.hpp"
#include "../report/guard_report.hpp"
#include "../report/transition_history.hpp"
#include "../settings/configured_policy.hpp"
#include "../settings/settings.hpp"
#include "call_timeout.hpp"
#include "command.hpp"
#include "reply.hpp"
#include "tally.hpp"
#include "target_call.hpp"

#include <dashpot/guard/subscription.hpp>
#include <dashpot/registry/registry.hpp>

#include <nlohmann/json_fwd.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace relay_hub {

using Registry = dashpot::Registry<dashpot::SteadyClock, ConfiguredPolicy>;
using Guards = dashpot::Target<dashpot::SteadyClock, ConfiguredPolicy>;

/// One target: where it is, its breaker and bulkhead, and what became of the requests for it.
///
/// **Threads.** Every member may be called from any thread at any time, but reconfigure() not together
/// with report() or degradation().
class Compartment {
  public:
    /// @throws std::invalid_argument  the target's host has no address
    ///
    /// @param is_protected  false: it lets every call in, however many there are and however they end
    Compartment(Registry& registry, const TargetOptions& options, bool is_protected);

    /// New settings, with all the memory that they need.
    struct Prepared {
        TargetSettings settings;
        dashpot::TargetOptions<ConfiguredPolicy> guards;
    };
    /// All of a reconfigure() that can fail.
    /// @throws std::invalid_argument, std::bad_alloc
    [[nodiscard]] Prepared prepare(const TargetSettings& settings) const;

    /// Changes its guards and its time-out as it runs. State, window and calls in flight stay, as
    /// dashpot::Target::reconfigure() says; a call goes on with the time-out that it began with, and a
    /// half-open period under way with no longer one: see CallTimeout.
    /// @param prepared  by this compartment's prepare(), for one use
    void reconfigure(Prepared prepared) noexcept;

    /// Commands the circuit breaker.
    void obey(Command command);

    /// Calls the target if its guards let it, and answers at once if they do not.
    [[nodiscard]] Reply relay(const std::string& body);

    /// Closes connections that were idle for too long, and has the host looked up again. Now and then.
    void tidy() noexcept { client_.tidy(); }

    /// To be told of every change of its state.
    void note(const dashpot::Transition& transition) { history_.note(transition); }

    /// What GET /targets shows of it.
    [[nodiscard]] nlohmann::json report() const;

    /// What GET /targets/NAME/history shows of it: its last events, the oldest first, as JSON.
    [[nodiscard]] std::string history() const;

    /// What GET /readyz shows of it: `state`, `since` and `retry_after_ms` while its circuit would
    /// refuse the next call; nothing otherwise.
    [[nodiscard]] std::optional<nlohmann::ordered_json> degradation() const;

  private:
    /// Asks the guards. @param timeout  set where they let the call in: for it, of the same config
    [[nodiscard]] Guards::Entry enter(std::chrono::nanoseconds& timeout);
    [[nodiscard]] Reply call_target(Guards::Entry entry, const std::string& body,
                                    std::chrono::nanoseconds timeout);
    [[nodiscard]] Reply refuse(const dashpot::Refusal& refusal);

    const std::string name_;
    TargetClient client_;
    const bool is_protected_;
    const std::shared_ptr<Guards> guards_;
    TargetSettings settings_; // what report() shows
    CallTimeout call_timeout_;
    LastOpening last_opening_;
    const dashpot::Subscription opening_subscription_; // after last_opening_: it goes first
    Tally answers_;
    Activity activity_;
    TransitionHistory history_;
    std::atomic<std::uint64_t> calls_{0};
    std::atomic<std::uint64_t> failures_{0};
    std::atomic<std::uint64_t> refused_open_{0};
    std::atomic<std::uint64_t> refused_probing_{0};
    std::atomic<std::uint64_t> refused_full_{0};
};

} // namespace relay_hub

#endif
