// SPDX-License-Identifier: MIT
#include <dashpot/adapter/metric_family.hpp>

#include "catch.hpp"

namespace tests::adapter_metric_family {

using dashpot::MetricFamily;

TEST_CASE("MetricFamily: is a gauge without a unit, if nothing else is said", "[adapter]") {
    const MetricFamily family{};
    CHECK(family.type == MetricFamily::Type::gauge);
    CHECK(family.unit.empty());
    CHECK(family.name.empty());
    CHECK(family.help.empty());
}

} // namespace tests::adapter_metric_family
