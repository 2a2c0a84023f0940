// SPDX-License-Identifier: MIT
// The hub before a real Prometheus: what promtool says of its metrics, and a server that scrapes it.
#include "metrics_rig.hpp"

#include "../../examples/common/text_file.hpp"
#include "catch.hpp"

#include <httplib.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <csignal>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace tests::e2e_prometheus {

using namespace e2e;
using example::read_text_file;
using example::write_text_file;

namespace {

/// A port that nobody had a moment ago: Prometheus does not say which one it took.
int free_port() {
    const example::FileDescriptor socket{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* const any = reinterpret_cast<sockaddr*>(&address);
    if (::bind(socket.get(), any, size) != 0 || ::getsockname(socket.get(), any, &size) != 0)
        throw std::runtime_error{"no free port"};
    return ntohs(address.sin_port);
}

/// A Prometheus server that scrapes the hub ten times a second and knows the shipped alert rules.
/// Ends with this object.
class PrometheusServer {
  public:
    explicit PrometheusServer(Rig& rig)
        : errors_{rig.directory() / "prometheus.err"}, port_{free_port()} {
        const auto config = rig.directory() / "prometheus.yml";
        write_text_file(config, "global: { scrape_interval: 100ms, evaluation_interval: 100ms }\n"
                                "rule_files: [ " E2E_EXAMPLES "/observability/alerts.yml ]\n"
                                "scrape_configs:\n"
                                "  - job_name: relay_hub\n"
                                "    static_configs: [ { targets: [ '127.0.0.1:" +
                                    std::to_string(rig.hub().port()) + "' ] } ]\n");
        process_ = std::make_unique<example::ChildProcess>(
            E2E_PROMETHEUS,
            Words{"--config.file=" + config.string(),
                  "--storage.tsdb.path=" + (rig.directory() / "prometheus").string(),
                  "--web.listen-address=127.0.0.1:" + std::to_string(port_), "--log.level=warn"},
            example::ChildProcess::Files{errors_, rig.directory()});
    }

    ~PrometheusServer() {
        process_->send_signal(SIGTERM);
        static_cast<void>(process_->wait(std::chrono::steady_clock::now() + std::chrono::seconds{10}));
    }
    PrometheusServer(const PrometheusServer&) = delete;
    PrometheusServer& operator=(const PrometheusServer&) = delete;

    /// The member `data` of what its HTTP API answers; null while it is not ready.
    [[nodiscard]] json ask(const std::string& path, const httplib::Params& parameters = {}) const {
        httplib::Client client{"127.0.0.1", port_};
        client.set_read_timeout(30);
        const httplib::Result result = client.Get(path, parameters, httplib::Headers{});
        if (!result || result->status != 200) return nullptr;
        const json answer = json::parse(result->body, nullptr, false);
        return answer.is_object() ? answer.value("data", json{}) : json{};
    }

    /// The series that the query finds; null if it makes no sense.
    [[nodiscard]] json query(const std::string& expression) const {
        const json data = ask("/api/v1/query", {{"query", expression}});
        return data.is_object() ? data.value("result", json{}) : json{};
    }

    /// Waits until the query finds one series of this value.
    [[nodiscard]] bool eventually_finds(const std::string& expression, const std::string& value) const {
        return eventually([&] {
            const json found = query(expression);
            return found.is_array() && found.size() == 1 && found[0].at("value").at(1) == value;
        });
    }

    [[nodiscard]] std::string errors() const { return read_text_file(errors_); }

  private:
    const std::filesystem::path errors_;
    const int port_;
    std::unique_ptr<example::ChildProcess> process_;
};

/// What `promtool check metrics` says of a page, and how it ended.
ShortRun promtool_check_metrics(const Rig& rig, const std::string& page) {
    const auto input = rig.directory() / "metrics.txt";
    const auto errors = rig.directory() / "promtool.err";
    write_text_file(input, page);
    write_text_file(errors, "");
    example::ChildProcess shell{
        "/bin/sh",
        {"-c", "exec \"$1\" check metrics <\"$2\"", "sh", E2E_PROMTOOL, input.string()},
        {errors, {}}};
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds{30};
    ShortRun result{-1, {}, {}};
    while (const auto line = shell.read_line(deadline)) result.output += *line + "\n";
    result.status = shell.wait(deadline).value_or(-1);
    result.errors = read_text_file(errors);
    return result;
}

/// An expression of the dashboard as Grafana would send it, with everything chosen.
std::string filled_in(std::string expression) {
    for (const auto& [variable, value] : std::vector<std::pair<std::string, std::string>>{
             {"$job", ".*"}, {"$instance", ".*"}, {"$name", ".*"}, {"$__rate_interval", "1m"}}) {
        for (auto at = expression.find(variable); at != std::string::npos;
             at = expression.find(variable))
            expression.replace(at, variable.size(), value);
    }
    return expression;
}

} // namespace

TEST_CASE("RelayHub: promtool has nothing to say against its metrics") {
    Rig rig;
    start_measured_hub(rig);
    for (const bool is_open : {false, true}) {
        if (is_open) open_core(rig);
        const Page page = scrape(rig);
        REQUIRE(page.has(R"(dashpot_circuit_breaker_state{name="CORE",state="open"} )" +
                         std::string{is_open ? "1" : "0"}));
        const ShortRun said = promtool_check_metrics(rig, page.text);
        INFO(page.text);
        CHECK(said.output.empty());
        CHECK(said.errors.empty());
        CHECK(said.status == 0);
    }
}

TEST_CASE("RelayHub: promtool would have found") {
    const Rig rig;
    const ShortRun said =
        promtool_check_metrics(rig, "# TYPE dashpot_calls counter\ndashpot_calls 1\n");
    CHECK(said.status != 0);
    CHECK(said.errors.find("_total") != std::string::npos);
    CHECK(promtool_check_metrics(rig, "dashpot_calls{name=\"a\"b\"} 1\n").status != 0);
}

TEST_CASE("RelayHub: a Prometheus server that scrapes it sees the circuit open") {
    Rig rig;
    start_measured_hub(rig);
    const PrometheusServer prometheus{rig};
    INFO(prometheus.errors());
    REQUIRE(prometheus.eventually_finds("up", "1"));
    REQUIRE(prometheus.eventually_finds(R"(dashpot_circuit_breaker_state{name="CORE"} == 1)", "1"));
    CHECK(prometheus.eventually_finds(R"(dashpot_circuit_breaker_state{name="CORE",state="closed"})",
                                      "1"));

    open_core(rig);
    for (
        const auto& [expression, value] : std::vector<std::pair<std::string, std::string>>{
            {R"(dashpot_circuit_breaker_state{name="CORE",state="open"})", "1"},
            {R"(dashpot_circuit_breaker_state{name="CLAIM",state="open"})", "0"},
            {R"(dashpot_circuit_breaker_calls_total{name="CORE",outcome="failure"})", "2"},
            {R"(dashpot_circuit_breaker_calls_total{name="CORE",outcome="success"})", "2"},
            {R"(dashpot_circuit_breaker_not_permitted_total{name="CORE"})", "3"},
            {R"(dashpot_circuit_breaker_failure_rate)", "0.5"},
            {R"(dashpot_circuit_breaker_transitions_total{name="CORE",from="closed",to="open"})", "1"},
            // The opening is an increase: the series was there, as 0, before it.
            {R"(increase(dashpot_circuit_breaker_transitions_total{name="CORE",from="closed"}[1m]) > bool 0)",
             "1"},
            {R"(dashpot_bulkhead_max{name="CORE"})", "10"},
            {R"(dashpot_bulkhead_refused_total{name="CORE"})", "0"},
        }) {
        INFO(expression);
        CHECK(prometheus.eventually_finds(expression, value));
    }

    // It speaks OpenMetrics with the hub, and knows types from there.
    const json about = prometheus.ask("/api/v1/metadata", {{"metric", "dashpot_bulkhead_refused"}});
    REQUIRE(about.contains("dashpot_bulkhead_refused"));
    CHECK(about.at("dashpot_bulkhead_refused").at(0).at("type") == "counter");

    // The shipped alerts: one waits for its five minutes.
    REQUIRE(eventually([&] {
        return prometheus.query(R"(ALERTS{alertname="DashpotCircuitOpen",alertstate="pending"})")
                   .size() == 1;
    }));
    for (const json& group : prometheus.ask("/api/v1/rules").at("groups")) {
        for (const json& rule : group.at("rules")) {
            INFO(rule.dump());
            CHECK(rule.at("health") == "ok");
        }
    }

    // And the dashboard: every panel has something to show.
    const json dashboard = json::parse(read_text_file(E2E_EXAMPLES "/observability/dashboard.json"));
    for (const json& panel : dashboard.at("panels")) {
        for (const json& target : panel.at("targets")) {
            const std::string expression = filled_in(target.at("expr"));
            INFO(expression);
            CHECK(eventually([&] {
                const json found = prometheus.query(expression);
                return found.is_array() && !found.empty();
            }));
        }
    }
}

} // namespace tests::e2e_prometheus
