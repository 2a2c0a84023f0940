// SPDX-License-Identifier: MIT
#include <dashpot/registry/detail/kept_options.hpp>

#include "catch.hpp"

#include <memory>
#include <string_view>
#include <utility>

namespace tests::registry_detail_kept_options {

using Kept = dashpot::detail::KeptOptions<int>;

namespace {

dashpot::detail::HashedName key(std::string_view name) { return {name, {1, 2}}; }

int of(const Kept& kept, std::string_view name) {
    const auto found = kept.of(key(name));
    return found ? *found : 0;
}

/// What is dropped; 0 if nothing is.
int keep(Kept& kept, std::string_view name, int value) {
    const auto dropped =
        kept.replace(key(name), value != 0 ? std::make_shared<const int>(value) : nullptr);
    return dropped ? *dropped : 0;
}

} // namespace

TEST_CASE("KeptOptions: keeps those of the names that came last, and hands out what it drops",
          "[registry]") {
    Kept kept{2};
    CHECK(keep(kept, "a", 1) == 0);
    CHECK(keep(kept, "b", 2) == 0);
    CHECK(keep(kept, "a", 3) == 1); // a comes last now
    CHECK(keep(kept, "c", 4) == 2);
    CHECK(of(kept, "a") == 3);
    CHECK(of(kept, "b") == 0);
    CHECK(of(kept, "c") == 4);
}

TEST_CASE("KeptOptions: nothing takes the place of what was kept", "[registry]") {
    Kept kept{1};
    CHECK(keep(kept, "a", 0) == 0);
    CHECK(keep(kept, "a", 1) == 0);
    CHECK(keep(kept, "a", 0) == 1);
    CHECK(of(kept, "a") == 0);
    CHECK(keep(kept, "b", 2) == 0); // there is room
    CHECK(of(kept, "b") == 2);
}

} // namespace tests::registry_detail_kept_options
