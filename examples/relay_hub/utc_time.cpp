// SPDX-License-Identifier: MIT
#include "utc_time.hpp"

#include <array>
#include <chrono>
#include <cstdio>
#include <ctime>

namespace relay_hub {

std::string to_utc(dashpot::Instant instant) {
    using namespace std::chrono;
    static const nanoseconds epoch =
        system_clock::now().time_since_epoch() - steady_clock::now().time_since_epoch();
    const nanoseconds since_1970 = epoch + instant.time_since_epoch();
    const auto whole = floor<seconds>(since_1970);
    const std::time_t time = whole.count();
    std::tm utc{};
    ::gmtime_r(&time, &utc);
    std::array<char, 32> text{};
    const std::size_t length = std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%S", &utc);
    const auto fraction = floor<milliseconds>(since_1970 - whole).count();
    std::snprintf(text.data() + length, text.size() - length, ".%03dZ", static_cast<int>(fraction));
    return text.data();
}

} // namespace relay_hub
