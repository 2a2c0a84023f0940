// SPDX-License-Identifier: MIT
#include <dashpot/registry/target.hpp>

#include "catch.hpp"

namespace tests::registry_target {

TEST_CASE("Target: its header is also found under its former path", "[registry]") {
    dashpot::Target<> target{"CORE"};
    CHECK(target.name() == "CORE");
}

} // namespace tests::registry_target
