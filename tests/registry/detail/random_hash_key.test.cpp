// SPDX-License-Identifier: MIT
#include <dashpot/registry/detail/random_hash_key.hpp>

#include "catch.hpp"

#include <array>
#include <cstdint>

namespace tests::registry_detail_random_hash_key {

using dashpot::detail::derived_key;
using dashpot::detail::HashKey;
using dashpot::detail::random_hash_key;

TEST_CASE("random_hash_key: no two registries have one, not even in the same place", "[registry]") {
    const int owner = 0;
    const HashKey first = random_hash_key(&owner);
    const HashKey second = random_hash_key(&owner);
    CHECK(first.first != second.first);
    CHECK(first.second != second.second);
    CHECK(first.first != first.second);
}

TEST_CASE("derived_key: depends on each word and on the key", "[registry]") {
    using Words = std::array<std::uint64_t, 2>;
    STATIC_REQUIRE(derived_key(Words{1, 2}, {3, 4}) == derived_key(Words{1, 2}, {3, 4}));
    STATIC_REQUIRE(derived_key(Words{1, 2}, {3, 4}) != derived_key(Words{0, 2}, {3, 4}));
    STATIC_REQUIRE(derived_key(Words{1, 2}, {3, 4}) != derived_key(Words{1, 0}, {3, 4}));
    STATIC_REQUIRE(derived_key(Words{1, 2}, {3, 4}) != derived_key(Words{1, 2}, {0, 4}));
    STATIC_REQUIRE(derived_key(Words{1, 2}, {3, 4}) != derived_key(Words{1, 2}, {3, 0}));
}

} // namespace tests::registry_detail_random_hash_key
