// SPDX-License-Identifier: MIT
#include <dashpot/guard/detail/call_stripes.hpp>

#include "catch.hpp"

#include <cstdint>
#include <thread>
#include <vector>

namespace tests::guard_detail_call_stripes {

using CallStripes = dashpot::detail::CallStripes<8>;

namespace {

bool leave(CallStripes& stripes) {
    return stripes.leave_success([] { return true; });
}

} // namespace

TEST_CASE("CallStripes: count refused and ignored calls apart, from nothing", "[guard]") {
    CallStripes stripes;
    CHECK(stripes.refused() == 0);
    CHECK(stripes.ignored() == 0);
    stripes.count_refused();
    stripes.count_refused();
    stripes.count_ignored();
    CHECK(stripes.refused() == 2);
    CHECK(stripes.ignored() == 1);
}

TEST_CASE("CallStripes: lose nothing of what many threads count, more than there are stripes",
          "[guard]") {
    CallStripes stripes;
    {
        std::vector<std::jthread> threads;
        for (int i = 0; i != 20; ++i) {
            threads.emplace_back([&] {
                for (int n = 0; n != 1000; ++n) stripes.count_refused();
            });
        }
    }
    CHECK(stripes.refused() == 20'000);
}

TEST_CASE("CallStripes: take a success only while they are open", "[guard]") {
    CallStripes stripes;
    CHECK_FALSE(leave(stripes));
    stripes.open();
    CHECK(leave(stripes));
    CHECK(leave(stripes));
    CHECK(stripes.collect() == 2);
    CHECK_FALSE(leave(stripes));
    CHECK(stripes.collect() == 0);
    stripes.open();
    CHECK(leave(stripes));
    CHECK(stripes.collect() == 1);
    stripes.stay_shut();
    CHECK(stripes.collect() == 0);
}

TEST_CASE("CallStripes: take no success that is not allowed", "[guard]") {
    CallStripes stripes;
    stripes.open();
    CHECK_FALSE(stripes.leave_success([] { return false; }));
    CHECK(stripes.collect() == 0);
}

TEST_CASE("CallStripes: take no success from a thread that looked before they were shut", "[guard]") {
    CallStripes stripes;
    stripes.open();
    int looks = 0;
    CHECK_FALSE(stripes.leave_success([&] {
        if (++looks != 1)
            return false; // it looks again, since the first look was of an earlier opening
        CHECK(stripes.collect() == 0);
        stripes.open();
        return true;
    }));
    CHECK(looks == 2);
    CHECK(stripes.collect() == 0);
}

TEST_CASE("CallStripes: what a thread left in an earlier opening is no reason to refuse the next",
          "[guard]") {
    CallStripes stripes;
    for (std::uint64_t round = 0; round != 300; ++round) {
        stripes.open();
        for (std::uint64_t i = 0; i != round % 4; ++i) CHECK(leave(stripes));
        CHECK(stripes.collect() == round % 4);
        CHECK_FALSE(leave(stripes)); // shut, whatever was left here last
    }
}

TEST_CASE("CallStripes: a full stripe sends its thread to the lock, and is emptied there", "[guard]") {
    CallStripes stripes;
    stripes.open();
    std::uint64_t left = 0;
    while (leave(stripes)) ++left;
    CHECK(left == 255);
    CHECK(stripes.collect() == left);
    stripes.open();
    CHECK(leave(stripes));
}

TEST_CASE("CallStripes: give each stripe a cache line of its own", "[guard]") {
    STATIC_REQUIRE(alignof(CallStripes) == dashpot::detail::cache_line);
    STATIC_REQUIRE(sizeof(CallStripes) / dashpot::detail::cache_line >= 8);
}

} // namespace tests::guard_detail_call_stripes
