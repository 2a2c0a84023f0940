// SPDX-License-Identifier: MIT
// One registry in many hands: each target is made once, the bound holds, and who listens hears all of
// it.
#include "catch.hpp"
#include "guard/race.hpp"

#include <dashpot/registry/registry.hpp>
#include <dashpot/testing/manual_clock.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace tests::registry_registry_race {

namespace {

using namespace dashpot;
using testing::ManualClock;
using Targets = Registry<ManualClock>;

std::string name_of(std::size_t i) { return "target-" + std::to_string(i); }

/// Makes each target fail once and recover by command: two transitions.
void cycle(Targets::target_type& target) {
    target.breaker().force_open();
    target.breaker().reset();
}

} // namespace

TEST_CASE("Registry: a name that many ask for at once gets one target") {
    constexpr std::size_t threads = 16;
    constexpr std::size_t names = 100;
    for (int round = 0; round != 20; ++round) {
        Targets targets;
        std::array<std::vector<std::shared_ptr<Targets::target_type>>, threads> got;
        race::together(threads, [&](std::size_t i) {
            for (std::size_t n = 0; n != names; ++n)
                got[i].push_back(targets.get(name_of((n + i) % names)));
        });
        CHECK(targets.size() == names);
        std::set<const void*> distinct;
        int misnamed = 0;
        for (std::size_t i = 0; i != threads; ++i) {
            for (std::size_t n = 0; n != names; ++n) {
                distinct.insert(got[i][n].get());
                misnamed += got[i][n]->name() == name_of((n + i) % names) ? 0 : 1;
            }
        }
        CHECK(distinct.size() == names);
        CHECK(misnamed == 0);
    }
}

// resilience4j/resilience4j#2243, diegosouzapw/OmniRoute#4114
TEST_CASE("Registry: the bound holds at every moment, and a name that finds room gets in") {
    constexpr std::size_t most = 8;
    Targets targets{{}, {.max_targets = most}};
    std::atomic<int> too_many{0};
    std::atomic<int> turned_away{0};
    std::atomic<bool> is_over{false};
    std::atomic<int> users{6};
    race::together(7, [&](std::size_t i) {
        if (i == 6) {
            return race::until(is_over, [&] {
                for (int look = 0; look != 200; ++look) too_many += targets.size() > most ? 1 : 0;
            });
        }
        for (std::size_t turn = 0; turn != 5000; ++turn) {
            const std::string name = name_of((turn * 7 + i * 3) % 12);
            try {
                (void)targets.get(name);
            } catch (const std::length_error&) {
                ++turned_away;
            }
            if (turn % 3 == 0) targets.remove(name);
        }
        if (--users == 0) is_over = true;
    });
    CHECK(too_many == 0);
    CHECK(turned_away > 0);
    std::size_t counted = 0;
    targets.for_each([&](const Targets::target_type&) { ++counted; });
    CHECK(targets.size() == counted);
    CHECK(counted <= most);
}

TEST_CASE("Registry: as long as there is room for all, none is refused") {
    constexpr std::size_t most = 6; // one each for five that come and go, and one that is always in use
    Targets targets{{}, {.max_targets = most}};
    std::atomic<int> turned_away{0};
    (void)targets.get("always");
    race::together(6, [&](std::size_t i) {
        for (int turn = 0; turn != 5000; ++turn) {
            try {
                if (i == 5) {
                    (void)targets.get("always");
                } else {
                    (void)targets.get(name_of(i));
                    targets.remove(name_of(i));
                }
            } catch (const std::length_error&) {
                ++turned_away;
            }
        }
    });
    CHECK(turned_away == 0);
    CHECK(targets.size() == 1);
}

TEST_CASE("Registry: a name that is refused takes no room from others") {
    constexpr std::size_t most = 4;
    Targets targets{{}, {.max_targets = most}};
    std::atomic<int> strangers{0}; // who found the place that is free for a moment
    std::atomic<bool> was_turned_away{false};
    std::atomic<bool> is_over{false};
    const auto has_found_room = [&](std::size_t i) {
        try {
            (void)targets.get(name_of(i));
            return true;
        } catch (const std::length_error&) {
            return false;
        }
    };
    race::in_rounds(
        4, 2000,
        [&] {
            for (std::size_t i = 0; i != most; ++i) (void)targets.get(name_of(i));
            strangers = 0;
            was_turned_away = false;
            is_over = false;
        },
        [&](std::size_t i) {
            if (i > 0) {
                race::until(is_over, [&] {
                    if (strangers == 0 && has_found_room(most + i)) ++strangers;
                });
                return;
            }
            for (int turn = 0; turn != 10 && !was_turned_away; ++turn) {
                targets.remove(name_of(0));
                was_turned_away = !has_found_room(0);
            }
            is_over = true;
        },
        [&] {
            if (was_turned_away) CHECK(strangers == 1);
            CHECK(targets.size() <= most);
            for (std::size_t i = 1; i != 4; ++i) targets.remove(name_of(most + i));
        });
}

TEST_CASE("Registry: every transition of every target is delivered once, in order, one at a time") {
    constexpr std::size_t threads = 6;
    constexpr std::size_t names = 10;
    constexpr int turns = 300;
    Targets targets;
    for (std::size_t n = 0; n != names / 2; ++n)
        (void)targets.get(name_of(n)); // half of them are there before
    std::map<std::string, std::vector<Transition>, std::less<>> heard;
    std::atomic<int> at_once{0};
    std::atomic<int> running{0};
    const auto subscription = targets.on_transition([&](std::string_view name, const Transition& move) {
        at_once += running++ == 0 ? 0 : 1;
        heard[std::string{name}].push_back(move);
        --running;
    });
    race::together(threads, [&](std::size_t i) {
        for (int turn = 0; turn != turns; ++turn) {
            cycle(*targets.get(name_of((static_cast<std::size_t>(turn) + i) % names)));
            const auto guest = targets.on_transition([](std::string_view, const Transition&) {});
        }
    });
    CHECK(at_once == 0);
    CHECK(heard.size() == names);
    for (const auto& [name, moves] : heard) {
        int wrong = 0;
        State state = State::closed;
        std::uint64_t generation = 1;
        for (const Transition& move : moves) {
            wrong += move.from == state && move.generation > generation && move.from != move.to ? 0 : 1;
            state = move.to;
            generation = move.generation;
        }
        CHECK(wrong == 0);
        CHECK(state == State::closed);
        CHECK(moves.size() > 1);
        CHECK(moves.back().generation <= targets.get(name)->breaker().snapshot().generation);
    }
}

TEST_CASE("Registry: threads that make, find, remove, list and listen at once get along") {
    constexpr std::size_t names = 16;
    Targets targets;
    std::atomic<int> misnamed{0};
    std::atomic<int> heard{0};
    const auto subscription = targets.on_transition([&](std::string_view name, const Transition&) {
        ++heard;
        if (heard % 8 == 0) targets.remove(name); // a listener may use the registry
        (void)targets.find(name);
        if (heard % 64 == 0) (void)targets.get(name);
    });
    race::together(8, [&](std::size_t i) {
        for (std::size_t turn = 0; turn != 2000; ++turn) {
            const std::string name = name_of((turn + i) % names);
            switch (i % 4) {
            case 0: {
                const auto target = targets.get(name);
                misnamed += target->name() == name ? 0 : 1;
                cycle(*target);
                break;
            }
            case 1: targets.remove(name); break;
            case 2:
                if (const auto target = targets.find(name)) cycle(*target);
                break;
            default:
                targets.for_each([&](const std::shared_ptr<Targets::target_type>& target) {
                    if (turn % 16 == 0) targets.remove(target->name());
                    (void)target->call([] {});
                });
            }
        }
    });
    CHECK(misnamed == 0);
    CHECK(heard > 0);
    CHECK(targets.size() <= names);
    std::size_t counted = 0;
    targets.for_each([&](const Targets::target_type&) { ++counted; });
    CHECK(targets.size() == counted);
}

// envoyproxy/envoy#45923
TEST_CASE(
    "Registry: a removed target's events are delivered no more, and it stays alive where it is held") {
    Targets targets;
    std::atomic<int> heard{0};
    const auto subscription =
        targets.on_transition([&](std::string_view, const Transition&) { ++heard; });
    std::shared_ptr<Targets::target_type> target;
    race::in_rounds(
        2, 1000, [&] { target = targets.get("CORE"); },
        [&](std::size_t i) {
            if (i == 0) {
                targets.remove("CORE");
            } else {
                for (int turn = 0; turn != 8; ++turn) cycle(*target);
            }
        },
        [&] {
            const int before = heard;
            cycle(*target);
            CHECK(heard == before);
            CHECK(targets.size() == 0);
        });
    CHECK(target->call([] { return 7; }).value() == 7);
}

TEST_CASE("Registry: it may end while its targets and their listeners stay alive") {
    std::unique_ptr<Targets> targets;
    std::shared_ptr<Targets::target_type> target;
    std::optional<Subscription> subscription;
    std::atomic<int> heard{0};
    race::in_rounds(
        3, 1000,
        [&] {
            targets = std::make_unique<Targets>();
            target = targets->get("CLAIM");
            subscription =
                targets->on_transition([&](std::string_view, const Transition&) { ++heard; });
        },
        [&](std::size_t i) {
            if (i == 0) targets.reset();
            if (i == 1) subscription.reset();
            if (i == 2) cycle(*target);
        },
        [&] {
            const int before = heard;
            cycle(*target);
            CHECK(heard == before);
        });
}

TEST_CASE(
    "Registry: a name configured while others ask for it is used with one set of options, or refused") {
    for (int round = 0; round != 300; ++round) {
        Targets targets;
        std::atomic<bool> was_taken{false};
        std::array<std::shared_ptr<Targets::target_type>, 3> got;
        race::together(4, [&](std::size_t i) {
            if (i > 0) {
                got[i - 1] = targets.get("CORE");
                return;
            }
            try {
                targets.configure("CORE", {.max_concurrent = 3});
                was_taken = true;
            } catch (const std::logic_error&) {}
        });
        CHECK(got[0]->bulkhead().max_concurrent() == (was_taken ? 3U : 10U));
        CHECK((got[0] == got[1] && got[1] == got[2]));
    }
}

} // namespace tests::registry_registry_race
