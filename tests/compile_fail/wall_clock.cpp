// SPDX-License-Identifier: MIT
// A wall clock jumps; a wait measured with it ends early or never.
#include <dashpot/dashpot.hpp>

#include <chrono>

#ifdef MUST_FAIL
using ChosenClock = std::chrono::system_clock;
#else
using ChosenClock = std::chrono::steady_clock;
#endif

bool ask(dashpot::CircuitBreaker<ChosenClock>& breaker) { return breaker.allow(); }
