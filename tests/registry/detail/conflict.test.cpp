// SPDX-License-Identifier: MIT
#include <dashpot/registry/detail/conflict.hpp>

#include "catch.hpp"

#include <string>

namespace tests::registry_detail_conflict {

using dashpot::detail::conflict;

namespace {
struct Unwritable {};
} // namespace

TEST_CASE("conflict: shows both where they can be written, and says so where not", "[registry]") {
    CHECK(std::string{conflict("\"a\"", 1, 2).what()} == "\"a\" was given 1 before, and now 2");
    CHECK(std::string{conflict("\"a\"", Unwritable{}, Unwritable{}).what()} ==
          "\"a\" was given other options before; they cannot be shown, for the policy has no <<");
}

} // namespace tests::registry_detail_conflict
