// SPDX-License-Identifier: MIT
#include <dashpot/adapter/detail/limit_families.hpp>

#include "catch.hpp"

#include <string>
#include <vector>

namespace tests::adapter_detail_limit_families {

using dashpot::MetricFamily;

TEST_CASE("Families of limits: are named after their guard, and counters end in _total", "[adapter]") {
    std::vector<std::string> names;
    const auto collect = [&](const MetricFamily& about, auto) {
        const std::string name{about.name};
        CHECK((name.size() > 6 && name.substr(name.size() - 6) == "_total") ==
              (about.type == MetricFamily::Type::counter));
        CHECK_FALSE(about.help.empty());
        names.push_back(name);
    };
    dashpot::detail::visit_rate_limiters(collect);
    for (const std::string& name : names) CHECK(name.rfind("dashpot_rate_limiter_", 0) == 0);
    CHECK(names.size() == 5);
    names.clear();
    dashpot::detail::visit_bulkheads(collect);
    for (const std::string& name : names) CHECK(name.rfind("dashpot_bulkhead_", 0) == 0);
    CHECK(names.size() == 6);
    names.clear();
    dashpot::detail::visit_adaptive_limiters(collect);
    for (const std::string& name : names) CHECK(name.rfind("dashpot_adaptive_limiter_", 0) == 0);
    CHECK(names.size() == 3);
    names.clear();
    dashpot::detail::visit_throttlers(collect);
    for (const std::string& name : names) CHECK(name.rfind("dashpot_throttler_", 0) == 0);
    CHECK(names.size() == 4);
    names.clear();
    dashpot::detail::visit_retry_budgets(collect);
    for (const std::string& name : names) CHECK(name.rfind("dashpot_retry_budget_", 0) == 0);
    CHECK(names.size() == 3);
}

} // namespace tests::adapter_detail_limit_families
