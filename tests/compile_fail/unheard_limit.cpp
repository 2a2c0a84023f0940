// SPDX-License-Identifier: MIT
// A slow limit in a duration that is not made of whole nanoseconds.
#include <dashpot/guard/circuit_breaker.hpp>

#include <chrono>
#include <optional>

struct TimesCalls : dashpot::ConsecutiveFailures {
    bool operator==(const TimesCalls&) const = default;
#ifdef MUST_FAIL
    using Limit = std::chrono::duration<double>;
#else
    using Limit = std::chrono::milliseconds;
#endif
    std::optional<Limit> slow_after() const noexcept { return std::nullopt; }
};

dashpot::CircuitBreaker<dashpot::SteadyClock, TimesCalls> breaker;
