// SPDX-License-Identifier: MIT
#ifndef DASHPOT_TESTS_E2E_PROCESS_LIMIT_HPP
#define DASHPOT_TESTS_E2E_PROCESS_LIMIT_HPP

#include "memory.hpp"

#include <cerrno>
#include <cstddef>
#include <system_error>

#include <sys/resource.h>
#include <sys/types.h>

namespace e2e {

using Resource = decltype(RLIMIT_NOFILE);

/// A limit of a process that runs.
[[nodiscard]] inline rlimit limit_of(pid_t process, Resource resource) {
    rlimit limit{};
    if (::prlimit(process, resource, nullptr, &limit) != 0)
        throw std::system_error{errno, std::generic_category(), "prlimit"};
    return limit;
}

inline void set_limit(pid_t process, Resource resource, const rlimit& limit) {
    if (::prlimit(process, resource, &limit, nullptr) != 0)
        throw std::system_error{errno, std::generic_category(), "prlimit"};
}

/// As long as it lives, the process gets no more memory than it has and `spare` bytes.
class MemoryShortage {
  public:
    MemoryShortage(pid_t process, std::size_t spare)
        : process_{process}, before_{limit_of(process, RLIMIT_DATA)} {
        set_limit(process_, RLIMIT_DATA, {data_memory(process_) + spare, before_.rlim_max});
    }
    ~MemoryShortage() { static_cast<void>(::prlimit(process_, RLIMIT_DATA, &before_, nullptr)); }
    MemoryShortage(const MemoryShortage&) = delete;
    MemoryShortage& operator=(const MemoryShortage&) = delete;

  private:
    pid_t process_;
    rlimit before_;
};

} // namespace e2e

#endif
