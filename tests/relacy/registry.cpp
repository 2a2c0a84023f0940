// SPDX-License-Identifier: MIT
#include "schedules.hpp"

#include <dashpot/registry/detail/keyed_hash.hpp>
#include <dashpot/registry/registry.hpp>

#include <cstdint>
#include <memory>
#include <string_view>

using namespace schedules;
using dashpot::State;
using Registry = dashpot::Registry<Clock>;
using Target = Registry::target_type;

// They lie in different shards, so that these schedules meet two locks.
static_assert((dashpot::detail::keyed_hash("CORE", {}) >> 32U) % 16 !=
              (dashpot::detail::keyed_hash("CLAIM", {}) >> 32U) % 16);

namespace {

template <class Derived, int threads>
struct OnRegistry : Program<Derived, threads> {
    std::unique_ptr<Registry> made = std::make_unique<Registry>(
        dashpot::TargetOptions<>{.policy = {.threshold = 1}, .max_concurrent = 1});
    Registry& registry = *made;

    void before() { Time::start(); }
};

/// Two ask for a name at once: one target, made once.
struct OneTargetPerName : OnRegistry<OneTargetPerName, 2> {
    std::shared_ptr<Target> got[2];

    void thread(unsigned i) {
        got[i] = registry.get("CORE");
        HOLDS(registry.find("CORE") == got[i]);
        HOLDS(registry.size() == 1);
    }
    void after() { HOLDS(got[0] == got[1]); }
};

/// What one does through a target that it got happens before what another does who enters after it.
struct SharedCompartment : OnRegistry<SharedCompartment, 2> {
    plain<bool> is_taken{false};

    void thread(unsigned) {
        auto entry = registry.get("CORE")->try_enter();
        if (!entry) {
            HOLDS(entry.refusal().reason == dashpot::Error::bulkhead_full);
            return;
        }
        HOLDS(!is_taken);
        is_taken = true;
        is_taken = false;
        HOLDS(entry.success());
    }
};

/// Removed while another gets it: the old one in its hands, or a new one, and never two in the books.
struct RemovedMeanwhile : OnRegistry<RemovedMeanwhile, 2> {
    std::shared_ptr<Target> old;
    std::shared_ptr<Target> got;

    void before() {
        OnRegistry::before();
        old = registry.get("CORE");
    }
    void thread(unsigned i) {
        if (i == 0) {
            HOLDS(registry.remove("CORE"));
        } else {
            got = registry.get("CORE");
            HOLDS(got->name() == "CORE");
        }
    }
    void after() {
        HOLDS(registry.size() == (got == old ? 0 : 1));
        HOLDS(registry.find("CORE") == (got == old ? nullptr : got));
    }
};

/// Somebody begins to listen to all while a target is made: it is heard, and once.
struct HeardFromTheStart : OnRegistry<HeardFromTheStart, 2> {
    plain<int> heard{0};
    dashpot::Subscription subscription;

    void thread(unsigned i) {
        if (i == 0) {
            subscription = registry.on_transition(
                [this](std::string_view, const dashpot::Transition&) { heard = heard + 1; });
        } else {
            (void)registry.get("CORE");
        }
    }
    void after() {
        registry.get("CORE")->breaker().trip();
        HOLDS(heard == 1);
    }
};

/// Transitions of two targets reach a listener one at a time.
struct OneAtATimeAcrossTargets : OnRegistry<OneAtATimeAcrossTargets, 2> {
    plain<int> heard{0};
    std::shared_ptr<Target> targets[2];
    dashpot::Subscription subscription;

    void before() {
        OnRegistry::before();
        targets[0] = registry.get("CORE");
        targets[1] = registry.get("CLAIM");
        subscription = registry.on_transition(
            [this](std::string_view, const dashpot::Transition&) { heard = heard + 1; });
    }
    void thread(unsigned i) { targets[i]->breaker().trip(); }
    void after() { HOLDS(heard == 2); }
};

/// Once remove() has returned, whoever learns of it hears no transition of that target.
struct RemovedIsUnheard : OnRegistry<RemovedIsUnheard, 2> {
    int heard = 0;
    std::shared_ptr<Target> target;
    dashpot::threading::atomic<bool> is_removed{false};
    dashpot::Subscription subscription;

    void before() {
        OnRegistry::before();
        target = registry.get("CORE");
        subscription =
            registry.on_transition([this](std::string_view, const dashpot::Transition&) { ++heard; });
    }
    void thread(unsigned i) {
        if (i == 0) {
            registry.remove("CORE");
            is_removed.store(true, std::memory_order_release);
        } else {
            const bool was_removed = is_removed.load(std::memory_order_acquire);
            target->breaker().trip();
            HOLDS(heard == 0 || !was_removed);
        }
    }
};

/// Two shards share the count of targets, and no lock: none is lost from it.
struct Counted : OnRegistry<Counted, 2> {
    void thread(unsigned i) {
        const std::string_view name = i == 0 ? "CORE" : "CLAIM";
        (void)registry.get(name);
        HOLDS(registry.size() >= 1);
    }
    void after() { HOLDS(registry.size() == 2); }
};

/// One forgets what is idle while another trips a target and lets go of it: that one is not forgotten.
struct TrippedIsKept : OnRegistry<TrippedIsKept, 2> {
    void thread(unsigned i) {
        if (i == 0) {
            registry.get("CORE")->breaker().trip();
        } else {
            (void)registry.evict_idle();
        }
    }
    void after() {
        const auto core = registry.find("CORE");
        HOLDS(core != nullptr && core->breaker().state() == State::open);
        HOLDS(registry.size() == 1);
    }
};

/// The same while another holds it: it stays, and is the one that all get.
struct HeldIsKept : OnRegistry<HeldIsKept, 2> {
    void before() {
        OnRegistry::before();
        (void)registry.get("CORE");
    }
    void thread(unsigned i) {
        if (i == 0) {
            const auto core = registry.get("CORE");
            HOLDS(registry.get("CORE") == core);
        } else {
            HOLDS(registry.evict_idle() <= 1);
        }
    }
    void after() { HOLDS(registry.size() <= 1); }
};

/// Options that a function gives: it is asked once, by one, and what it says is what all get.
struct OptionsOnce : OnRegistry<OptionsOnce, 2> {
    plain<std::uint32_t> asked{0};

    void thread(unsigned) {
        const auto core = registry.get("CORE", [this](std::string_view) {
            asked = asked + 1;
            return dashpot::TargetOptions<>{.max_concurrent = 1 + asked};
        });
        HOLDS(core->bulkhead().max_concurrent() == 2);
    }
    void after() { HOLDS(asked == 1); }
};

} // namespace

int main(int argc, char** argv) {
    using enum Search::Kind;
    using enum Mistake::Kind;
    return run(
        argc, argv,
        {{"one target per name", holds<OneTargetPerName>, {bound, 5}, {bound, 6}},
         {"shared compartment", holds<SharedCompartment>, {bound, 4}, {bound, 5}},
         {"removed meanwhile", holds<RemovedMeanwhile>, {every}, {every}},
         {"heard from the start", holds<HeardFromTheStart>, {bound, 3}, {bound, 5}},
         {"one at a time across targets", holds<OneAtATimeAcrossTargets>, {bound, 2}, {bound, 3}},
         {"removed is unheard", holds<RemovedIsUnheard>, {bound, 3}, {bound, 4}},
         {"counted", holds<Counted>, {bound, 4}, {bound, 5}},
         {"tripped is kept", holds<TrippedIsKept>, {bound, 3}, {bound, 5}},
         {"held is kept", holds<HeldIsKept>, {bound, 3}, {bound, 5}},
         {"options once", holds<OptionsOnce>, {bound, 4}, {bound, 6}}},
        {{"targets_are_counted_in_two_steps",
          "counted",
          {torn, "target_reservation.hpp", "commit", "fetch"}},
         {"end_of_a_flight_is_not_told",
          "options once",
          {left_out, "single_flight.hpp", "end", "notify"}},
         {"removal_is_not_told",
          "removed is unheard",
          {left_out, "target_events.hpp", "silence", "store"}},
         {"evicted_by_the_word_alone", "tripped is kept"}});
}
