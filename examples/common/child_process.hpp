// SPDX-License-Identifier: MIT
#ifndef DASHPOT_EXAMPLES_COMMON_CHILD_PROCESS_HPP
#define DASHPOT_EXAMPLES_COMMON_CHILD_PROCESS_HPP

#include "file_descriptor.hpp"
#include "wait_until.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <sys/types.h>

namespace example {

/// A program that runs as long as this object lives, and never longer than this process.
///
/// **Threads.** Made, used and destroyed by the main thread: the kernel ends the child with the
/// thread that started it.
class ChildProcess {
  public:
    struct Files {
        /// Where its standard error goes; empty: where ours goes.
        std::filesystem::path errors;
        /// Its working directory; empty: ours.
        std::filesystem::path directory;
        /// Descriptors of ours that it gets, and under which numbers: 3 and up.
        std::vector<std::pair<int, int>> passed{};
    };

    /// @throws std::system_error
    ChildProcess(const std::filesystem::path& program, const std::vector<std::string>& arguments,
                 const Files& files);
    /// Kills it if it still runs.
    ~ChildProcess();
    ChildProcess(const ChildProcess&) = delete;
    ChildProcess& operator=(const ChildProcess&) = delete;

    /// Reads a line of its standard output, without the line's end.
    /// @return nothing: the output ended, or the deadline passed
    [[nodiscard]] std::optional<std::string> read_line(SteadyTime deadline);

    void send_signal(int signal) const noexcept;
    [[nodiscard]] pid_t id() const noexcept { return pid_; }

    /// Waits for its end. @return the exit status, as a shell gives it; nothing: it still runs
    [[nodiscard]] std::optional<int> wait(SteadyTime deadline);

  private:
    pid_t pid_ = -1;
    FileDescriptor output_;
    std::string unread_;
    std::optional<int> status_;
};

/// The directory that the running program was started from.
[[nodiscard]] std::filesystem::path own_directory();

} // namespace example

#endif
