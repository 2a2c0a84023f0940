// SPDX-License-Identifier: MIT
#include <dashpot/registry/detail/overrides.hpp>

#include "catch.hpp"

#include <stdexcept>
#include <string_view>

namespace tests::registry_detail_overrides {

using Overrides = dashpot::detail::Overrides<int>;

namespace {

constexpr auto nobody = [] {};
constexpr auto none = [](auto&&) {};

dashpot::detail::HashedName key(std::string_view name) { return {name, {1, 2}}; }

int of(const Overrides& overrides, std::string_view name) {
    const auto found = overrides.of(key(name));
    return found ? *found : 0;
}

} // namespace

TEST_CASE("Overrides: a name goes before a prefix, and both are bounded", "[registry]") {
    Overrides overrides{1};
    overrides.set(key("ab"), 1, nobody);
    overrides.set_prefix("a", 2, none);
    CHECK(of(overrides, "ab") == 1);
    CHECK(of(overrides, "abc") == 2);
    CHECK(of(overrides, "b") == 0);
    CHECK_THROWS_AS(overrides.set(key("b"), 3, nobody), std::length_error);
    CHECK_THROWS_AS(overrides.set_prefix("b", 3, none), std::length_error);
    overrides.forget(key("ab"));
    overrides.forget(key("ab"));
    CHECK(of(overrides, "ab") == 2);
    CHECK_NOTHROW(overrides.set(key("b"), 3, nobody));
}

TEST_CASE("Overrides: who is in use is asked before anything is set", "[registry]") {
    Overrides overrides{10};
    CHECK_THROWS_AS(overrides.set(key("a"), 1, [] { throw 42; }), int);
    CHECK(of(overrides, "a") == 0);
    const auto used = [](auto&& check) { check(key("abc")); };
    CHECK_THROWS_AS(overrides.set_prefix("ab", 1, used), std::logic_error);
    CHECK(of(overrides, "ab") == 0);
    overrides.set_prefix("abc", 2, none);
    CHECK_NOTHROW(overrides.set_prefix("ab", 1, used)); // it has a longer one
    CHECK_NOTHROW(overrides.set_prefix("ab", 1, used)); // the same again
    CHECK_THROWS_AS(overrides.set_prefix("ab", 3, none), std::logic_error);
}

} // namespace tests::registry_detail_overrides
