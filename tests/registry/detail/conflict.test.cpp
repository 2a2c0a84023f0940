// SPDX-License-Identifier: MIT
#include <dashpot/registry/detail/conflict.hpp>

#include "catch.hpp"

namespace tests::registry_detail_conflict {

using dashpot::detail::check_same_options;

namespace {
struct Unwritable {
    int value;
    friend bool operator==(const Unwritable&, const Unwritable&) = default;
};
} // namespace

TEST_CASE("check_same_options: shows both where they can be written, and says so where not",
          "[registry]") {
    CHECK_NOTHROW(check_same_options("target", "a", 1, 1));
    CHECK_THROWS_WITH(check_same_options("target", "a", 1, 2),
                      "target \"a\" was given 1 before, and now 2");
    CHECK_NOTHROW(check_same_options("target", "a", Unwritable{1}, Unwritable{1}));
    CHECK_THROWS_WITH(
        check_same_options("target", "a", Unwritable{1}, Unwritable{2}),
        "target \"a\" was given other options before; they cannot be shown, for the policy has no <<");
}

} // namespace tests::registry_detail_conflict
