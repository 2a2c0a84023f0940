// SPDX-License-Identifier: MIT
#include <dashpot/adapter/transition_counter.hpp>

#include <dashpot/registry/registry.hpp>
#include <dashpot/testing/manual_clock.hpp>

#include "guard/breaker_support.hpp"

#include <chrono>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace tests::adapter_transition_counter {

using dashpot::Removal;
using dashpot::State;
using dashpot::Transition;
using dashpot::TransitionCounter;
using dashpot::TransitionCounts;

namespace {

constexpr Transition opened{.from = State::closed, .to = State::open, .generation = 2};
constexpr Transition probed{.from = State::open, .to = State::half_open, .generation = 3};

/// Those that have not left.
std::string names_of(const TransitionCounter& changes) {
    std::string names;
    changes.for_each(
        [&](std::string_view name, const TransitionCounts&) { names.append(name) += ' '; });
    return names;
}

} // namespace

TEST_CASE("TransitionCounter: counts by name and by both states", "[adapter]") {
    TransitionCounter changes;
    changes("CORE", opened);
    changes("CORE", opened);
    changes("CORE", probed);
    changes("CLAIM", opened);
    CHECK(changes.counts("CORE").at(State::closed, State::open) == 2);
    CHECK(changes.counts("CORE").at(State::open, State::half_open) == 1);
    CHECK(changes.counts("CORE").at(State::open, State::closed) == 0);
    CHECK(changes.counts("CLAIM").at(State::closed, State::open) == 1);
    CHECK(changes.counts("PAY") == TransitionCounts{});
    CHECK(changes.lost() == 0);
}

TEST_CASE("TransitionCounter: counts all targets of a registry", "[adapter]") {
    dashpot::testing::ManualClock clock;
    dashpot::Registry<dashpot::testing::ManualClock> targets{{.policy = {.threshold = 1}}, {}, clock};
    TransitionCounter changes;
    const auto counting = targets.on_transition(std::ref(changes));
    auto& breaker = targets.get("CORE")->breaker();
    support::fail(breaker);
    clock.advance(breaker.retry_after());
    support::succeed(breaker);
    CHECK(changes.counts("CORE").at(State::closed, State::open) == 1);
    CHECK(changes.counts("CORE").at(State::open, State::half_open) == 1);
    CHECK(changes.counts("CORE").at(State::half_open, State::closed) == 1);
}

TEST_CASE("TransitionCounter: keeps every pair of states apart", "[adapter]") {
    TransitionCounter changes;
    for (int from = 0; from != 6; ++from)
        for (int to = 0; to != 6; ++to)
            for (int i = 0; i != 10 * from + to; ++i)
                changes("CORE", {.from = static_cast<State>(from), .to = static_cast<State>(to)});
    const auto counts = changes.counts("CORE");
    for (int from = 0; from != 6; ++from)
        for (int to = 0; to != 6; ++to)
            CHECK(counts.at(static_cast<State>(from), static_cast<State>(to)) ==
                  static_cast<std::uint64_t>(10 * from + to));
}

TEST_CASE("TransitionCounter: a name that left makes room, and goes on if it comes back before",
          "[adapter]") {
    TransitionCounter changes{3};
    for (const char* name : {"A", "B", "C"}) changes(name, opened);
    changes.on_removal("B", Removal::evicted);
    changes.on_removal("A", Removal::removed);
    changes.on_removal("A", Removal::removed); // of a target that never changed
    changes.on_removal("never heard of", Removal::removed);
    CHECK(names_of(changes) == "C ");
    changes("D", opened); // in place of B, which left first
    CHECK(changes.counts("B") == TransitionCounts{});
    changes("A", opened);
    CHECK(changes.counts("A").at(State::closed, State::open) == 2);
    CHECK(names_of(changes) == "A C D ");
    changes.on_removal("C", Removal::evicted);
    changes("B", opened); // made again
    CHECK(changes.counts("B").at(State::closed, State::open) == 1);
    CHECK(names_of(changes) == "A B D ");
    CHECK(changes.lost() == 0);
}

TEST_CASE(
    "TransitionCounter: if no name has left, the one that changed least lately makes room, and its "
    "changes are lost",
    "[adapter]") {
    TransitionCounter changes{2};
    changes("A", opened);
    changes("B", opened);
    changes("A", opened);
    CHECK(changes.lost() == 0);
    changes("C", opened);
    CHECK(names_of(changes) == "A C ");
    CHECK(changes.counts("A").at(State::closed, State::open) == 2);
    CHECK(changes.lost() == 1);

    SECTION("a name whose earlier changes may be lost is not counted from the middle") {
        changes("B", probed);
        CHECK(changes.counts("B") == TransitionCounts{});
        CHECK(names_of(changes) == "A C ");
        CHECK(changes.lost() == 2);
    }
    SECTION("a new target is counted from its first change") {
        changes("B", opened);
        CHECK(changes.counts("B").at(State::closed, State::open) == 1);
        CHECK(changes.lost() == 3); // those of A
    }
    SECTION("room can be made by hand") {
        CHECK(changes.forget("A"));
        CHECK_FALSE(changes.forget("A"));
        changes("B", opened);
        CHECK(names_of(changes) == "B C ");
        CHECK(changes.lost() == 1);
    }
}

TEST_CASE("TransitionCounter: names without end never fill it", "[adapter]") {
    dashpot::testing::ManualClock clock;
    dashpot::Registry<dashpot::testing::ManualClock> targets{
        {.policy = {.threshold = 1}}, {.max_targets = 10, .evict_after = std::chrono::hours{1}}, clock};
    TransitionCounter changes{10};
    const auto counting = targets.on_transition(std::ref(changes));
    for (int i = 0; i != 1000; ++i) {
        const auto tenant = targets.get("tenant/" + std::to_string(i));
        tenant->breaker().trip();
        tenant->breaker().reset();
        CHECK(changes.counts(tenant->name()).at(State::closed, State::open) == 1);
    }
    CHECK(changes.lost() == 0);
}

TEST_CASE("TransitionCounter: refuses a bound of 0", "[adapter]") {
    CHECK(support::message_of([] { TransitionCounter{0}; }) ==
          "TransitionCounter: max_names is 0, must be 1 or more");
}

TEST_CASE("TransitionCounter: shows every name, to a function that may call it", "[adapter]") {
    TransitionCounter changes;
    changes("B", opened);
    changes("A", opened);
    std::vector<std::string> names;
    changes.for_each([&](std::string_view name, const TransitionCounts& counts) {
        names.emplace_back(name);
        CHECK(counts == changes.counts(name));
        changes.forget(name);
    });
    CHECK(names == std::vector<std::string>{"A", "B"});
    CHECK(changes.counts("A") == TransitionCounts{});
}

TEST_CASE("TransitionCounter: threads lose nothing", "[adapter]") {
    TransitionCounter changes;
    std::vector<std::thread> threads;
    for (int i = 0; i != 4; ++i) {
        threads.emplace_back([&, name = i % 2 == 0 ? "A" : "B"] {
            for (int turn = 0; turn != 1000; ++turn) changes(name, opened);
        });
    }
    for (std::thread& thread : threads) thread.join();
    CHECK(changes.counts("A").at(State::closed, State::open) == 2000);
    CHECK(changes.counts("B").at(State::closed, State::open) == 2000);
}

} // namespace tests::adapter_transition_counter
