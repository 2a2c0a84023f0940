// SPDX-License-Identifier: MIT
#include "utc_time.hpp"

#include "clock_steps.hpp"

#include <array>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <mutex>

namespace example {
namespace {

using namespace std::chrono;

struct SharedSteps {
    std::mutex mutex;
    ClockSteps steps; // guarded by mutex
};

SharedSteps& shared() {
    static SharedSteps result;
    return result;
}

void compare_locked(ClockSteps& steps) {
    // The thread may lose its processor in between: then the comparison is worth little.
    constexpr int tries = 5;
    constexpr auto close = microseconds{100};
    for (int i = 1;; ++i) {
        const auto before = steady_clock::now();
        const nanoseconds wall = system_clock::now().time_since_epoch();
        const auto after = steady_clock::now();
        if (after - before > close && i < tries) continue;
        return steps.note(after, wall - (before + (after - before) / 2).time_since_epoch());
    }
}

nanoseconds since_1970(dashpot::Instant instant) {
    const std::lock_guard lock{shared().mutex};
    compare_locked(shared().steps);
    return shared().steps.at(instant) + instant.time_since_epoch();
}

} // namespace

void compare_clocks() {
    const std::lock_guard lock{shared().mutex};
    compare_locked(shared().steps);
}

std::string to_utc(dashpot::Instant instant) {
    const nanoseconds time_then = since_1970(instant);
    const auto whole = floor<seconds>(time_then);
    const std::time_t time = whole.count();
    std::tm utc{};
    ::gmtime_r(&time, &utc);
    std::array<char, 32> text{};
    const std::size_t length = std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%S", &utc);
    const auto fraction = floor<milliseconds>(time_then - whole).count();
    std::snprintf(text.data() + length, text.size() - length, ".%03dZ", static_cast<int>(fraction));
    return text.data();
}

} // namespace example
