// SPDX-License-Identifier: MIT
// GET /metrics, and that the alert rules and the dashboard speak of what is there.
#include "metrics_rig.hpp"

#include "../../examples/common/text_file.hpp"
#include "catch.hpp"

#include <algorithm>
#include <regex>
#include <set>

namespace tests::e2e_metrics {

using namespace e2e;

namespace {

std::filesystem::path observability(const char* file) {
    return std::filesystem::path{E2E_EXAMPLES} / "observability" / file;
}

/// All names of the form of a metric of dashpot's or the hub's.
std::set<std::string> metric_names(const std::string& text) {
    static const std::regex name{"(dashpot|relay_hub)_[a-z_]+"};
    std::set<std::string> names;
    for (auto found = std::sregex_iterator{text.begin(), text.end(), name};
         found != std::sregex_iterator{}; ++found)
        names.insert(found->str());
    return names;
}

} // namespace

TEST_CASE("RelayHub: GET /metrics is Prometheus' text, and OpenMetrics for clients that ask for it") {
    Rig rig;
    rig.start_hub();
    for (const char* accept : {"", "*/*", "text/plain", "application/openmetrics-text;q=0"}) {
        const Page page = scrape(rig, accept);
        CHECK(page.status == 200);
        CHECK(page.content_type == "text/plain; version=0.0.4; charset=utf-8");
        CHECK(page.has("# TYPE dashpot_bulkhead_refused_total counter"));
        CHECK_FALSE(page.has("# EOF"));
    }
    const Page page = scrape(rig, "application/openmetrics-text;version=1.0.0,text/plain;q=0.5");
    CHECK(page.status == 200);
    CHECK(page.content_type == "application/openmetrics-text; version=1.0.0; charset=utf-8");
    CHECK(page.has("# TYPE dashpot_bulkhead_refused counter"));
    CHECK(page.has("# EOF"));
}

TEST_CASE("RelayHub: GET /metrics shows what became of the calls to each target") {
    Rig rig;
    start_measured_hub(rig);
    CHECK(scrape(rig).has(R"(dashpot_circuit_breaker_state{name="CORE",state="closed"} 1)"));
    open_core(rig);
    const Page page = scrape(rig);
    for (const char* line : {
             R"(dashpot_circuit_breaker_state{name="CORE",state="open"} 1)",
             R"(dashpot_circuit_breaker_state{name="CORE",state="closed"} 0)",
             R"(dashpot_circuit_breaker_state{name="CLAIM",state="closed"} 1)",
             R"(dashpot_circuit_breaker_calls_total{name="CORE",outcome="success"} 2)",
             R"(dashpot_circuit_breaker_calls_total{name="CORE",outcome="failure"} 2)",
             R"(dashpot_circuit_breaker_calls_total{name="CLAIM",outcome="success"} 1)",
             R"(dashpot_circuit_breaker_not_permitted_total{name="CORE"} 3)",
             R"(dashpot_circuit_breaker_failure_rate{name="CORE"} 0.5)",
             R"(dashpot_circuit_breaker_slow_call_rate{name="CORE"} 0)",
             R"(dashpot_circuit_breaker_transitions_total{name="CORE",from="closed",to="open"} 1)",
             R"(dashpot_circuit_breaker_transitions_total{name="CLAIM",from="closed",to="open"} 0)",
             R"(dashpot_bulkhead_max{name="CORE"} 10)",
             R"(dashpot_bulkhead_in_flight{name="CORE"} 0)",
         }) {
        INFO(page.text);
        CHECK(page.has(line));
    }
    CHECK_FALSE(page.has(R"(dashpot_circuit_breaker_failure_rate{name="CLAIM"} 0)")); // not known yet
}

TEST_CASE("RelayHub: GET /metrics counts calls that found a full bulkhead") {
    Rig rig;
    rig.start_hub({"--max-inflight", "1", "--call-timeout", "30"});
    rig.set("CORE", {{"mode", "slow"}, {"delay_ms", 2000}});
    auto callers = rig.call_at_once("CORE", 4);
    CHECK(eventually(
        [&] { return scrape(rig).has(R"(dashpot_bulkhead_refused_total{name="CORE"} 3)"); }));
    CHECK(scrape(rig).has(R"(dashpot_bulkhead_available{name="CORE"} 0)"));
    for (auto& caller : callers) CHECK(caller.get().status != 0);
    CHECK(scrape(rig).has(R"(dashpot_bulkhead_available{name="CORE"} 1)"));
}

TEST_CASE("Observability: rules, their tests and the dashboard name only metrics that the hub shows") {
    Rig rig;
    start_measured_hub(rig);
    open_core(rig);
    const auto shown = metric_names(scrape(rig).text);
    for (const char* file : {"alerts.yml", "alerts.test.yml", "dashboard.json", "README.md"}) {
        INFO(file);
        const auto used = metric_names(example::read_text_file(observability(file)));
        CHECK_FALSE(used.empty());
        for (const std::string& name : used) {
            INFO(name);
            CHECK(shown.count(name) == 1);
        }
    }
    const auto used = metric_names(example::read_text_file(observability("../../docs/metrics.md")));
    for (const std::string& name : shown) {
        INFO(name << " is in no table of docs/metrics.md");
        CHECK(used.count(name) == 1);
    }
}

TEST_CASE("Observability: the dashboard is one that Grafana can import") {
    const json dashboard = json::parse(example::read_text_file(observability("dashboard.json")));
    CHECK(dashboard.at("title") == "dashpot");
    CHECK(dashboard.at("schemaVersion") >= 36);
    CHECK_FALSE(dashboard.contains("id")); // of somebody's own database
    std::set<int> ids;
    for (const json& panel : dashboard.at("panels")) {
        INFO(panel.at("title"));
        CHECK(ids.insert(panel.at("id").get<int>()).second);
        CHECK(panel.at("gridPos").at("x").get<int>() + panel.at("gridPos").at("w").get<int>() <= 24);
        CHECK(panel.at("datasource").at("uid") == "${datasource}");
        for (const json& target : panel.at("targets")) {
            CHECK_FALSE(target.at("expr").get<std::string>().empty());
            CHECK(target.at("datasource").at("uid") == "${datasource}");
        }
    }
    CHECK(ids.size() >= 8);
}

} // namespace tests::e2e_metrics
