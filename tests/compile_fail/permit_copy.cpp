// SPDX-License-Identifier: MIT
// A permit is answered once, so there is one of it.
#include <dashpot/dashpot.hpp>

#include <utility>

bool answer(dashpot::CircuitBreaker<>& breaker) {
    auto permit = breaker.try_acquire();
#ifdef MUST_FAIL
    auto second = permit;
#else
    auto second = std::move(permit);
#endif
    return second.success();
}
