// SPDX-License-Identifier: MIT
#include <dashpot/core/detail/process_chance.hpp>

#include "catch.hpp"

#include <cstdint>
#include <set>

namespace tests::core_detail_process_chance {

using dashpot::detail::process_chance;

TEST_CASE("process_chance: goes on with the time", "[core]") {
    const std::uint64_t first = process_chance();
    std::set<std::uint64_t> seen{first};
    for (int i = 0; i != 10'000'000 && seen.size() == 1; ++i) seen.insert(process_chance());
    CHECK(seen.size() == 2);
}

} // namespace tests::core_detail_process_chance
