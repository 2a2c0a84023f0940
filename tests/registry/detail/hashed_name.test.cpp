// SPDX-License-Identifier: MIT
#include <dashpot/registry/detail/hashed_name.hpp>

#include "catch.hpp"

namespace tests::registry_detail_hashed_name {

using dashpot::detail::HashedName;
using dashpot::detail::HashKey;
using dashpot::detail::keyed_hash;

TEST_CASE("HashedName: has the hash of its name, by the given key", "[registry]") {
    const HashedName core{"CORE", HashKey{1, 2}};
    CHECK(core.name == "CORE");
    CHECK(core.hash == keyed_hash("CORE", {1, 2}));
    CHECK(core.hash != HashedName{"CORE", HashKey{1, 3}}.hash);
    CHECK(HashedName{"CORE", 42}.hash == 42);
}

} // namespace tests::registry_detail_hashed_name
