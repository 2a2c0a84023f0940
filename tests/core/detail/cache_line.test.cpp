// SPDX-License-Identifier: MIT
#include <dashpot/core/detail/cache_line.hpp>

#include "catch.hpp"

#include <bit>

namespace tests::core_detail_cache_line {

TEST_CASE("cache_line: is a valid alignment, and the same for each compiler", "[core]") {
    STATIC_REQUIRE(std::has_single_bit(dashpot::detail::cache_line));
    STATIC_REQUIRE(dashpot::detail::cache_line == 64);
    struct alignas(dashpot::detail::cache_line) Alone {
        char value;
    };
    STATIC_REQUIRE(sizeof(Alone) == dashpot::detail::cache_line);
}

} // namespace tests::core_detail_cache_line
