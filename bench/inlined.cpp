// SPDX-License-Identifier: MIT
// What a compiler makes of asking a breaker: cmake/bench.cmake shows the instructions of these
// functions.
#include <dashpot/guard/circuit_breaker.hpp>

namespace inlined {

bool allow(dashpot::CircuitBreaker<>& breaker);
void succeed(dashpot::CircuitBreaker<>& breaker);

bool allow(dashpot::CircuitBreaker<>& breaker) { return breaker.allow(); }
void succeed(dashpot::CircuitBreaker<>& breaker) { breaker.record_success(); }

} // namespace inlined
