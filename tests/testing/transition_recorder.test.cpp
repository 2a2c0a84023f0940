// SPDX-License-Identifier: MIT
#include <dashpot/testing/transition_recorder.hpp>

#include "catch.hpp"

#include <functional>
#include <thread>
#include <vector>

namespace tests::testing_transition_recorder {

using dashpot::State;
using dashpot::Transition;
using dashpot::testing::TransitionRecorder;

namespace {

constexpr Transition opened{.from = State::closed, .to = State::open, .generation = 2};
constexpr Transition probing{.from = State::open, .to = State::half_open, .generation = 3};

} // namespace

TEST_CASE("TransitionRecorder: is empty at first", "[testing]") {
    const TransitionRecorder heard;
    CHECK(heard.entries().empty());
    CHECK(heard.path().empty());
}

TEST_CASE("TransitionRecorder: keeps what it receives in order", "[testing]") {
    TransitionRecorder heard;
    heard(opened);
    heard(probing);
    REQUIRE(heard.entries().size() == 2);
    CHECK(heard.entries()[0].transition.generation == 2);
    CHECK(heard.entries()[1].transition.generation == 3);
    CHECK(heard.entries()[0].target.empty());
    CHECK(heard.path() == "CLOSED->OPEN OPEN->HALF_OPEN");
}

TEST_CASE("TransitionRecorder: names the target where there is a name", "[testing]") {
    TransitionRecorder heard;
    heard("CORE", opened);
    heard("", opened);
    heard("CLAIM", probing);
    CHECK(heard.path() == "CORE:CLOSED->OPEN CLOSED->OPEN CLAIM:OPEN->HALF_OPEN");
    CHECK(heard.entries()[2].target == "CLAIM");
}

TEST_CASE("TransitionRecorder: listens to a breaker and to a registry through a reference",
          "[testing]") {
    TransitionRecorder heard;
    const std::function<void(const Transition&)> of_breaker = std::ref(heard);
    const std::function<void(std::string_view, const Transition&)> of_registry = std::ref(heard);
    of_breaker(opened);
    of_registry("CORE", probing);
    CHECK(heard.path() == "CLOSED->OPEN CORE:OPEN->HALF_OPEN");
}

TEST_CASE("TransitionRecorder: may be called by several threads at once", "[testing]") {
    TransitionRecorder heard;
    {
        std::vector<std::jthread> threads;
        for (int i = 0; i != 4; ++i) {
            threads.emplace_back([&] {
                for (int n = 0; n != 100; ++n) heard(opened);
            });
        }
    }
    CHECK(heard.entries().size() == 400);
}

} // namespace tests::testing_transition_recorder
