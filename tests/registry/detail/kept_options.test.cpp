// SPDX-License-Identifier: MIT
#include <dashpot/registry/detail/kept_options.hpp>

#include "catch.hpp"

#include <memory>
#include <string_view>

namespace tests::registry_detail_kept_options {

using Kept = dashpot::detail::KeptOptions;
using dashpot::detail::AnyOptions;
using dashpot::detail::GivenOptions;

namespace {

dashpot::detail::HashedName key(std::string_view name) { return {name, {1, 2}}; }

int number_in(const AnyOptions& options) {
    return options ? *static_cast<const int*>(options.get()) : 0;
}

int of(const Kept& kept, std::string_view name) { return number_in(kept.of(key(name))); }

/// What is dropped; 0 if nothing is.
int keep(Kept& kept, std::string_view name, int value) {
    auto* const given =
        value != 0 ? new GivenOptions{key(name), std::make_shared<const int>(value)} : nullptr;
    const std::unique_ptr<GivenOptions> dropped{kept.replace(key(name), given)};
    return dropped ? number_in(dropped->options) : 0;
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
