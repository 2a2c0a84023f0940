// SPDX-License-Identifier: MIT
#ifndef DASHPOT_EXAMPLES_RELAY_HUB_REPORT_GUARD_REPORT_HPP
#define DASHPOT_EXAMPLES_RELAY_HUB_REPORT_GUARD_REPORT_HPP

#include <dashpot/guard/breaker_event.hpp>
#include <dashpot/guard/transition.hpp>

#include <nlohmann/json_fwd.hpp>

#include <mutex>
#include <optional>

namespace relay_hub {

/// The numbers that a verdict rests on. A rate is null where none is judged, or not yet.
[[nodiscard]] nlohmann::json judged_numbers(const dashpot::Snapshot& snapshot);

/// One event of a breaker's history.
[[nodiscard]] nlohmann::ordered_json event_report(const dashpot::BreakerEvent& event);

/// Remembers when a circuit last opened, and why.
///
/// **Threads.** Every member may be called from any thread at any time.
class LastOpening {
  public:
    /// To be told of every change of state.
    void note(const dashpot::Transition& transition);

    /// Null if it never opened.
    [[nodiscard]] nlohmann::json report() const;

  private:
    mutable std::mutex mutex_;
    std::optional<dashpot::Transition> opening_; // guarded by mutex_
};

} // namespace relay_hub

#endif
