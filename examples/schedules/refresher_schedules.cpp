// SPDX-License-Identifier: MIT
#include "relacy_threading.hpp" // first: it includes Relacy

#include "refresher.hpp"

#include <memory>

using dashpot_threading::Mistake;
using dashpot_threading::plain;

// Constructed again for each schedule: two threads, each of which runs thread().
struct TwoRefresh : rl::test_suite<TwoRefresh, 2> {
    // On the heap, since Relacy ignores alignas.
    std::unique_ptr<Refresher<>> refresher = std::make_unique<Refresher<>>();
    plain<int> value{0}; // watched: two concurrent accesses are a data race
    int loaded = 0;

    void thread(unsigned) {
        loaded += refresher->refresh([this] { value = value + 1; });
        if (refresher->loads() == 2) RL_ASSERT(value == 2);
    }
    void after() { RL_ASSERT(refresher->loads() == loaded); }
};

int main(int argc, char**) {
    // With an argument, one operation is made relaxed, which this test must detect.
    if (argc > 1) {
        dashpot_threading::mistake = {Mistake::Kind::relaxed, "refresher.hpp", "refresh", "fetch"};
    }
    rl::test_params params;
    params.search_type = rl::sched_bound; // every schedule with up to context_bound unforced switches
    params.context_bound = 4;             // or rl::sched_full: every schedule; rl::sched_random
    return rl::simulate<TwoRefresh>(params) ? 0 : 1;
}
