// SPDX-License-Identifier: MIT
#include "schedules.hpp"

#include <dashpot/guard/target.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

using dashpot::Error;
using dashpot::State;
using std::chrono::nanoseconds;
using namespace schedules;

namespace {

using Target = dashpot::Target<Clock>;
using Entry = Target::Entry;

/// A target whose circuit is OPEN and whose wait is over, with one slot.
template <class Derived, int threads>
struct OnTarget : Program<Derived, threads> {
    explicit OnTarget(std::uint32_t probes)
        : target{"CORE",
                 {.policy = {1},
                  .breaker = {.reset_timeout = nanoseconds{10}, .half_open = {.probes = probes}},
                  .max_concurrent = 1}} {
        Time::start();
    }

    void open() {
        target.breaker().trip();
        Time::now = 10;
    }

    Target target;
    std::array<std::optional<Entry>, std::size_t{threads}> entries;
};

/// One gets the probe and the slot, in one step. The others then are refused by both, and the refusal
/// is the breaker's: nobody sees the slot taken and the probe not.
template <int threads>
struct BothInOneStep : OnTarget<BothInOneStep<threads>, threads> {
    BothInOneStep() : OnTarget<BothInOneStep<threads>, threads>{1} {}

    void before() { this->open(); }
    void thread(unsigned i) {
        this->entries[i].emplace(this->target.try_enter());
        const Entry& mine = *this->entries[i];
        HOLDS(mine.generation() == 3);
        HOLDS(mine || mine.refusal().reason == Error::probes_in_flight);
    }
    void after() {
        HOLDS(this->target.bulkhead().in_flight() == 1);
        HOLDS(this->target.bulkhead().refused() == 0);
        HOLDS(this->target.breaker().snapshot().probes_in_flight == 1);
        HOLDS(this->target.breaker().snapshot().refused == threads - 1);
    }
};

/// More probes than slots: those who get no slot take no probe.
template <int threads>
struct SlotsRunOut : OnTarget<SlotsRunOut<threads>, threads> {
    SlotsRunOut() : OnTarget<SlotsRunOut<threads>, threads>{threads} {}

    void before() { this->open(); }
    void thread(unsigned i) {
        this->entries[i].emplace(this->target.try_enter());
        const Entry& mine = *this->entries[i];
        HOLDS(mine || mine.refusal().reason == Error::bulkhead_full);
        HOLDS(!mine || mine.generation() == 3);
    }
    void after() {
        HOLDS(this->target.bulkhead().in_flight() == 1);
        HOLDS(this->target.bulkhead().refused() == threads - 1);
        HOLDS(this->target.breaker().snapshot().probes_in_flight == 1);
        HOLDS(this->target.breaker().snapshot().refused == 0);
    }
};

/// A call of before the outage frees the only slot while a caller asks: the caller is the probe, or
/// finds the bulkhead full and leaves the circuit OPEN.
struct SlotIsFreed : OnTarget<SlotIsFreed, 2> {
    SlotIsFreed() : OnTarget{1} {}

    void before() {
        entries[0].emplace(target.try_enter());
        open();
    }
    void thread(unsigned i) {
        if (i == 0) return entries[0].reset();
        entries[1].emplace(target.try_enter());
        HOLDS(*entries[1] || entries[1]->refusal().reason == Error::bulkhead_full);
    }
    void after() {
        const bool is_in = static_cast<bool>(*entries[1]);
        HOLDS(target.breaker().state() == (is_in ? State::half_open : State::open));
        HOLDS(entries[1]->generation() == (is_in ? 3 : 2));
        HOLDS(target.bulkhead().in_flight() == (is_in ? 1 : 0));
        HOLDS(target.breaker().snapshot().probes_in_flight == (is_in ? 1 : 0));
    }
};

} // namespace

int main(int argc, char** argv) {
    using enum Search::Kind;
    using enum Mistake::Kind;
    return run(argc, argv,
               {{"both in one step", holds<BothInOneStep<2>>, {bound, 4}, {bound, 6}},
                {"both in one step, older reads",
                 holds<BothInOneStep<2>>,
                 {random, 20'000},
                 {random, 3'000'000}},
                {"both in one step, of three", holds<BothInOneStep<3>>, {bound, 2}, {bound, 3}},
                {"slots run out", holds<SlotsRunOut<2>>, {bound, 4}, {bound, 6}},
                {"slot is freed", holds<SlotIsFreed>, {bound, 4}, {bound, 6}}},
               {{"slot_is_taken_without_release",
                 "both in one step, older reads",
                 {relaxed, "bulkhead.hpp", "try_acquire", "compare_exchange"}},
                {"gate_stays_while_the_slot_is_taken", "both in one step"}});
}
