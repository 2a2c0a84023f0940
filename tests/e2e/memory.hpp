// SPDX-License-Identifier: MIT
#ifndef DASHPOT_TESTS_E2E_MEMORY_HPP
#define DASHPOT_TESTS_E2E_MEMORY_HPP

#include <cstddef>
#include <fstream>
#include <stdexcept>
#include <string>

#include <sys/types.h>

namespace e2e {

inline constexpr std::size_t mebibyte = 1024 * 1024;

/// A sanitizer keeps what was freed, and shadows the rest: its programs' memory says nothing.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool is_instrumented = true;
#elif defined(__has_feature)
inline constexpr bool is_instrumented =
    __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#else
inline constexpr bool is_instrumented = false;
#endif

/// A line of /proc/PID/status that is a size, in bytes.
[[nodiscard]] inline std::size_t memory_status(pid_t process, const std::string& key) {
    std::ifstream status{"/proc/" + std::to_string(process) + "/status"};
    for (std::string word; status >> word;) {
        std::size_t kibibytes = 0;
        if (word == key && status >> kibibytes) return kibibytes * 1024;
    }
    throw std::runtime_error{"the system does not tell a process's memory"};
}

/// The most memory that the process has had in use so far, in bytes.
[[nodiscard]] inline std::size_t peak_memory(pid_t process) { return memory_status(process, "VmHWM:"); }

/// The memory that its limit RLIMIT_DATA is about, in bytes.
[[nodiscard]] inline std::size_t data_memory(pid_t process) {
    return memory_status(process, "VmData:");
}

/// Watches a process's peak from here on.
class MemoryWatch {
  public:
    explicit MemoryWatch(pid_t process) : process_{process}, before_{peak_memory(process)} {}

    [[nodiscard]] std::size_t growth() const {
        return is_instrumented ? 0 : peak_memory(process_) - before_;
    }

  private:
    pid_t process_;
    std::size_t before_;
};

} // namespace e2e

#endif
