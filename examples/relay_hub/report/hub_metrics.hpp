// SPDX-License-Identifier: MIT
#ifndef DASHPOT_EXAMPLES_RELAY_HUB_REPORT_HUB_METRICS_HPP
#define DASHPOT_EXAMPLES_RELAY_HUB_REPORT_HUB_METRICS_HPP

#include "../settings/live_config.hpp"
#include "logs.hpp"

#include <dashpot/adapter/prometheus_text.hpp>

#include <string>

namespace relay_hub {

/// Adds to a page of metrics what is the hub's own and no target's: what became of its configs, and the
/// lines that its logs have lost.
void add_hub_metrics(std::string& page, dashpot::PrometheusFormat format,
                     const LiveConfig::Reloads& reloads, const Logs& logs);

} // namespace relay_hub

#endif
