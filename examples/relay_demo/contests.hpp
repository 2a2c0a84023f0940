// SPDX-License-Identifier: MIT
#ifndef DASHPOT_EXAMPLES_RELAY_DEMO_CONTESTS_HPP
#define DASHPOT_EXAMPLES_RELAY_DEMO_CONTESTS_HPP

#include "verdicts.hpp"

namespace relay_demo {

/// CORE's capacity halves under load: a limit of calls in flight that is given, and one that is
/// learned.
void compare_limits(Verdicts& verdicts);

/// CORE fails three calls in ten, and then all of them: no retry, a retry, and a retry with a budget.
void compare_retries(Verdicts& verdicts);

} // namespace relay_demo

#endif
