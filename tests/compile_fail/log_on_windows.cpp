// SPDX-License-Identifier: MIT
// The logs need POSIX, and say so where there is none.
#include <dashpot/dashpot.hpp>

#ifdef MUST_FAIL
#define _WIN32 1
#endif
#include <dashpot/adapter/transition_log.hpp>

void write(dashpot::TransitionLog& log, const dashpot::Transition& transition) {
    log("CORE", transition);
}
