// SPDX-License-Identifier: MIT
#include <dashpot/adapter/prometheus_cpp.hpp>

#include <dashpot/adapter/prometheus_text.hpp>
#include <dashpot/testing/manual_clock.hpp>

#include "guard/breaker_support.hpp"

#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

using dashpot::GuardMetrics;
using dashpot::PrometheusCollector;
using dashpot::testing::ManualClock;

namespace {

/// What there is to see of one target that has failed.
struct Rig {
    Rig() { support::fail(targets.get("a\"b\\c\nd")->breaker(), 2); }

    GuardMetrics read() const { return GuardMetrics{targets, changes}; }

    dashpot::Registry<ManualClock> targets{
        {.policy = {.threshold = 2}, .breaker = {.count_totals = true}}};
    dashpot::TransitionCounter changes;
};

const prometheus::MetricFamily& find(const std::vector<prometheus::MetricFamily>& families,
                                     const std::string& name) {
    const auto found = std::ranges::find(families, name, &prometheus::MetricFamily::name);
    REQUIRE(found != families.end());
    return *found;
}

} // namespace

TEST_CASE("PrometheusCollector: prometheus-cpp serves what the text has", "[adapter]") {
    const Rig rig;
    const PrometheusCollector collector{[&] { return rig.read(); }};
    CHECK(prometheus::TextSerializer{}.Serialize(collector.Collect()) ==
          to_prometheus_text(rig.read()));
}

TEST_CASE("PrometheusCollector: types, labels and values", "[adapter]") {
    const Rig rig;
    const auto families = PrometheusCollector{[&] { return rig.read(); }}.Collect();

    const auto& calls = find(families, "dashpot_circuit_breaker_calls_total");
    CHECK(calls.type == prometheus::MetricType::Counter);
    CHECK_FALSE(calls.help.empty());
    REQUIRE(calls.metric.size() == 3);
    CHECK(calls.metric[1].counter.value == 2);
    REQUIRE(calls.metric[1].label.size() == 2);
    CHECK(calls.metric[1].label[0].name == "name");
    CHECK(calls.metric[1].label[0].value == "a\"b\\x5Cc\nd");
    CHECK(calls.metric[1].label[1].value == "failure");

    const auto& state = find(families, "dashpot_circuit_breaker_state");
    CHECK(state.type == prometheus::MetricType::Gauge);
    REQUIRE(state.metric.size() == 6);
    CHECK(state.metric[1].label[1].value == "open");
    CHECK(state.metric[1].gauge.value == 1);
}

TEST_CASE("PrometheusCollector: reads again each time", "[adapter]") {
    dashpot::Registry<ManualClock> targets;
    const PrometheusCollector collector{[&] { return GuardMetrics{targets}; }};
    CHECK(collector.Collect().empty());
    (void)targets.get("A");
    CHECK_FALSE(collector.Collect().empty());
}

TEST_CASE("PrometheusCollector: refuses an empty function", "[adapter]") {
    CHECK(support::message_of([] { const PrometheusCollector collector{nullptr}; }) ==
          "PrometheusCollector: the function must not be empty");
}
