// SPDX-License-Identifier: MIT
#include "wait_until.hpp"

#include <algorithm>
#include <cerrno>

namespace example {
namespace {

using namespace std::chrono_literals;

int milliseconds_left(SteadyTime deadline) noexcept {
    // The upper bound keeps the conversion in range; a longer wait goes round the loop again.
    const auto left = std::clamp<std::chrono::nanoseconds>(deadline - std::chrono::steady_clock::now(),
                                                           0ns, std::chrono::nanoseconds{1h});
    return static_cast<int>(std::chrono::ceil<std::chrono::milliseconds>(left).count());
}

} // namespace

bool wait_until(std::span<pollfd> watched, SteadyTime deadline) noexcept {
    for (;;) {
        // Not ppoll(): after a stop of the process it begins the time that was left again, and poll()
        // ends when it would have ended.
        const int ready = ::poll(watched.data(), watched.size(), milliseconds_left(deadline));
        if (ready > 0) return true;
        if (ready < 0 && errno != EINTR) return false;
        if (std::chrono::steady_clock::now() >= deadline) return false;
    }
}

bool wait_until(int descriptor, short events, SteadyTime deadline) noexcept {
    pollfd watched{descriptor, events, 0};
    return wait_until({&watched, 1}, deadline);
}

} // namespace example
