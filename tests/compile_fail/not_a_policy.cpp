// SPDX-License-Identifier: MIT
// Fields that look like a policy's are not one: it must be able to decide.
#include <dashpot/dashpot.hpp>

#include <cstdint>

struct OnlyOptions {
    std::uint32_t threshold = 5;

    friend bool operator==(const OnlyOptions&, const OnlyOptions&) = default;
};

#ifdef MUST_FAIL
using ChosenPolicy = OnlyOptions;
#else
using ChosenPolicy = dashpot::ConsecutiveFailures;
#endif

bool ask(dashpot::CircuitBreaker<dashpot::SteadyClock, ChosenPolicy>& breaker) {
    return breaker.allow();
}
