// SPDX-License-Identifier: MIT
#ifndef DASHPOT_EXAMPLES_RELAY_DEMO_FLEET_HPP
#define DASHPOT_EXAMPLES_RELAY_DEMO_FLEET_HPP

#include "../common/json_client.hpp"
#include "../common/service.hpp"
#include "../common/temporary_directory.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace relay_demo {

/// How the hub of the demo is set up.
inline constexpr std::uint32_t fail_threshold = 5;
inline constexpr std::uint32_t max_inflight = 10;
inline constexpr int reset_seconds = 4;

/// The processes of the demo, two targets and a hub at a time, and the files they write.
class Fleet {
  public:
    Fleet();

    /// Ends the hub that runs and starts one with other options.
    /// @return the exit status of the one that ended
    int restart_hub(const std::vector<std::string>& more_options);

    [[nodiscard]] int hub_port() const noexcept { return hub_->port(); }
    /// What the hub says of CORE.
    [[nodiscard]] nlohmann::json core_report() const;

    /// Tells CORE how to behave and resets its counters.
    void set_core(const nlohmann::json& behaviour);
    /// CORE's own counters.
    [[nodiscard]] nlohmann::json core_stats() const;

    [[nodiscard]] std::vector<std::string> log_lines() const;

    /// Ends all of them. @return true: each with exit status 0
    [[nodiscard]] bool stop();

  private:
    [[nodiscard]] std::unique_ptr<example::Service> start_target(const std::string& name);
    [[nodiscard]] std::unique_ptr<example::Service>
    start_hub(const std::string& log, const std::vector<std::string>& more_options);

    // First: it is removed after the processes that write to it have ended.
    example::TemporaryDirectory directory_;
    std::filesystem::path programs_;
    std::unique_ptr<example::Service> core_;
    std::unique_ptr<example::Service> claim_;
    std::unique_ptr<example::Service> hub_;
};

} // namespace relay_demo

#endif
