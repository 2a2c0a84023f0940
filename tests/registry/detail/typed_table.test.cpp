// SPDX-License-Identifier: MIT
#include <dashpot/registry/detail/typed_table.hpp>
#include <dashpot/testing/manual_clock.hpp>

#include "catch.hpp"

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string_view>

namespace tests::registry_detail_typed_table {

using dashpot::TargetOptions;
using dashpot::testing::ManualClock;
using Table = dashpot::detail::TypedTable<ManualClock, dashpot::ConsecutiveFailures>;

namespace {

struct Rig {
    std::uint32_t limit_of(std::string_view name) {
        return table.get(name, nullptr)->bulkhead().max_concurrent();
    }

    Table table{TargetOptions<>{.max_concurrent = 2}, {.max_targets = 10}, ManualClock{}};
};

} // namespace

TEST_CASE("TypedTable: a target has the options of its name, its prefix, its function, or the defaults",
          "[registry]") {
    Rig rig;
    rig.table.configure("pay/visa", TargetOptions<>{.max_concurrent = 3});
    rig.table.configure_prefix("pay/", TargetOptions<>{.max_concurrent = 4});
    CHECK(rig.limit_of("pay/visa") == 3);
    CHECK(rig.limit_of("pay/other") == 4);
    CHECK(rig.limit_of("CORE") == 2);
    const auto given =
        rig.table.get("CLAIM", [](std::string_view) { return TargetOptions<>{.max_concurrent = 5}; });
    CHECK(given->bulkhead().max_concurrent() == 5);
    CHECK_THROWS_AS(rig.table.configure("CORE", TargetOptions<>{}), std::logic_error);
}

TEST_CASE("TypedTable: returns one pointer per name, and visits the targets by reference or pointer",
          "[registry]") {
    Rig rig;
    CHECK(rig.table.find("CORE") == nullptr);
    const auto core = rig.table.get("CORE", nullptr);
    CHECK(core->name() == "CORE");
    CHECK(rig.table.get("CORE", nullptr) == core);
    CHECK(rig.table.find("CORE") == core);
    int visited = 0;
    auto by_reference = [&](dashpot::Target<ManualClock>& target) { visited += &target == core.get(); };
    auto by_pointer = [&](const std::shared_ptr<dashpot::Target<ManualClock>>& target) {
        visited += target == core;
    };
    rig.table.for_each(by_reference);
    rig.table.for_each(by_pointer);
    CHECK(visited == 2);
    CHECK(rig.table.remove("CORE"));
    CHECK(rig.table.untyped().size() == 0);
}

} // namespace tests::registry_detail_typed_table
