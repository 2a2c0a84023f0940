// SPDX-License-Identifier: MIT
#include <dashpot/registry/detail/any_options.hpp>

#include "catch.hpp"

#include <memory>
#include <utility>

namespace tests::registry_detail_any_options {

using dashpot::detail::HashedName;
using dashpot::detail::NamedOptions;

TEST_CASE("NamedOptions: own the options of a name, whatever their type", "[registry]") {
    auto number = std::make_shared<const int>(42);
    const std::weak_ptr<const int> alive = number;
    {
        const NamedOptions named{HashedName{"CORE", {1, 2}}, std::move(number)};
        CHECK(named.key().name == "CORE");
        CHECK(*static_cast<const int*>(named.options.get()) == 42);
    }
    CHECK(alive.expired());
}

} // namespace tests::registry_detail_any_options
