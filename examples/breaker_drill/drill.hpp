// SPDX-License-Identifier: MIT
#ifndef DASHPOT_EXAMPLES_BREAKER_DRILL_DRILL_HPP
#define DASHPOT_EXAMPLES_BREAKER_DRILL_DRILL_HPP

#include "breaker.hpp"
#include "client.hpp"
#include "step.hpp"

#include <dashpot/adapter/transition_log.hpp>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace breaker_drill {

/// How the calls of a step ended.
struct Calls {
    std::map<int, std::uint32_t> answers; ///< How many there were of each HTTP status; 0: no answer.
    std::uint32_t refused = 0;
    std::chrono::nanoseconds slowest_refusal{0};
};

/// What a step came to.
struct StepResult {
    Step step;
    Calls calls;
    std::uint64_t received_before = 0; ///< The service's own counter.
    std::uint64_t received_after = 0;
    dashpot::Snapshot breaker;
    /// Where it is not what the step says; empty if all is well.
    std::vector<std::string> problems;
};

/// The life of one breaker in front of a flaky_service, and a moment of another's.
class Drill {
  public:
    /// @param transitions  the file that the one breaker's changes of state are appended to
    /// @throws std::system_error  that file cannot be opened
    Drill(Client& service, const std::filesystem::path& transitions,
          std::chrono::nanoseconds open_wait);

    /// Plays a step, after those that it needs.
    /// @throws std::runtime_error  the service is gone
    [[nodiscard]] StepResult play(const Step& step);

  private:
    [[nodiscard]] StepResult play_with(Breaker& breaker, const Step& step);

    Client& service_;
    const dashpot::BreakerOptions options_;
    dashpot::TransitionLog log_;
    Breaker breaker_;
    dashpot::Subscription logging_;
};

} // namespace breaker_drill

#endif
