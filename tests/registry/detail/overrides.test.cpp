// SPDX-License-Identifier: MIT
#include <dashpot/registry/detail/overrides.hpp>

#include "catch.hpp"

#include <memory>
#include <stdexcept>
#include <string_view>

namespace tests::registry_detail_overrides {

using dashpot::detail::AnyOptions;
using dashpot::detail::Overrides;

namespace {

constexpr auto nobody = [] {};
constexpr auto none = [](auto&&) {};

dashpot::detail::HashedName key(std::string_view name) { return {name, {1, 2}}; }

AnyOptions number(int value) { return std::make_shared<const int>(value); }
int number_in(const AnyOptions& options) {
    return options ? *static_cast<const int*>(options.get()) : 0;
}

int of(const Overrides& overrides, std::string_view name) { return number_in(overrides.of(key(name))); }

} // namespace

TEST_CASE("Overrides: a name goes before a prefix, and both are bounded", "[registry]") {
    Overrides overrides{1};
    overrides.set(key("ab"), number(1), nobody);
    overrides.set_prefix("a", number(2), none);
    CHECK(of(overrides, "ab") == 1);
    CHECK(of(overrides, "abc") == 2);
    CHECK(of(overrides, "b") == 0);
    CHECK_THROWS_AS(overrides.set(key("b"), number(3), nobody), std::length_error);
    CHECK_THROWS_AS(overrides.set_prefix("b", number(3), none), std::length_error);
    overrides.forget(key("ab"));
    overrides.forget(key("ab"));
    CHECK(of(overrides, "ab") == 2);
    CHECK_NOTHROW(overrides.set(key("b"), number(3), nobody));
}

TEST_CASE("Overrides: a client in use is asked before anything is set", "[registry]") {
    Overrides overrides{10};
    CHECK_THROWS_AS(overrides.set(key("a"), number(1), [] { throw 42; }), int);
    CHECK(of(overrides, "a") == 0);
    const auto used = [](auto&& check) { check(key("abc")); };
    CHECK_THROWS_AS(overrides.set_prefix("ab", number(1), used), std::logic_error);
    CHECK(of(overrides, "ab") == 0);
    overrides.set_prefix("abc", number(2), none);
    CHECK(overrides.set_prefix("ab", number(1), used) == nullptr); // it has a longer one
}

TEST_CASE("Overrides: what is set already stays, and is returned", "[registry]") {
    Overrides overrides{1};
    CHECK(overrides.set(key("a"), number(1), nobody) == nullptr);
    CHECK(overrides.set_prefix("b", number(2), none) == nullptr);
    CHECK(number_in(overrides.set(key("a"), number(3), nobody)) == 1);
    CHECK(number_in(overrides.set_prefix("b", number(4), none)) == 2);
    CHECK(of(overrides, "a") == 1);
    CHECK(of(overrides, "bc") == 2);
}

} // namespace tests::registry_detail_overrides
