// SPDX-License-Identifier: MIT
#include "standard_streams.hpp"

#include <cerrno>
#include <mutex>
#include <string>

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

namespace example {

void keep_standard_descriptors() noexcept {
    for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        if (::fcntl(descriptor, F_GETFD) >= 0 || errno != EBADF) continue;
        // The lowest number that is free is this one.
        static_cast<void>(::open("/dev/null", O_RDWR));
    }
}

void say(std::string_view program, std::string_view text) {
    static std::mutex mutex;
    const std::string line = std::string{program} + ": " + std::string{text} + "\n";
    const std::lock_guard lock{mutex};
    // O_NONBLOCK would hold for the other processes that have the same standard error. A pipe is
    // writable if it takes 4096 bytes at once.
    for (std::string_view rest = line; !rest.empty();) {
        pollfd errors{STDERR_FILENO, POLLOUT, 0};
        if (::poll(&errors, 1, 0) != 1 || (errors.revents & POLLOUT) == 0) return;
        const ssize_t written = ::write(STDERR_FILENO, rest.data(), rest.substr(0, 4096).size());
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return;
        rest.remove_prefix(static_cast<std::size_t>(written));
    }
}

} // namespace example
