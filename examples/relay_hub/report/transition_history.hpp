// SPDX-License-Identifier: MIT
#ifndef DASHPOT_EXAMPLES_RELAY_HUB_REPORT_TRANSITION_HISTORY_HPP
#define DASHPOT_EXAMPLES_RELAY_HUB_REPORT_TRANSITION_HISTORY_HPP

#include <dashpot/guard/transition.hpp>

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <deque>
#include <mutex>

namespace relay_hub {

/// The last changes of state of one target, so that who comes in the middle of an outage sees how it
/// began.
///
/// **Contract.** Keeps `kept` of them.
/// **Threads.** Every member may be called from any thread at any time.
class TransitionHistory {
  public:
    static constexpr std::size_t kept = 10;

    /// To be told of every change of state.
    void note(const dashpot::Transition& transition);

    /// An array, the newest first: when, what, why, and the numbers of that moment.
    [[nodiscard]] nlohmann::json report() const;

  private:
    mutable std::mutex mutex_;
    std::deque<dashpot::Transition> changes_; // guarded by mutex_
};

} // namespace relay_hub

#endif
