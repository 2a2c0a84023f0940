// SPDX-License-Identifier: MIT
#ifndef DASHPOT_TESTS_SOAK_RUN_HPP
#define DASHPOT_TESTS_SOAK_RUN_HPP

#include "audit.hpp"
#include "claims.hpp"
#include "core_target.hpp"
#include "hub_process.hpp"
#include "ledger.hpp"
#include "load.hpp"
#include "wall_clock.hpp"

#include "../../examples/common/service.hpp"
#include "../../examples/common/temporary_directory.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace soak {

struct RunOptions {
    std::chrono::seconds length{600};
    std::uint64_t seed = 0;
    std::vector<std::string> hub_options; ///< on top of the run's own
};

/// Two targets, a hub and its clients, and all that happens to them.
class Run {
  public:
    explicit Run(const RunOptions& options);

    /// Plays all of it: troubles of CORE on one hub for a good half of the time, then troubles of the
    /// hub itself.
    void play();

    [[nodiscard]] std::vector<Phase> phases() const { return ledger_.phases(); }
    [[nodiscard]] const Claims& claims() const noexcept { return claims_; }

  private:
    using Milliseconds = std::chrono::milliseconds;

    void one_hub_for_long();
    void round();
    void trouble_core(Trouble trouble);
    void recover(const std::string& phase);
    void quiet(const std::string& when);

    void kill_hub();
    void fill_disk();
    void exhaust_descriptors();
    void crowd_in();
    void step_clock();

    void begin_hub(const std::filesystem::path& log);
    void end_hub();
    [[nodiscard]] std::filesystem::path next_log();
    void end_phase() { ledger_.end_phase(hub_.resident()); }
    /// How often CORE's circuit came to that state.
    [[nodiscard]] double changes_to(const std::string& state) const;
    [[nodiscard]] std::uint64_t claim_successes() const;
    [[nodiscard]] std::size_t chance(std::size_t below) { return random_() % below; }
    void judge_phases();

    const RunOptions options_;
    const std::chrono::steady_clock::time_point began_;
    std::mt19937_64 random_;
    Claims claims_;
    Ledger ledger_;
    // Before the processes: it is removed after they have ended.
    example::TemporaryDirectory directory_;
    std::filesystem::path programs_;
    WallClock wall_clock_;
    int core_port_;
    CoreTarget core_;
    example::Service claim_;
    HubProcess hub_;
    int logs_ = 0;
    std::optional<Audit> audit_; // of the hub that runs
    Load load_;                  // last: its clients go first
};

} // namespace soak

#endif
