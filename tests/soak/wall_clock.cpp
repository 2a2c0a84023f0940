// SPDX-License-Identifier: MIT
#include "wall_clock.hpp"

#include <cerrno>
#include <cstdint>
#include <system_error>
#include <utility>

#include "../../examples/common/file_descriptor.hpp"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

namespace soak {

WallClock::WallClock(const std::filesystem::path& library, std::filesystem::path file)
    : file_{std::move(file)} {
    shift(std::chrono::seconds{0});
    ::setenv("DASHPOT_CLOCK_SHIFT", file_.c_str(), 1);
    ::setenv("LD_PRELOAD", library.c_str(), 1);
}

void WallClock::shift(std::chrono::seconds by) const {
    const std::int64_t value = by.count();
    const example::FileDescriptor file{::open(file_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600)};
    if (!file || ::pwrite(file.get(), &value, sizeof value, 0) != sizeof value)
        throw std::system_error{errno, std::generic_category(), file_};
}

} // namespace soak
