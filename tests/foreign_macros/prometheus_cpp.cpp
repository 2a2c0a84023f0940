// SPDX-License-Identifier: MIT
// The adapter for prometheus-cpp, included where others have defined their macros.
#include "other_headers.hpp"
#include "words.hpp"

#include <dashpot/adapter/prometheus_cpp.hpp>
#include <dashpot/dashpot.hpp>

int main() {
    dashpot::Registry<> targets;
    const auto target = targets.get("CORE");
    const dashpot::PrometheusCollector collector{[&] { return dashpot::GuardMetrics{targets}; }};
    return collector.Collect().empty() ? 1 : 0;
}
