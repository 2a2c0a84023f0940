// SPDX-License-Identifier: MIT
#ifndef DASHPOT_EXAMPLES_COMMON_SERVICE_HPP
#define DASHPOT_EXAMPLES_COMMON_SERVICE_HPP

#include "child_process.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace example {

/// A server program as a child process, ready for requests.
class Service {
  public:
    /// Starts it and waits until it says `listening on http://127.0.0.1:PORT`.
    ///
    /// @param errors  the file that its standard error goes to
    /// @throws std::runtime_error  it ended, or was not ready in time; with what it said
    Service(const std::filesystem::path& program, const std::vector<std::string>& arguments,
            const std::filesystem::path& errors);

    [[nodiscard]] int port() const noexcept { return port_; }
    [[nodiscard]] std::string url() const;
    [[nodiscard]] ChildProcess& process() noexcept { return process_; }

    /// Asks it to stop and waits for that.
    /// @return the exit status; nothing: it still ran after `patience`
    std::optional<int> stop(std::chrono::seconds patience);

  private:
    ChildProcess process_;
    int port_ = 0;
};

} // namespace example

#endif
