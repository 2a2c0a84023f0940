// SPDX-License-Identifier: MIT
// Uses the adapters that need no other library, with nothing but their one header at hand.
#include <dashpot/dashpot_with_adapters.hpp>

#if __has_include(<dashpot/adapter/prometheus_text.hpp>)
#error "this is to find the adapters in one file only"
#endif

#include <string>

bool adapters_work() {
    dashpot::Registry<> targets;
    targets.get("CORE")->breaker().trip();
    const std::string page = to_prometheus_text(dashpot::GuardMetrics{targets});
    return page.find("dashpot_circuit_breaker_state{name=\"CORE\",state=\"open\"} 1\n") !=
           std::string::npos;
}
