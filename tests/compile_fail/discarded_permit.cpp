// SPDX-License-Identifier: MIT
// An admission that nobody holds is over before the call has begun. Built with
// -Werror=unused-result.
#include <dashpot/dashpot.hpp>

bool ask(dashpot::CircuitBreaker<>& breaker) {
#ifdef MUST_FAIL
    breaker.try_acquire();
    return true;
#else
    const auto permit = breaker.try_acquire();
    return bool(permit);
#endif
}
