// SPDX-License-Identifier: MIT
// A Tally that starts again by itself, in a shape that the guard would not call.
#include <dashpot/guard/circuit_breaker.hpp>

#include <cstdint>

struct Run : dashpot::ConsecutiveFailures {
    bool operator==(const Run&) const = default;
    struct Tally : dashpot::ConsecutiveFailures::Tally {
        explicit Tally(const Run& policy) noexcept : dashpot::ConsecutiveFailures::Tally{policy} {}
#ifdef MUST_FAIL
        void start_again() {}
#else
        void start_again() noexcept {}
#endif
    };
};

dashpot::CircuitBreaker<dashpot::SteadyClock, Run> breaker;
