// SPDX-License-Identifier: MIT
// Two parts that hand each other a breaker. They must agree on the settings, or the program does not
// link.
#include <dashpot/guard/circuit_breaker.hpp>

void trip(dashpot::CircuitBreaker<>& breaker);

#ifdef DEFINES_TRIP
void trip(dashpot::CircuitBreaker<>& breaker) { breaker.trip(); }
#else
int main() {
    dashpot::CircuitBreaker<> breaker;
    trip(breaker);
    return breaker.state() == dashpot::State::open ? 0 : 1;
}
#endif
