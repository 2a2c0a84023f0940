// SPDX-License-Identifier: MIT
// Whether a call was made must not go unseen. Built with -Werror=unused-result. TARGET says of which
// call().
#include <dashpot/dashpot.hpp>

bool ask(dashpot::CircuitBreaker<>& breaker, dashpot::Target<>& target) {
#ifndef MUST_FAIL
    return breaker.call([] {}) && target.call([] { return 1; });
#elif defined(TARGET)
    target.call([] { return 1; });
    return breaker.call([] {}).has_value();
#else
    breaker.call([] {});
    return target.call([] { return 1; }).has_value();
#endif
}
