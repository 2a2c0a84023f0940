// SPDX-License-Identifier: MIT
#include "schedules.hpp"

#include <dashpot/guard/bulkhead.hpp>

#include <memory>

using dashpot::Bulkhead;
using namespace schedules;

namespace {

/// What threads do in a bulkhead of one slot, and what would tell that two were in it at once.
struct Slot {
    Bulkhead hull{1};
    plain<bool> is_taken{false};

    bool visit() {
        const Bulkhead::Permit permit = hull.try_acquire();
        if (!permit) return false;
        HOLDS(!is_taken);
        is_taken = true;
        is_taken = false;
        return true;
    }
};

/// Never above the limit, and what one does under a slot happens before what its next holder does.
template <int threads, int visits>
struct OneAtATime : Program<OneAtATime<threads, visits>, threads> {
    Slot slot;
    int visited = 0;

    void thread(unsigned) {
        for (int i = 0; i != visits; ++i) visited += slot.visit();
    }
    void after() const {
        HOLDS(visited > 0);
        HOLDS(slot.hull.in_flight() == 0);
    }
};

/// No refusal while there is a slot for everybody, whoever comes and goes meanwhile.
struct RoomForAll : Program<RoomForAll, 2> {
    Bulkhead hull{2};

    void thread(unsigned) {
        for (int i = 0; i != 2; ++i) HOLDS(hull.try_acquire());
    }
};

/// Three ask for two slots and keep them: two get one, whoever comes first.
struct TwoOfThree : Program<TwoOfThree, 3> {
    Bulkhead hull{2};
    Bulkhead::Permit held[3];

    void thread(unsigned i) { held[i] = hull.try_acquire(); }
    void after() const {
        HOLDS(bool{held[0]} + bool{held[1]} + bool{held[2]} == 2);
        HOLDS(hull.available() == 0);
    }
};

/// A slot that was freed before is free, and what was done under it is seen.
struct HandedOver : Program<HandedOver, 2> {
    Bulkhead hull{1};
    Bulkhead::Permit held;
    plain<int> work{0};
    dashpot::threading::atomic<bool> is_free{false};

    void before() { held = hull.try_acquire(); }
    void thread(unsigned i) {
        if (i == 0) {
            work = 1;
            held.release();
            is_free.store(true, std::memory_order_release);
        } else if (is_free.load(std::memory_order_acquire)) {
            HOLDS(hull.try_acquire());
        } else if (const Bulkhead::Permit mine = hull.try_acquire()) {
            HOLDS(work == 1);
        }
    }
};

/// resize() between admissions: the limit that an admission meets is the one it is measured by, none
/// of the calls in flight is lost, and a slot is handed on across it.
struct Shrinks : Program<Shrinks, 2> {
    Bulkhead hull{2};
    Bulkhead::Permit held;
    plain<bool> is_taken{false};

    void before() { held = hull.try_acquire(); }
    void thread(unsigned i) {
        if (i == 0) {
            is_taken = true;
            is_taken = false;
            held.release();
            hull.resize(1);
        } else if (hull.max_concurrent() == 1) {
            if (const Bulkhead::Permit mine = hull.try_acquire()) HOLDS(!is_taken);
        }
        if (const Bulkhead::Permit mine = hull.try_acquire()) HOLDS(hull.in_flight() <= 2);
    }
    void after() const {
        HOLDS(hull.max_concurrent() == 1);
        HOLDS(hull.in_flight() == 0);
    }
};

} // namespace

int main(int argc, char** argv) {
    using enum Search::Kind;
    using enum Mistake::Kind;
    return run(
        argc, argv,
        {{"one at a time", holds<OneAtATime<2, 2>>, {every}, {every}},
         {"one of three at a time", holds<OneAtATime<3, 2>>, {bound, 3}, {bound, 4}},
         {"room for all", holds<RoomForAll>, {every}, {every}},
         {"two of three", holds<TwoOfThree>, {every}, {every}},
         {"handed over", holds<HandedOver>, {every}, {every}},
         {"shrinks", holds<Shrinks>, {every}, {every}}},
        {{"slot_is_freed_relaxed", "one at a time", {relaxed, "bulkhead.hpp", "release", "fetch"}},
         {"slot_is_taken_relaxed",
          "one at a time",
          {relaxed, "bulkhead.hpp", "try_acquire", "compare_exchange"}},
         {"limit_is_compared_before",
          "two of three",
          {torn, "bulkhead.hpp", "try_acquire", "compare_exchange"}},
         {"slot_is_freed_in_two_steps", "room for all", {torn, "bulkhead.hpp", "release", "fetch"}},
         {"resize_forgets_who_came", "shrinks", {torn, "bulkhead.hpp", "resize", "compare_exchange"}}});
}
