// SPDX-License-Identifier: MIT
#include <dashpot/adapter/prometheus_text.hpp>

#include <dashpot/testing/manual_clock.hpp>

#include "guard/breaker_support.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <iomanip>
#include <limits>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tests::adapter_prometheus_text {

using namespace std::chrono_literals;
using dashpot::accepted_format;
using dashpot::Bulkhead;
using dashpot::GuardMetrics;
using dashpot::MetricFamily;
using dashpot::MetricLabel;
using dashpot::PrometheusFormat;
using dashpot::to_prometheus_text;
using dashpot::testing::ManualClock;

namespace {

GuardMetrics hull_named(std::string_view name) {
    GuardMetrics metrics;
    metrics.add(name, Bulkhead{7});
    return metrics;
}

/// How a value is written.
std::string written(double value) {
    dashpot::detail::PrometheusWriter writer{PrometheusFormat::text};
    writer.family({"x", MetricFamily::Type::gauge, "X."});
    writer.sample({}, value);
    const std::string text = std::move(writer).finish();
    const auto begin = text.rfind(' ') + 1;
    return text.substr(begin, text.size() - begin - 1);
}

std::vector<std::string> lines_of(const std::string& text) {
    std::istringstream stream{text};
    std::vector<std::string> lines;
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
}

} // namespace

TEST_CASE("Prometheus text: families with HELP, TYPE and their series", "[adapter]") {
    CHECK(to_prometheus_text(hull_named("CORE")) ==
          "# HELP dashpot_bulkhead_max Calls that may be in flight at once.\n"
          "# TYPE dashpot_bulkhead_max gauge\n"
          "dashpot_bulkhead_max{name=\"CORE\"} 7\n"
          "# HELP dashpot_bulkhead_available Calls that may still come in.\n"
          "# TYPE dashpot_bulkhead_available gauge\n"
          "dashpot_bulkhead_available{name=\"CORE\"} 7\n"
          "# HELP dashpot_bulkhead_in_flight Calls in flight.\n"
          "# TYPE dashpot_bulkhead_in_flight gauge\n"
          "dashpot_bulkhead_in_flight{name=\"CORE\"} 0\n"
          "# HELP dashpot_bulkhead_refused_total Calls refused because all slots were taken.\n"
          "# TYPE dashpot_bulkhead_refused_total counter\n"
          "dashpot_bulkhead_refused_total{name=\"CORE\"} 0\n");
}

TEST_CASE("OpenMetrics text: a counter's family has no _total, and the text has an end", "[adapter]") {
    const std::string text = to_prometheus_text(hull_named("CORE"), PrometheusFormat::openmetrics);
    CHECK(text.find("# HELP dashpot_bulkhead_refused Calls refused because all slots were taken.\n"
                    "# TYPE dashpot_bulkhead_refused counter\n"
                    "dashpot_bulkhead_refused_total{name=\"CORE\"} 0\n"
                    "# EOF\n") != std::string::npos);
    CHECK(text.ends_with("\n# EOF\n"));
}

TEST_CASE("OpenMetrics text: says units, and only where the name has one", "[adapter]") {
    support::Breaker breaker{{}, {.reset_timeout = 10s}, ManualClock{}};
    breaker.trip();
    GuardMetrics metrics;
    metrics.add("X", breaker);
    const std::string unit = "# UNIT dashpot_circuit_breaker_retry_after_seconds seconds\n";
    const std::string text = to_prometheus_text(metrics, PrometheusFormat::openmetrics);
    CHECK(text.find(unit + "dashpot_circuit_breaker_retry_after_seconds{name=\"X\"} 10\n") !=
          std::string::npos);
    CHECK(text.find("# UNIT") == text.rfind("# UNIT"));
    CHECK(to_prometheus_text(metrics).find("# UNIT") == std::string::npos);
}

TEST_CASE("Prometheus text: of nothing is empty, of nothing OpenMetrics is an end", "[adapter]") {
    CHECK(to_prometheus_text(GuardMetrics{}).empty());
    CHECK(to_prometheus_text(GuardMetrics{}, PrometheusFormat::openmetrics) == "# EOF\n");
}

TEST_CASE("Prometheus text: escapes what would end a label", "[adapter]") {
    const auto has = [](std::string_view name, const std::string& label) {
        return to_prometheus_text(hull_named(name))
                   .find("dashpot_bulkhead_max{name=\"" + label + "\"} 7\n") != std::string::npos;
    };
    CHECK(has("a\"b", "a\\\"b"));
    CHECK(has("a\\b", "a\\\\x5Cb"));
    CHECK(has("a\nb", "a\\nb"));
    CHECK(has("\"} 1\nevil 2\n", "\\\"} 1\\nevil 2\\n"));
    CHECK(has("a\xFF", "a\\\\xFF"));
    CHECK(has("a\\xFF", "a\\\\x5CxFF")); // what looks escaped is told from what is
    CHECK(has("\xE2\x82\xAC {x=y} #", "\xE2\x82\xAC {x=y} #"));
    CHECK(has("", ""));
}

TEST_CASE("Prometheus text: is well-formed whatever bytes a name has", "[adapter]") {
    dashpot::Registry<ManualClock> targets;
    for (int first = 0; first != 256; ++first)
        (void)targets.get(
            std::string{static_cast<char>(first), 'x', '\n', static_cast<char>(255 - first)});
    const std::string text = to_prometheus_text(GuardMetrics{targets});
    std::set<std::string> series;
    for (const std::string& line : lines_of(text)) {
        INFO(line);
        CHECK((line.starts_with("# ") || line.starts_with("dashpot_")));
        if (line.starts_with("#")) continue;
        const auto end_of_labels = line.rfind("\"} ");
        REQUIRE(end_of_labels != std::string::npos);
        CHECK(series.insert(line.substr(0, end_of_labels)).second);
        std::string unescaped = line;
        std::erase(unescaped, '\\');
        CHECK(dashpot::detail::to_utf8(unescaped) == unescaped);
    }
    CHECK(series.size() == 256 * 16);
}

TEST_CASE("Prometheus text: numbers are short and exact", "[adapter]") {
    CHECK(written(0) == "0");
    CHECK(written(1000000) == "1000000");
    CHECK(written(9007199254740992.0) == "9007199254740992");
    CHECK(written(0.5) == "0.5");
    CHECK(written(2.0 / 3) == "0.6666666666666666");
    CHECK(written(1e300) == "1e+300");
    CHECK(written(1e-9) == "1e-09");
}

TEST_CASE("Prometheus text: there is never a NaN or an infinity", "[adapter]") {
    ManualClock clock;
    dashpot::Registry<ManualClock> targets{
        {.breaker = {.reset_timeout = (std::chrono::hours::max)()}, .max_concurrent = 0}, {}, clock};
    targets.get("X")->breaker().trip();
    const std::string text = to_prometheus_text(GuardMetrics{targets});
    CHECK(text.find("dashpot_circuit_breaker_retry_after_seconds{name=\"X\"} 9223372036.854776\n") !=
          std::string::npos);
    for (const auto* word : {"nan", "NaN", "inf", "Inf"}) {
        INFO(word);
        for (const std::string& line : lines_of(text))
            CHECK((line.starts_with("#") || line.find(word, line.rfind(' ')) == std::string::npos));
    }
}

TEST_CASE("Prometheus text: OpenMetrics is for clients that ask for it", "[adapter]") {
    // What Prometheus 2.42 sends.
    CHECK(accepted_format("application/openmetrics-text;version=1.0.0,"
                          "application/openmetrics-text;version=0.0.1;q=0.75,"
                          "text/plain;version=0.0.4;q=0.5,*/*;q=0.1") == PrometheusFormat::openmetrics);
    for (const auto* accept :
         {"text/plain, application/openmetrics-text", "application/openmetrics-text;q=0.5, */*;q=0.4",
          "*/*;q=0.5, text/*;q=0.1, application/openmetrics-text;q=0.2"})
        CHECK(accepted_format(accept) == PrometheusFormat::openmetrics);
    for (const auto* accept :
         {"", "*/*", "text/plain", "text/html,*/*;q=0.8", "application/openmetrics-text;q=0",
          "application/openmetrics-text-2", "text/plain;q=0.9,application/openmetrics-text;q=0.5",
          "application/*", "application/openmetrics-text;q=0.5,text/*;q=0.9",
          "*/*,application/openmetrics-text;q=0.5", "text/plain;q=0,application/*"})
        CHECK(accepted_format(accept) == PrometheusFormat::text);
}

TEST_CASE("Prometheus text: says what it is", "[adapter]") {
    CHECK(content_type(PrometheusFormat::text) == "text/plain; version=0.0.4; charset=utf-8");
    CHECK(content_type(PrometheusFormat::openmetrics) ==
          "application/openmetrics-text; version=1.0.0; charset=utf-8");
}

TEST_CASE("PrometheusFormat: prints its name, and takes the width as a string does", "[adapter]") {
    std::ostringstream out;
    out << dashpot::PrometheusFormat::openmetrics << ' ' << std::setw(20) << std::left
        << dashpot::PrometheusFormat::text << '|';
    CHECK(out.str() == "openmetrics text                |");
}

TEST_CASE("PrometheusFormat: each has a name, and other values have none", "[adapter]") {
    STATIC_REQUIRE(to_string(PrometheusFormat::text) == "text");
    STATIC_REQUIRE(to_string(PrometheusFormat::openmetrics) == "openmetrics");
    CHECK(to_string(static_cast<PrometheusFormat>(99)) == "unknown");
}

} // namespace tests::adapter_prometheus_text
