// SPDX-License-Identifier: MIT
#include <dashpot/registry/detail/turn.hpp>

#include "catch.hpp"

#include <optional>
#include <stdexcept>
#include <thread>

namespace tests::registry_detail_turn {

using dashpot::detail::Turn;
using dashpot::detail::Turns;

TEST_CASE("Turn: one has it, until it ends, and others have that of other names", "[registry]") {
    Turns turns;
    CHECK_FALSE(turns.contains("a"));
    {
        const Turn first{turns, "a"};
        CHECK(first.is_mine());
        CHECK(turns.contains("a"));
        const Turn second{turns, "a"};
        CHECK_FALSE(second.is_mine());
        const Turn other{turns, "b"};
        CHECK(other.is_mine());
        CHECK(turns.names().size() == 2);
    }
    CHECK(turns.names().empty());
    const Turn again{turns, "a"};
    CHECK(again.is_mine());
}

TEST_CASE("Turn: to wait for one's own is an error", "[registry]") {
    Turns turns;
    const Turn mine{turns, "a"};
    Turn same{turns, "a"};
    CHECK_THROWS_AS(same.wait(), std::logic_error);
}

TEST_CASE("Turn: a wait for one that is over returns at once", "[registry]") {
    Turns turns;
    std::optional<Turn> mine;
    mine.emplace(turns, "a");
    Turn other{turns, "a"};
    mine.reset();
    other.wait();
    CHECK_FALSE(other.is_mine());
}

TEST_CASE("Turn: who waits goes on when it ends", "[registry]") {
    Turns turns;
    std::optional<Turn> mine;
    mine.emplace(turns, "a");
    bool is_over = false;
    std::jthread waiting{[&] {
        Turn other{turns, "a"};
        if (!other.is_mine()) other.wait();
        is_over = true;
    }};
    mine.reset();
    waiting.join();
    CHECK(is_over);
}

} // namespace tests::registry_detail_turn
