// SPDX-License-Identifier: MIT
#include <dashpot/guard/bulkhead.hpp>

#include "catch.hpp"

#include <chrono>
#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

namespace tests::guard_bulkhead {

using namespace std::chrono_literals;
using dashpot::Bulkhead;
using dashpot::Error;
using dashpot::Refusal;
using Permit = Bulkhead::Permit;

namespace {

constexpr std::uint32_t most = (std::numeric_limits<std::uint32_t>::max)();

std::vector<Permit> take(Bulkhead& bulkhead, int count) {
    std::vector<Permit> permits;
    for (int i = 0; i != count; ++i) {
        permits.push_back(bulkhead.try_acquire());
        REQUIRE(permits.back());
    }
    return permits;
}

} // namespace

TEST_CASE("Bulkhead: admits up to the limit and refuses the next", "[guard]") {
    for (const int limit : {1, 2, 10}) {
        Bulkhead bulkhead{static_cast<std::uint32_t>(limit)};
        const auto permits = take(bulkhead, limit);
        CHECK(bulkhead.in_flight() == bulkhead.max_concurrent());
        CHECK(bulkhead.available() == 0);
        const Permit refused = bulkhead.try_acquire();
        CHECK_FALSE(refused);
        CHECK(refused.refusal() == Refusal{Error::bulkhead_full});
        CHECK(bulkhead.in_flight() == bulkhead.max_concurrent());
    }
}

TEST_CASE("Bulkhead: a slot is free again with its permit", "[guard]") {
    Bulkhead bulkhead{1};
    {
        const Permit permit = bulkhead.try_acquire();
        CHECK(bulkhead.in_flight() == 1);
    }
    CHECK(bulkhead.in_flight() == 0);
    CHECK(bulkhead.try_acquire());
    CHECK(bulkhead.in_flight() == 0);
}

TEST_CASE("Bulkhead: release() frees the slot once, however often it is called", "[guard]") {
    Bulkhead bulkhead{2};
    auto permits = take(bulkhead, 2);
    permits[0].release();
    CHECK_FALSE(permits[0]);
    permits[0].release();
    CHECK(bulkhead.in_flight() == 1);
    permits.clear();
    CHECK(bulkhead.in_flight() == 0);
}

TEST_CASE("Bulkhead: an unwound stack frees its slots", "[guard]") {
    Bulkhead bulkhead{1};
    try {
        const Permit permit = bulkhead.try_acquire();
        throw 42;
    } catch (int) {}
    CHECK(bulkhead.in_flight() == 0);
}

TEST_CASE("Bulkhead: a permit moves, and frees its slot once", "[guard]") {
    Bulkhead bulkhead{2};
    Permit from = bulkhead.try_acquire();
    Permit to = std::move(from);
    CHECK(to);
    CHECK_FALSE(from); // NOLINT(bugprone-use-after-move): that is the question
    from.release();
    CHECK(bulkhead.in_flight() == 1);
    Permit other = bulkhead.try_acquire();
    to = std::move(other); // gives the first one back
    CHECK(bulkhead.in_flight() == 1);
    Permit& self = to;
    to = std::move(self);
    CHECK(to);
    CHECK(bulkhead.in_flight() == 1);
    to = Permit{};
    CHECK(bulkhead.in_flight() == 0);
}

TEST_CASE("Bulkhead: a permit that was never given holds nothing", "[guard]") {
    Permit nothing;
    CHECK_FALSE(nothing);
    nothing.release();
    CHECK_FALSE(nothing);
}

TEST_CASE("Bulkhead: a limit of 0 is closed for maintenance", "[guard]") {
    Bulkhead bulkhead{0};
    CHECK_FALSE(bulkhead.try_acquire());
    CHECK(bulkhead.max_concurrent() == 0);
    CHECK(bulkhead.available() == 0);
    CHECK(bulkhead.in_flight() == 0);
    bulkhead.resize(1);
    CHECK(bulkhead.try_acquire());
}

TEST_CASE("Bulkhead: takes the largest limit there is", "[guard]") {
    Bulkhead bulkhead{most};
    CHECK(bulkhead.max_concurrent() == most);
    CHECK(bulkhead.available() == most);
    const auto permits = take(bulkhead, 1000);
    CHECK(bulkhead.in_flight() == 1000);
    CHECK(bulkhead.available() == most - 1000);
    CHECK(bulkhead.max_concurrent() == most);
}

TEST_CASE("Bulkhead: resize below what is in flight takes no slot away and admits none", "[guard]") {
    Bulkhead bulkhead{4};
    auto permits = take(bulkhead, 4);
    bulkhead.resize(2);
    CHECK(bulkhead.max_concurrent() == 2);
    CHECK(bulkhead.in_flight() == 4);
    CHECK(bulkhead.available() == 0);
    for (const std::uint32_t left : {3U, 2U}) {
        permits.pop_back();
        CHECK(bulkhead.in_flight() == left);
        CHECK_FALSE(bulkhead.try_acquire());
    }
    permits.pop_back();
    CHECK(bulkhead.available() == 1);
    const Permit next = bulkhead.try_acquire();
    CHECK(next);
    CHECK_FALSE(bulkhead.try_acquire());
}

TEST_CASE("Bulkhead: resize to 0 drains, and back again admits", "[guard]") {
    Bulkhead bulkhead{2};
    auto permits = take(bulkhead, 2);
    bulkhead.resize(0);
    CHECK_FALSE(bulkhead.try_acquire());
    permits.clear();
    CHECK(bulkhead.in_flight() == 0);
    CHECK_FALSE(bulkhead.try_acquire());
    bulkhead.resize(most);
    CHECK(bulkhead.available() == most);
    CHECK(bulkhead.try_acquire());
}

TEST_CASE("Bulkhead: resize upwards makes room at once", "[guard]") {
    Bulkhead bulkhead{1};
    const Permit first = bulkhead.try_acquire();
    CHECK_FALSE(bulkhead.try_acquire());
    bulkhead.resize(2);
    const Permit second = bulkhead.try_acquire();
    CHECK(second);
    CHECK_FALSE(bulkhead.try_acquire());
}

TEST_CASE("Bulkhead: counts what it refuses, and nothing else", "[guard]") {
    Bulkhead bulkhead{1};
    CHECK(bulkhead.refused() == 0);
    {
        const Permit permit = bulkhead.try_acquire();
        CHECK(bulkhead.refused() == 0);
        CHECK_FALSE(bulkhead.try_acquire());
        CHECK_FALSE(bulkhead.try_acquire());
        CHECK(bulkhead.refused() == 2);
    }
    bulkhead.resize(2);
    CHECK(bulkhead.try_acquire());
    CHECK(bulkhead.refused() == 2);
    bulkhead.resize(0);
    CHECK_FALSE(bulkhead.try_acquire());
    CHECK(bulkhead.refused() == 3);
}

TEST_CASE("Bulkhead: refusals and slots are counted on different cache lines", "[guard]") {
    STATIC_REQUIRE(alignof(Bulkhead) == dashpot::detail::cache_line);
    STATIC_REQUIRE(sizeof(Bulkhead) == 2 * dashpot::detail::cache_line);
}

TEST_CASE("Bulkhead: is pinned where it is, and nothing about it throws", "[guard]") {
    STATIC_REQUIRE_FALSE(std::is_copy_constructible_v<Bulkhead>);
    STATIC_REQUIRE_FALSE(std::is_move_constructible_v<Bulkhead>);
    STATIC_REQUIRE_FALSE(std::is_convertible_v<std::uint32_t, Bulkhead>);
    STATIC_REQUIRE_FALSE(std::is_copy_constructible_v<Permit>);
    STATIC_REQUIRE_FALSE(std::is_convertible_v<Permit, bool>);
    STATIC_REQUIRE(std::is_nothrow_move_constructible_v<Permit>);
    STATIC_REQUIRE(std::is_nothrow_move_assignable_v<Permit>);
    STATIC_REQUIRE(requires(Bulkhead& bulkhead, const Bulkhead& read, Permit& permit) {
        { bulkhead.try_acquire() } noexcept -> std::same_as<Permit>;
        { bulkhead.resize(1U) } noexcept;
        { read.in_flight() } noexcept -> std::same_as<std::uint32_t>;
        { read.available() } noexcept -> std::same_as<std::uint32_t>;
        { read.max_concurrent() } noexcept -> std::same_as<std::uint32_t>;
        { read.refused() } noexcept -> std::same_as<std::uint64_t>;
        { permit.release() } noexcept;
    });
}

TEST_CASE("SlotToTake: takes a slot or counts a refusal, and only looks when asked to", "[guard]") {
    Bulkhead hull{1};
    Bulkhead::Permit slot;
    dashpot::detail::SlotToTake wanted{hull, slot};
    CHECK_FALSE(wanted.is_none_left());
    bool is_called = false;
    CHECK(wanted.take_after([&] { is_called = hull.in_flight() == 0; }));
    CHECK(is_called);
    CHECK(slot);
    CHECK(wanted.is_none_left());
    CHECK(hull.refused() == 0);

    Bulkhead::Permit other;
    dashpot::detail::SlotToTake late{hull, other};
    CHECK_FALSE(late.take());
    CHECK_FALSE(other);
    CHECK(hull.refused() == 1);
    late.count_refused();
    CHECK(hull.refused() == 2);
    CHECK(hull.in_flight() == 1);
}

} // namespace tests::guard_bulkhead
