// SPDX-License-Identifier: MIT
#ifndef DASHPOT_EXAMPLES_RELAY_HUB_BREAKER_LOG_HPP
#define DASHPOT_EXAMPLES_RELAY_HUB_BREAKER_LOG_HPP

#include <dashpot/adapter/transition_log.hpp>

#include <atomic>
#include <cstdint>
#include <iostream>
#include <string>
#include <string_view>

namespace relay_hub {

/// The file that changes of state are written to. A disk that fills up is no reason to stop relaying:
/// it is said once, and lost lines are counted.
///
/// **Threads.** Every member may be called from any thread at any time.
class BreakerLog {
  public:
    /// @throws std::system_error  the file cannot be opened
    explicit BreakerLog(const std::string& path) : path_{path}, log_{path} {}

    void append(std::string_view target, const dashpot::Transition& transition) {
        if (log_.append(target, transition) || has_complained_.exchange(true)) return;
        std::cerr << "relay_hub: cannot write to " + path_ +
                         ": lines are being lost, GET /healthz counts them\n"
                  << std::flush;
    }

    [[nodiscard]] std::uint64_t lost_lines() const noexcept { return log_.lost(); }

  private:
    const std::string path_;
    dashpot::TransitionLog log_;
    std::atomic<bool> has_complained_ = false;
};

} // namespace relay_hub

#endif
