// SPDX-License-Identifier: MIT
#include <dashpot/guard/detail/striped_counter.hpp>

#include "catch.hpp"

#include <cstddef>
#include <set>
#include <thread>
#include <vector>

using dashpot::detail::StripedCounter;
using dashpot::detail::thread_number;

TEST_CASE("StripedCounter: counts from nothing", "[guard]") {
    StripedCounter counter;
    CHECK(counter.sum() == 0);
    counter.add();
    counter.add();
    CHECK(counter.sum() == 2);
}

TEST_CASE("StripedCounter: counters do not share their numbers", "[guard]") {
    StripedCounter one;
    const StripedCounter other;
    one.add();
    CHECK(other.sum() == 0);
}

TEST_CASE("StripedCounter: loses nothing of what many threads add, more than it has stripes",
          "[guard]") {
    StripedCounter counter;
    {
        std::vector<std::jthread> threads;
        for (int i = 0; i != 20; ++i) {
            threads.emplace_back([&] {
                for (int n = 0; n != 1000; ++n) counter.add();
            });
        }
    }
    CHECK(counter.sum() == 20'000);
}

TEST_CASE("StripedCounter: gives each stripe a cache line of its own", "[guard]") {
    STATIC_REQUIRE(alignof(StripedCounter) == dashpot::detail::cache_line);
    STATIC_REQUIRE(sizeof(StripedCounter) % dashpot::detail::cache_line == 0);
    STATIC_REQUIRE(sizeof(StripedCounter) / dashpot::detail::cache_line >= 8);
}

TEST_CASE("thread_number: is one thread's own, for as long as it runs", "[guard]") {
    std::vector<std::size_t> numbers(10);
    bool stays = true;
    {
        std::vector<std::jthread> threads;
        for (std::size_t i = 0; i != numbers.size(); ++i) {
            threads.emplace_back([&numbers, i] { numbers[i] = thread_number(); });
        }
    }
    const std::size_t mine = thread_number();
    stays = mine == thread_number();
    CHECK(stays);
    CHECK(std::set<std::size_t>(numbers.begin(), numbers.end()).size() == numbers.size());
}
