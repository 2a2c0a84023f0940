// SPDX-License-Identifier: MIT
#include <dashpot/core/detail/waiting_threads.hpp>

#include "catch.hpp"

#include <thread>
#include <utility>
#include <vector>

namespace tests::core_detail_waiting_threads {

using dashpot::detail::WaitingThreads;
using Id = dashpot::threading::thread_id;

namespace {

/// The ids of three threads that were there together.
std::vector<Id> three_ids() {
    std::vector<std::thread> threads(3);
    std::vector<Id> ids;
    for (std::thread& each : threads) each = std::thread{[] {}};
    for (std::thread& each : threads) ids.push_back(each.get_id());
    for (std::thread& each : threads) each.join();
    return ids;
}

} // namespace

TEST_CASE("WaitingThreads: no thread waits for itself", "[core]") {
    const Id me = dashpot::threading::this_thread_id();
    const int task = 0;
    WaitingThreads::Wait wait{me, me, &task};
    CHECK_FALSE(WaitingThreads::add(wait));
}

TEST_CASE("WaitingThreads: a circle of two or three is not closed", "[core]") {
    const auto ids = three_ids();
    const int a = 0;
    const int b = 0;
    const int c = 0;
    WaitingThreads::Wait first{ids[0], ids[1], &b};
    REQUIRE(WaitingThreads::add(first));
    WaitingThreads::Wait back{ids[1], ids[0], &a};
    CHECK_FALSE(WaitingThreads::add(back));
    WaitingThreads::Wait second{ids[1], ids[2], &c};
    REQUIRE(WaitingThreads::add(second));
    WaitingThreads::Wait third{ids[2], ids[0], &a};
    CHECK_FALSE(WaitingThreads::add(third));
    WaitingThreads::end(&b);
    CHECK(WaitingThreads::add(third)); // a task that has ended closes no circle
    WaitingThreads::end(&a);
    WaitingThreads::end(&c);
}

TEST_CASE("WaitingThreads: several may wait for one task, and go together", "[core]") {
    const auto ids = three_ids();
    const int task = 0;
    const int other = 0;
    WaitingThreads::Wait first{ids[0], ids[2], &task};
    WaitingThreads::Wait second{ids[1], ids[2], &task};
    REQUIRE(WaitingThreads::add(first));
    REQUIRE(WaitingThreads::add(second));
    WaitingThreads::Wait circle{ids[2], ids[1], &other};
    CHECK_FALSE(WaitingThreads::add(circle));
    WaitingThreads::end(&task);
    CHECK(WaitingThreads::add(circle));
    WaitingThreads::end(&other);
}

} // namespace tests::core_detail_waiting_threads
