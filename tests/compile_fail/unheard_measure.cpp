// SPDX-License-Identifier: MIT
// A policy that wants to know how long calls take, in a shape that the guard would not call.
#include <dashpot/guard/circuit_breaker.hpp>

#include <chrono>
#include <optional>

struct Run : dashpot::ConsecutiveFailures {
    bool operator==(const Run&) const = default;
#ifdef MUST_FAIL
    std::optional<std::chrono::nanoseconds> measure_above() const { return std::nullopt; }
#else
    std::optional<std::chrono::nanoseconds> measure_above() const noexcept { return std::nullopt; }
#endif
    struct Tally : dashpot::ConsecutiveFailures::Tally {
        explicit Tally(const Run& policy) noexcept : dashpot::ConsecutiveFailures::Tally{policy} {}
        void take_over(const Tally&) noexcept {}
    };
};

dashpot::CircuitBreaker<dashpot::SteadyClock, Run> breaker;
