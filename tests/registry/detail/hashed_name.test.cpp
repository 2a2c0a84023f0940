// SPDX-License-Identifier: MIT
#include <dashpot/registry/detail/hashed_name.hpp>

#include "catch.hpp"

#include <string>

namespace tests::registry_detail_hashed_name {

using dashpot::detail::HashedName;
using dashpot::detail::HashKey;
using dashpot::detail::OwnedName;
using ByName = dashpot::detail::ByName<int>;

TEST_CASE("ByName: finds a name by its hash and its bytes, and keeps a copy", "[registry]") {
    ByName values;
    std::string text = "CORE";
    values.try_emplace(OwnedName{HashedName{text, {1, 2}}}, 42);
    text = "CLAIM";
    REQUIRE(values.contains(HashedName{"CORE", {1, 2}}));
    CHECK(values.find(HashedName{"CORE", {1, 2}})->second == 42);
    CHECK_FALSE(values.contains(HashedName{"CLAIM", {1, 2}}));
    CHECK_FALSE(values.contains(HashedName{"CORE", {1, 3}})); // a name has one hash
}

TEST_CASE("ByName: two names of one hash are two names", "[registry]") {
    HashedName core{"CORE", {}};
    HashedName claim{"CLAIM", {}};
    claim.hash = core.hash;
    ByName values;
    values.try_emplace(OwnedName{core}, 1);
    CHECK_FALSE(values.contains(claim));
    values.try_emplace(OwnedName{claim}, 2);
    CHECK(values.find(core)->second == 1);
    CHECK(values.find(claim)->second == 2);
}

} // namespace tests::registry_detail_hashed_name
