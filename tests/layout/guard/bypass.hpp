// SPDX-License-Identifier: MIT
// What the layout check must refuse: a guard that no checker of schedules can see into.
#ifndef DASHPOT_GUARD_BYPASS_HPP
#define DASHPOT_GUARD_BYPASS_HPP

#include <atomic>

struct Bypass {
    std::atomic<int> value;
};

#endif
