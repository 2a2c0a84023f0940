// SPDX-License-Identifier: MIT
// A Tally that would say beforehand what opens the circuit, in a shape that the guard would not call:
// on a const Tally it cannot be called at all.
#include <dashpot/guard/circuit_breaker.hpp>

struct Run : dashpot::ConsecutiveFailures {
    bool operator==(const Run&) const = default;
    struct Tally : dashpot::ConsecutiveFailures::Tally {
        explicit Tally(const Run& policy) noexcept : dashpot::ConsecutiveFailures::Tally{policy} {}
#ifdef MUST_FAIL
        bool would_open(const dashpot::FinishedCall&) noexcept { return true; }
#else
        bool would_open(const dashpot::FinishedCall&) const noexcept { return true; }
#endif
    };
};

dashpot::CircuitBreaker<dashpot::SteadyClock, Run> breaker;
