// SPDX-License-Identifier: MIT
// Numbers for Prometheus, and a line for each change of state.
#include <dashpot/adapter/prometheus_text.hpp>
#include <dashpot/adapter/transition_counter.hpp>
#include <dashpot/dashpot.hpp>

#include <functional>
#include <iostream>
#include <sstream>
#include <string>
#include <string_view>

int main() {
    // count_totals counts every call by its outcome. Without it there is no calls_total.
    dashpot::Registry<> targets{{.policy = {.threshold = 2}, .breaker = {.count_totals = true}}};

    // How often each target changed its state, for transitions_total.
    dashpot::TransitionCounter changes;
    const auto counting = targets.on_transition(std::ref(changes));

    const auto printing =
        targets.on_transition([](std::string_view name, const dashpot::Transition& change) {
            std::cout << name << ": " << to_string(change.from) << " -> " << to_string(change.to)
                      << '\n';
        });

    const auto core = targets.get("CORE");
    core->try_enter().success();
    core->try_enter().failure();
    core->try_enter().failure(); // opens
    (void)core->try_enter();     // refused
    targets.get("CLAIM")->try_enter().success();

    // What GET /metrics would answer. Here are the lines of two of its metrics.
    std::istringstream page{to_prometheus_text(dashpot::GuardMetrics{targets, changes})};
    for (std::string line; std::getline(page, line);) {
        const bool is_shown = line.starts_with("dashpot_circuit_breaker_calls_total") ||
                              line.starts_with("dashpot_circuit_breaker_not_permitted_total");
        if (is_shown) std::cout << line << '\n';
    }
}
// Output:
// CORE: CLOSED -> OPEN
// dashpot_circuit_breaker_calls_total{name="CLAIM",outcome="success"} 1
// dashpot_circuit_breaker_calls_total{name="CLAIM",outcome="failure"} 0
// dashpot_circuit_breaker_calls_total{name="CLAIM",outcome="ignored"} 0
// dashpot_circuit_breaker_calls_total{name="CORE",outcome="success"} 1
// dashpot_circuit_breaker_calls_total{name="CORE",outcome="failure"} 2
// dashpot_circuit_breaker_calls_total{name="CORE",outcome="ignored"} 0
// dashpot_circuit_breaker_not_permitted_total{name="CLAIM"} 0
// dashpot_circuit_breaker_not_permitted_total{name="CORE"} 1
