// SPDX-License-Identifier: MIT
#include <dashpot/adapter/detail/shadow_families.hpp>

#include <dashpot/adapter/guard_metrics.hpp>
#include <dashpot/adapter/prometheus_text.hpp>
#include <dashpot/policy/shadow.hpp>

#include "guard/breaker_support.hpp"

#include <string>

namespace tests::adapter_detail_shadow_families {

using dashpot::ConsecutiveFailures;
using dashpot::MetricFamily;

TEST_CASE("Families of candidates: one counter, named so", "[adapter]") {
    int families = 0;
    dashpot::detail::visit_shadows([&](const MetricFamily& about, auto) {
        CHECK(about.type == MetricFamily::Type::counter);
        CHECK(about.name.starts_with("dashpot_circuit_breaker_"));
        CHECK(about.name.ends_with("_total"));
        CHECK_FALSE(about.help.empty());
        ++families;
    });
    CHECK(families == 1);
}

TEST_CASE("GuardMetrics: each candidate of a Shadow has a series, by its number", "[adapter]") {
    using Tried = dashpot::Shadow<ConsecutiveFailures, ConsecutiveFailures, ConsecutiveFailures>;
    dashpot::Registry<support::ManualClock, Tried> targets{
        {.policy = {.live = {9}, .candidates = {ConsecutiveFailures{2}, ConsecutiveFailures{5}}}}};
    support::fail(targets.get("CORE")->breaker(), 6);
    const std::string page = to_prometheus_text(dashpot::GuardMetrics{targets});
    const std::string family = "\ndashpot_circuit_breaker_candidate_would_have_opened_total";
    CHECK(page.find(family + "{name=\"CORE\",candidate=\"0\"} 3\n") != std::string::npos);
    CHECK(page.find(family + "{name=\"CORE\",candidate=\"1\"} 1\n") != std::string::npos);
}

TEST_CASE("GuardMetrics: a breaker without candidates has no series of them", "[adapter]") {
    dashpot::GuardMetrics metrics;
    const support::Breaker breaker;
    metrics.add("X", breaker);
    CHECK(to_prometheus_text(metrics).find("candidate") == std::string::npos);
}

} // namespace tests::adapter_detail_shadow_families
