// SPDX-License-Identifier: MIT
// Forgetting while others ask, hold, remove, look and configure.
#include "catch.hpp"
#include "guard/race.hpp"

#include <dashpot/registry/registry.hpp>
#include <dashpot/testing/manual_clock.hpp>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>

namespace tests::registry_registry_eviction_race {

namespace {

using namespace dashpot;
using namespace std::chrono_literals;
using testing::ManualClock;
using Targets = Registry<ManualClock>;
using Held = std::shared_ptr<Targets::target_type>;

std::string name_of(std::size_t i) { return "target-" + std::to_string(i); }

std::size_t counted(const Targets& targets) {
    std::size_t count = 0;
    targets.for_each([&](const Targets::target_type&) { ++count; });
    return count;
}

} // namespace

TEST_CASE("Registry: a name has one target at a time, for all that hold it, whatever is evicted") {
    constexpr std::size_t names = 8;
    constexpr std::size_t users = 5;
    Targets targets{{.max_concurrent = 1}, {.max_targets = names}};
    std::array<std::atomic<int>, names> inside{};
    std::atomic<int> two_at_once{0};
    std::atomic<std::size_t> evicted{0};
    std::atomic<int> users_left{users};
    std::atomic<bool> is_over{false};
    race::together(users + 1, [&](std::size_t i) {
        if (i == users) return race::until(is_over, [&] { evicted += targets.evict_idle(); });
        for (std::size_t turn = 0; turn != 5000; ++turn) {
            const std::size_t n = (turn * 3 + i) % names;
            const Held mine = targets.get(name_of(n));
            auto slot = mine->bulkhead().try_acquire(); // of one, so nobody else is in this one
            two_at_once += targets.get(name_of(n)) == mine ? 0 : 1;
            if (!slot) continue;
            two_at_once += inside[n]++ == 0 ? 0 : 1; // nor in another of that name
            --inside[n];
        }
        if (--users_left == 0) is_over = true;
    });
    CHECK(two_at_once == 0);
    CHECK(evicted > 0);
    CHECK(targets.size() == counted(targets));
    CHECK(targets.size() <= names);
}

TEST_CASE(
    "Registry: what a thread did to a target before letting go is seen by one that would evict it") {
    ManualClock clock;
    Targets targets{{.policy = {.threshold = 1}}, {}, clock};
    race::in_rounds(
        2, 5000, [] {},
        [&](std::size_t i) {
            if (i == 0) {
                (void)targets.get("CORE")->try_enter().failure(); // opens it
            } else {
                for (int look = 0; look != 8; ++look) (void)targets.evict_idle();
            }
        },
        [&] {
            const Held core = targets.find("CORE");
            CHECK((core != nullptr && core->breaker().state() == State::open));
            targets.remove("CORE");
        });
}

TEST_CASE(
    "Registry: a target with a call in flight is never evicted, and the bound holds at every moment") {
    constexpr std::size_t most = 8;
    constexpr std::size_t users = 4;
    ManualClock clock;
    Targets targets{{.max_concurrent = users}, {.max_targets = most, .evict_after = 1ns}, clock};
    std::atomic<int> evicted_in_flight{0};
    std::atomic<int> too_many{0};
    std::atomic<int> users_left{users};
    std::atomic<bool> is_over{false};
    race::together(users + 2, [&](std::size_t i) {
        if (i == users) {
            return race::until(is_over, [&] {
                (void)targets.evict_idle();
                (void)targets.evict_idle(1ns);
                clock.advance(1ns);
            });
        }
        if (i > users) {
            return race::until(is_over, [&] {
                for (int look = 0; look != 200; ++look) too_many += targets.size() > most ? 1 : 0;
                if (counted(targets) > most + 1) ++too_many; // by turns: one may go and one come
            });
        }
        for (std::size_t turn = 0; turn != 3000; ++turn) {
            const std::string mine = name_of(turn % 3 == 0 ? i : turn);
            try {
                const Held target = targets.get(mine);
                auto entry = target->try_enter();
                if (targets.get(mine) != target) ++evicted_in_flight;
                (void)entry.success();
            } catch (const std::length_error&) {
                std::this_thread::yield();
            }
        }
        if (--users_left == 0) is_over = true;
    });
    CHECK(evicted_in_flight == 0);
    CHECK(too_many == 0);
    CHECK(targets.size() == counted(targets));
    const std::size_t left = targets.size();
    CHECK(targets.evict_idle() == left); // nothing is in flight, and nobody holds any
    CHECK(targets.size() == 0);
}

TEST_CASE(
    "Registry: a thread that finds all in use but one gets that one's place, however many compete") {
    constexpr std::size_t most = 3;
    Targets targets{{}, {.max_targets = most, .evict_after = std::chrono::hours{1}}};
    std::atomic<int> got_in{0};
    std::array<Held, 4> held;
    race::in_rounds(
        4, 2000,
        [&] {
            targets.get("a")->breaker().trip();
            targets.get("b")->breaker().trip();
            (void)targets.get("idle");
            got_in = 0;
        },
        [&](std::size_t i) {
            try {
                held[i] = targets.get(name_of(i));
                ++got_in;
            } catch (const std::length_error&) {}
        },
        [&] {
            CHECK(got_in == 1);
            CHECK(targets.size() == most);
            for (std::size_t i = 0; i != held.size(); ++i) {
                held[i].reset();
                targets.remove(name_of(i));
            }
        });
}

TEST_CASE("Registry: a function that gives options runs once per name, whatever threads ask, evict and "
          "removes") {
    constexpr std::size_t names = 16;
    for (int round = 0; round != 50; ++round) {
        Targets targets;
        std::array<std::atomic<int>, names> calls{};
        std::array<std::array<Held, names>, 4> got;
        race::together(6, [&](std::size_t i) {
            for (std::size_t turn = 0; turn != names; ++turn) {
                const std::size_t n = (turn + i) % names;
                if (i == 4) {
                    targets.remove("none");
                    (void)targets.evict_idle();
                } else if (i == 5) {
                    (void)counted(targets);
                } else {
                    got[i][n] = targets.get(name_of(n), [&](std::string_view) {
                        ++calls[n];
                        std::this_thread::yield();
                        return TargetOptions<>{.max_concurrent = static_cast<std::uint32_t>(n + 1)};
                    });
                }
            }
        });
        for (std::size_t n = 0; n != names; ++n) {
            CHECK(calls[n] == 1); // all four hold it
            CHECK(got[0][n]->bulkhead().max_concurrent() == n + 1);
            for (const auto& each : got) CHECK(each[n] == got[0][n]);
        }
    }
}

TEST_CASE("Registry: a prefix set while others ask for its names is for all of them, or refused") {
    for (int round = 0; round != 300; ++round) {
        Targets targets;
        std::atomic<bool> was_taken{false};
        std::array<Held, 3> got;
        race::together(4, [&](std::size_t i) {
            if (i > 0) {
                got[i - 1] = targets.get("pay/" + std::to_string(i));
                return;
            }
            try {
                targets.configure_prefix("pay/", {.max_concurrent = 3});
                was_taken = true;
            } catch (const std::logic_error&) {}
        });
        for (const Held& each : got) CHECK(each->bulkhead().max_concurrent() == (was_taken ? 3U : 10U));
    }
}

TEST_CASE(
    "Registry: threads that make, hold, evict, remove, list, configure and listen at once get along") {
    constexpr std::size_t names = 24;
    ManualClock clock;
    Targets targets{{}, {.max_targets = 16, .evict_after = 1ns}, clock};
    std::atomic<int> misnamed{0};
    const auto subscription = targets.on_transition([&](std::string_view name, const Transition&) {
        (void)targets.evict_idle(1ns);
        if (name == name_of(3)) targets.remove(name);
    });
    race::together(8, [&](std::size_t i) {
        for (std::size_t turn = 0; turn != 1000; ++turn) {
            const std::string name = name_of((turn + i) % names);
            try {
                switch (i % 4) {
                case 0: {
                    const auto target = targets.get(name, [&](std::string_view asked) {
                        if (turn % 8 == 0) (void)targets.get(name_of(names)); // another one
                        misnamed += asked == name ? 0 : 1;
                        return TargetOptions<>{};
                    });
                    misnamed += target->name() == name ? 0 : 1;
                    target->breaker().force_open();
                    target->breaker().reset();
                    break;
                }
                case 1:
                    if (turn % 16 == 0) targets.configure(name, {});
                    targets.remove(name);
                    clock.advance(1ns);
                    break;
                case 2:
                    if (const auto target = targets.find(name)) (void)target->call([] {});
                    (void)targets.evict_idle(Nanoseconds{std::chrono::nanoseconds{turn % 2}});
                    break;
                default:
                    targets.for_each([&](const Held& target) {
                        if (turn % 16 == 0) targets.remove(target->name());
                        (void)target->call([] {});
                    });
                }
            } catch (const std::length_error&) { // no room
            } catch (const std::logic_error&) {  // configured too late
            }
        }
    });
    CHECK(misnamed == 0);
    CHECK(targets.size() == counted(targets));
    CHECK(targets.size() <= 16);
}

} // namespace tests::registry_registry_eviction_race
