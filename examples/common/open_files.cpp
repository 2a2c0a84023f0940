// SPDX-License-Identifier: MIT
#include "open_files.hpp"

#include <stdexcept>
#include <string>

#include <sys/resource.h>

namespace example {

void allow_open_files(std::size_t count) {
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= count) return;
    limit.rlim_cur = count;
    if (limit.rlim_max < count || ::setrlimit(RLIMIT_NOFILE, &limit) != 0)
        throw std::runtime_error{std::to_string(count) + " open files are needed, the limit is " +
                                 std::to_string(limit.rlim_max)};
}

} // namespace example
