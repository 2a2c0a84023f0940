// SPDX-License-Identifier: MIT
#include "hub_metrics.hpp"

#include <chrono>
#include <cstdint>
#include <string_view>

namespace relay_hub {
namespace {

using dashpot::PrometheusFormat;

constexpr std::string_view end_of_openmetrics = "# EOF\n";

struct Family {
    std::string_view name; ///< of a counter without `_total`
    std::string_view help;
    bool is_counter;
};

constexpr Family reloads_family{"relay_hub_config_reloads",
                                "Configs that came since the hub started, by what became of them.",
                                true};
constexpr Family last_reload_family{"relay_hub_config_last_reload_successful",
                                    "0 if the last config that came was refused, otherwise 1.", false};
constexpr Family last_success_family{"relay_hub_config_last_reload_success_timestamp_seconds",
                                     "When the config in force was accepted.", false};
constexpr Family lost_lines_family{"relay_hub_log_lines_lost",
                                   "Changes of state that a log could not take.", true};

void add_head(std::string& page, PrometheusFormat format, const Family& family) {
    // To OpenMetrics a counter's `_total` is a part of the sample, not of the family.
    std::string name{family.name};
    if (family.is_counter && format == PrometheusFormat::text) name += "_total";
    page.append("# HELP ").append(name).append(" ").append(family.help).append("\n");
    page.append("# TYPE ").append(name).append(family.is_counter ? " counter\n" : " gauge\n");
}

void add_sample(std::string& page, const Family& family, std::string_view labels,
                const std::string& value) {
    page.append(family.name).append(family.is_counter ? "_total" : "").append(labels);
    page.append(" ").append(value).append("\n");
}

/// A steady clock's time on the wall clock as it is now.
std::string timestamp(dashpot::Instant at) {
    using namespace std::chrono;
    const auto age = steady_clock::now() - at;
    const auto time = system_clock::now() - duration_cast<system_clock::duration>(age);
    const auto since_1970 = floor<milliseconds>(time.time_since_epoch()).count();
    const std::string fraction = std::to_string(1000 + since_1970 % 1000);
    return std::to_string(since_1970 / 1000) + "." + fraction.substr(1);
}

} // namespace

void add_hub_metrics(std::string& page, PrometheusFormat format, const LiveConfig::Reloads& reloads,
                     const Logs& logs) {
    const bool has_end = page.ends_with(end_of_openmetrics);
    if (has_end) page.resize(page.size() - end_of_openmetrics.size());
    add_head(page, format, reloads_family);
    add_sample(page, reloads_family, R"({result="success"})", std::to_string(reloads.accepted));
    add_sample(page, reloads_family, R"({result="failure"})", std::to_string(reloads.refused));
    add_head(page, format, last_reload_family);
    add_sample(page, last_reload_family, "", reloads.is_last_refused ? "0" : "1");
    add_head(page, format, last_success_family);
    add_sample(page, last_success_family, "", timestamp(reloads.last_accepted));
    add_head(page, format, lost_lines_family);
    add_sample(page, lost_lines_family, R"({log="breaker"})", std::to_string(logs.lost_lines()));
    add_sample(page, lost_lines_family, R"({log="event"})", std::to_string(logs.lost_events()));
    if (has_end) page += end_of_openmetrics;
}

} // namespace relay_hub
