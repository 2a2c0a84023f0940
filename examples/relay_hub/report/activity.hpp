// SPDX-License-Identifier: MIT
#ifndef DASHPOT_EXAMPLES_RELAY_HUB_REPORT_ACTIVITY_HPP
#define DASHPOT_EXAMPLES_RELAY_HUB_REPORT_ACTIVITY_HPP

#include <nlohmann/json_fwd.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>

namespace relay_hub {

/// What became of the requests for one target in the last minutes, in steps of two seconds.
///
/// **Contract.** The steps are counted from the steady clock's epoch, so those of all targets fit. A
/// request counts in the step that it ended in.
/// **Threads.** Every member may be called from any thread at any time.
/// **Cost.** A lock and a clock reading for each request; nothing while there are none.
class Activity {
  public:
    static constexpr std::size_t steps = 90;
    static constexpr std::chrono::seconds step_length{2};

    enum class End : std::uint8_t { success, failure, refused };

    void add(End end);

    /// `{"step_seconds": 2, "succeeded": […], "failed": […], "refused": […]}`, the oldest step first.
    /// The last one is under way.
    [[nodiscard]] nlohmann::json report() const;

  private:
    using Counts = std::array<std::uint32_t, 3>; // by End
    struct Step {
        std::int64_t number = -1;
        Counts counts{};
    };

    mutable std::mutex mutex_;
    std::array<Step, steps> ring_; // guarded by mutex_
};

} // namespace relay_hub

#endif
