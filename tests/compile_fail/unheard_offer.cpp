// SPDX-License-Identifier: MIT
// What a policy offers in a shape that the guard would not take up must not be left aside without a
// word.
#include <dashpot/guard/circuit_breaker.hpp>

#include <chrono>
#include <optional>

struct TimesCalls : dashpot::ConsecutiveFailures {
    bool operator==(const TimesCalls&) const = default;
#ifdef MUST_FAIL
    std::optional<std::chrono::nanoseconds> slow_after() const { return std::nullopt; }
#else
    std::optional<std::chrono::nanoseconds> slow_after() const noexcept { return std::nullopt; }
#endif
};

dashpot::CircuitBreaker<dashpot::SteadyClock, TimesCalls> breaker;
