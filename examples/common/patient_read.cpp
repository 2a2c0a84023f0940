// SPDX-License-Identifier: MIT
#include "patient_read.hpp"

#include "file_descriptor.hpp"

#include <algorithm>
#include <cerrno>
#include <stdexcept>
#include <system_error>

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

namespace example {
namespace {

using std::chrono::steady_clock;

[[noreturn]] void refuse(int error) {
    throw std::runtime_error{std::generic_category().message(error)};
}

/// @return false: there was nothing to read until then
bool await_input(int file, steady_clock::time_point end) {
    for (;;) {
        const auto rest =
            std::chrono::ceil<std::chrono::milliseconds>(end - steady_clock::now()).count();
        pollfd input{file, POLLIN, 0};
        const int ready = ::poll(&input, 1, static_cast<int>(std::max<decltype(rest)>(rest, 0)));
        if (ready >= 0) return ready > 0;
        if (errno != EINTR) refuse(errno);
    }
}

} // namespace

std::string patient_read(const std::string& path, std::size_t at_most,
                         std::chrono::milliseconds patience) {
    // Without O_NONBLOCK, a FIFO is not even opened before it has a writer.
    const FileDescriptor file{::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)};
    if (!file) refuse(errno);
    const auto end = steady_clock::now() + patience;
    std::string text(at_most, '\0');
    std::size_t size = 0;
    while (size < at_most) {
        if (!await_input(file.get(), end))
            throw std::runtime_error{
                "nothing came within " +
                std::to_string(std::chrono::ceil<std::chrono::seconds>(patience).count()) +
                " s: it is a FIFO or a device that no process writes to"};
        const ssize_t part = ::read(file.get(), text.data() + size, at_most - size);
        if (part == 0) break;
        if (part > 0)
            size += static_cast<std::size_t>(part);
        else if (errno != EAGAIN && errno != EINTR)
            refuse(errno);
    }
    text.resize(size);
    return text;
}

} // namespace example
