// SPDX-License-Identifier: MIT
// Shows what compartments are good for, with real processes and real traffic, in half a minute.
#include "story.hpp"

#include <cstdio>
#include <exception>

int main() {
    // Each line is seen when it is written, also through a pipe.
    std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);
    try {
        relay_demo::Story story;
        story.normal();
        story.business_rejections();
        story.core_is_dead();
        story.recovery();
        story.core_is_slow();
        story.without_protection();
        story.end();
        story.verdicts().print();
        return story.verdicts().all_hold() ? 0 : 1;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "relay_demo: %s\n", error.what());
        return 1;
    }
}
