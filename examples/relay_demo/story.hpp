// SPDX-License-Identifier: MIT
#ifndef DASHPOT_EXAMPLES_RELAY_DEMO_STORY_HPP
#define DASHPOT_EXAMPLES_RELAY_DEMO_STORY_HPP

#include "claim_table.hpp"
#include "fleet.hpp"
#include "load.hpp"
#include "verdicts.hpp"

#include <chrono>
#include <memory>
#include <string>

namespace relay_demo {

/// The scenes of the demo, in the order in which they are played. Each prints what happened.
class Story {
  public:
    Story();

    void normal();
    void business_rejections();
    void core_is_dead();
    void recovery();
    void core_is_slow();
    /// The control: what is different without compartments.
    void without_protection();
    /// Settings of the hub side by side: a limit that is given and one that is learned; retries.
    void contests();
    void end();

    [[nodiscard]] const Verdicts& verdicts() const noexcept { return verdicts_; }

  private:
    [[nodiscard]] LoadOptions claim_load() const;
    [[nodiscard]] LoadOptions slow_core_load() const;
    void begin_scene();
    void end_scene(const std::string& name);
    void judge_control();
    void judge_log();

    Fleet fleet_;
    ClaimTable claim_table_;
    Verdicts verdicts_;
    // CLAIM's callers call all the time, whatever happens to CORE.
    std::unique_ptr<Load> claim_callers_;
    std::chrono::steady_clock::time_point scene_began_;
};

} // namespace relay_demo

#endif
