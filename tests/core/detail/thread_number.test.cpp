// SPDX-License-Identifier: MIT
#include <dashpot/core/detail/thread_number.hpp>

#include "catch.hpp"

#include <cstddef>
#include <set>
#include <thread>
#include <vector>

namespace tests::core_detail_thread_number {

using dashpot::detail::thread_number;

TEST_CASE("thread_number: is one thread's own, for as long as it runs", "[core]") {
    std::vector<std::size_t> numbers(10);
    {
        std::vector<std::jthread> threads;
        for (std::size_t i = 0; i != numbers.size(); ++i) {
            threads.emplace_back([&numbers, i] { numbers[i] = thread_number(); });
        }
    }
    const std::size_t mine = thread_number();
    CHECK(mine != 0);
    CHECK(mine == thread_number());
    numbers.push_back(mine);
    CHECK(std::set<std::size_t>(numbers.begin(), numbers.end()).size() == numbers.size());
}

} // namespace tests::core_detail_thread_number
