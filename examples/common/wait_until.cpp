// SPDX-License-Identifier: MIT
#include "wait_until.hpp"

#include <algorithm>
#include <cerrno>
#include <ctime>

namespace example {
namespace {

using namespace std::chrono_literals;

timespec time_left(SteadyTime deadline) noexcept {
    // The upper bound keeps the conversion in range; who waits longer goes round the loop again.
    const auto left = std::clamp<std::chrono::nanoseconds>(deadline - std::chrono::steady_clock::now(),
                                                           0ns, std::chrono::nanoseconds{1h});
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(left);
    timespec result{};
    result.tv_sec = static_cast<std::time_t>(seconds.count());
    result.tv_nsec = static_cast<long>((left - seconds).count());
    return result;
}

} // namespace

bool wait_until(std::span<pollfd> watched, SteadyTime deadline) noexcept {
    for (;;) {
        const timespec left = time_left(deadline);
        const int ready = ::ppoll(watched.data(), watched.size(), &left, nullptr);
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
