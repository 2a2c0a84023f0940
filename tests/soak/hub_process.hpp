// SPDX-License-Identifier: MIT
#ifndef DASHPOT_TESTS_SOAK_HUB_PROCESS_HPP
#define DASHPOT_TESTS_SOAK_HUB_PROCESS_HPP

#include "../../examples/common/service.hpp"

#include <nlohmann/json.hpp>

#include <cstddef>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace soak {

/// A sample of GET /metrics by the line that it stands on: `name{labels}`.
using Metrics = std::map<std::string, double, std::less<>>;

/// The hub, one process after another at the same port.
///
/// **Threads.** The main thread's, as ChildProcess is.
class HubProcess {
  public:
    HubProcess(std::filesystem::path program, std::vector<std::string> options,
               std::filesystem::path errors, int port);

    void start(const std::filesystem::path& log);
    void kill();
    /// @return its exit status; nothing: it does not end
    std::optional<int> stop();

    [[nodiscard]] nlohmann::json targets() const;
    [[nodiscard]] nlohmann::json health() const;
    [[nodiscard]] Metrics metrics() const;

    [[nodiscard]] int port() const noexcept { return port_; }
    [[nodiscard]] bool is_running() const noexcept { return service_ != nullptr; }
    /// Its memory, in bytes; 0: it does not run.
    [[nodiscard]] std::size_t resident() const;
    [[nodiscard]] std::size_t open_files() const;
    /// Sets how many it may have open. @return how many that were before
    std::size_t limit_open_files(std::size_t count);
    [[nodiscard]] const std::filesystem::path& log() const noexcept { return log_; }

  private:
    [[nodiscard]] std::string proc(const char* file) const;

    const std::filesystem::path program_;
    const std::vector<std::string> options_;
    const std::filesystem::path errors_;
    const int port_;
    std::filesystem::path log_;
    std::unique_ptr<example::Service> service_;
};

} // namespace soak

#endif
