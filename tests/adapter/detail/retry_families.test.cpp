// SPDX-License-Identifier: MIT
#include <dashpot/adapter/detail/retry_families.hpp>

#include "catch.hpp"

namespace tests::adapter_detail_retry_families {

using dashpot::MetricFamily;

TEST_CASE("Families of pipelines: all are counters, and named so", "[adapter]") {
    int families = 0;
    dashpot::detail::visit_retries([&](const MetricFamily& about, auto) {
        CHECK(about.type == MetricFamily::Type::counter);
        CHECK(about.name.ends_with("_total"));
        CHECK(
            (about.name.starts_with("dashpot_retry_") || about.name.starts_with("dashpot_fallback_")));
        CHECK_FALSE(about.help.empty());
        ++families;
    });
    CHECK(families == 4);
}

} // namespace tests::adapter_detail_retry_families
