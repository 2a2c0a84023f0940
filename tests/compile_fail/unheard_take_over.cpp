// SPDX-License-Identifier: MIT
// A Tally that would take over, in a shape that the guard would not call.
#include <dashpot/guard/circuit_breaker.hpp>

#include <cstdint>

struct Run : dashpot::ConsecutiveFailures {
    bool operator==(const Run&) const = default;
    struct Tally : dashpot::ConsecutiveFailures::Tally {
        explicit Tally(const Run& policy) noexcept : dashpot::ConsecutiveFailures::Tally{policy} {}
#ifdef MUST_FAIL
        void take_over(const Tally&) {}
#else
        void take_over(const Tally&) noexcept {}
#endif
    };
};

dashpot::CircuitBreaker<dashpot::SteadyClock, Run> breaker;
