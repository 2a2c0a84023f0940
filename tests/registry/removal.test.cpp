// SPDX-License-Identifier: MIT
#include <dashpot/registry/removal.hpp>

#include "catch.hpp"

#include <functional>
#include <sstream>
#include <string_view>

namespace tests::registry_removal {

using dashpot::Removal;
using dashpot::Transition;

namespace {

struct Listener {
    void operator()(std::string_view, const Transition&) {}
};

struct Observer : Listener {
    void on_removal(std::string_view, Removal) {}
};

} // namespace

TEST_CASE("Removal: has the names of its enumerators", "[registry]") {
    CHECK(to_string(Removal::evicted) == "evicted");
    CHECK(to_string(Removal::removed) == "removed");
    CHECK(to_string(static_cast<Removal>(9)) == "unknown");
    std::ostringstream out;
    out << Removal::removed;
    CHECK(out.str() == "removed");
}

TEST_CASE("TargetObserver: needs both functions, and takes no lambda for one", "[registry]") {
    STATIC_REQUIRE(dashpot::TargetObserver<Observer>);
    STATIC_REQUIRE_FALSE(dashpot::TargetObserver<Listener>);
    const auto generic = [](const auto&...) {};
    STATIC_REQUIRE_FALSE(dashpot::TargetObserver<decltype(generic)>);
}

} // namespace tests::registry_removal
