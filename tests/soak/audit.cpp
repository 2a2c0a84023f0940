// SPDX-License-Identifier: MIT
#include "audit.hpp"

#include "log_check.hpp"

#include "../../examples/common/json_client.hpp"

#include <chrono>
#include <cstdint>
#include <numeric>
#include <set>
#include <stdexcept>
#include <string_view>
#include <thread>

namespace soak {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;
using std::chrono::steady_clock;

constexpr std::string_view transitions = "dashpot_circuit_breaker_transitions_total{";

std::uint64_t sum(const Counts& counts) {
    return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0},
                           [](std::uint64_t all, const auto& entry) { return all + entry.second; });
}

std::uint64_t get(const Counts& counts, std::string_view code) {
    const auto found = counts.find(code);
    return found == counts.end() ? 0 : found->second;
}

std::string label(const std::string& metric, const std::string& name) {
    const auto begin = metric.find(name + "=\"") + name.size() + 2;
    return metric.substr(begin, metric.find('"', begin) - begin);
}

std::string upper(std::string text) {
    for (char& c : text)
        if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    return text;
}

/// What the hub answered, in the clients' terms.
std::map<std::string, Counts> hub_answers(const json& targets, const json& health) {
    std::map<std::string, Counts> result;
    for (const auto& [name, report] : targets.items())
        result[name] = report.at("answers").get<Counts>();
    for (const auto& [code, key] : {std::pair{"E400", "malformed"}, {"E404", "unknown_target"}})
        if (health.at(key) > 0) result["hub"][code] = health.at(key);
    return result;
}

} // namespace

double count_changes(const Metrics& metrics, const std::string& target, const std::string& to) {
    double all = 0;
    for (const auto& [name, value] : metrics)
        if (name.starts_with(transitions) && (target.empty() || label(name, "name") == target) &&
            (to.empty() || label(name, "to") == to))
            all += value;
    return all;
}

Audit::Audit(Claims& claims, const HubProcess& hub, const Ledger& ledger, int claim_port)
    : claims_{claims}, hub_{hub}, ledger_{ledger}, claim_port_{claim_port},
      open_files_{hub.open_files()} {
    if (example::JsonClient{claim_port_}.post("/_reset", json::object()).status != 200)
        throw std::runtime_error{"CLAIM does not answer"};
}

void Audit::run(const std::string& when, bool log_is_read) {
    compare_descriptors(when);
    const json targets = hub_.targets();
    const Metrics metrics = hub_.metrics();
    compare_answers(when, targets, hub_.health());
    compare_metrics(when, targets, metrics);
    compare_claim(when, targets.at("CLAIM"));
    if (log_is_read) compare_log(when, metrics);
}

void Audit::judge_killed(const std::filesystem::path& log) {
    const std::string problem = read_log(log).problem;
    claims_.expect(Claim::log, problem.empty(), "of the hub that was killed: " + problem);
    for (const auto& [target, account] : ledger_.accounts()) expect_closed("killed", target, account);
}

void Audit::expect_closed(const std::string& when, const std::string& target, const Account& account) {
    claims_.expect(Claim::answers, account.sent == sum(account.answers) + account.broken,
                   when + ": " + target + ": sent " + std::to_string(account.sent) + ", answered " +
                       std::to_string(sum(account.answers)) + ", broken " +
                       std::to_string(account.broken));
}

void Audit::compare_answers(const std::string& when, const json& targets, const json& health) {
    const std::map<std::string, Counts> of_hub = hub_answers(targets, health);
    for (const auto& [target, account] : ledger_.accounts()) {
        expect_closed(when, target, account);
        const auto found = of_hub.find(target);
        const Counts theirs = found == of_hub.end() ? Counts{} : found->second;
        std::set<std::string> codes;
        for (const auto& [code, count] : theirs) codes.insert(code);
        for (const auto& [code, count] : account.answers) codes.insert(code);
        // An answer that was counted and then broke on its way is among the broken. Where none is,
        // which the claim about connections asks for, the numbers are the same.
        std::uint64_t slack = account.broken;
        for (const std::string& code : codes) {
            const std::uint64_t clients = get(account.answers, code);
            const std::uint64_t hub = get(theirs, code);
            const bool is_right = hub >= clients && hub - clients <= slack;
            if (is_right) slack -= hub - clients;
            claims_.expect(Claim::answers, is_right,
                           when + ": " + target + " " + code + ": the clients have " +
                               std::to_string(clients) + ", the hub says " + std::to_string(hub));
        }
    }
}

void Audit::compare_metrics(const std::string& when, const json& targets, const Metrics& metrics) {
    for (const auto& item : targets.items()) {
        const std::string& target = item.key();
        const json& report = item.value();
        const auto value = [&](const std::string& name, const std::string& more = {}) {
            const auto found =
                metrics.find("dashpot_" + name + "{name=\"" + target + "\"" + more + "}");
            return found == metrics.end() ? -1.0 : found->second;
        };
        const auto expect = [&](Claim claim, const std::string& what, double is, double should) {
            claims_.expect(claim, is == should,
                           when + ": " + target + ": " + what + " " + std::to_string(is) + ", not " +
                               std::to_string(should));
        };
        const json& refused = report.at("refused");
        const double calls = report.at("calls");
        const double failures = report.at("failures");
        const double not_permitted =
            refused.at("circuit_open").get<double>() + refused.at("probes_in_flight").get<double>();
        const double full = refused.at("bulkhead_full");
        const auto answers = report.at("answers").get<Counts>();
        expect(Claim::answers, "calls and refusals", calls + not_permitted + full,
               static_cast<double>(sum(answers)));
        // An answer that comes when its circuit has moved on is nobody's: at each change at most those
        // that were in flight beside the one that caused it.
        const double counted_failures = value("circuit_breaker_calls_total", ",outcome=\"failure\"");
        // The hub's own failures are not recorded at all.
        const double late = calls - static_cast<double>(get(answers, "E999")) - counted_failures -
                            value("circuit_breaker_calls_total", ",outcome=\"success\"");
        const double most_late =
            count_changes(metrics, target) * (report.at("max_inflight").get<double>() - 1);
        claims_.expect(Claim::metrics, counted_failures <= failures && late >= 0 && late <= most_late,
                       when + ": " + target + ": of " + std::to_string(calls) + " calls " +
                           std::to_string(late) + " came late, and " + std::to_string(most_late) +
                           " could");
        expect(Claim::metrics, "not permitted", value("circuit_breaker_not_permitted_total"),
               not_permitted);
        expect(Claim::metrics, "not permitted, by answers",
               value("circuit_breaker_not_permitted_total"), static_cast<double>(get(answers, "E904")));
        expect(Claim::metrics, "full", value("bulkhead_refused_total"), full);
        expect(Claim::metrics, "full, by answers", value("bulkhead_refused_total"),
               static_cast<double>(get(answers, "E905")));
        expect(Claim::in_flight, "in flight", report.at("in_flight"), 0);
        expect(Claim::in_flight, "in flight, by the metrics", value("bulkhead_in_flight"), 0);
        expect(Claim::in_flight, "available", value("bulkhead_available"), report.at("max_inflight"));
        expect(Claim::in_flight, "probes in flight", report.at("probes_in_flight"), 0);
    }
}

void Audit::compare_claim(const std::string& when, const json& report) {
    // A call that got no descriptor, which is an E999, did not get there.
    const Counts answers = report.at("answers").get<Counts>();
    const std::uint64_t hub =
        report.at("calls").get<std::uint64_t>() - get(answers, "E902") - get(answers, "E999");
    const json stats = example::JsonClient{claim_port_}.get("/_stats").body;
    claims_.expect(Claim::calls, stats.at("calls") == hub && stats.at("in_flight") == 0,
                   when + ": CLAIM says " + stats.dump() + ", the hub " + std::to_string(hub));
}

void Audit::compare_log(const std::string& when, const Metrics& metrics) {
    const LogContent log = read_log(hub_.log());
    claims_.expect(Claim::log, log.problem.empty(), when + ": " + log.problem);
    claims_.expect(Claim::log, static_cast<double>(log.lines) == count_changes(metrics),
                   when + ": " + std::to_string(log.lines) + " lines for " +
                       std::to_string(count_changes(metrics)) + " changes of state");
    for (const auto& [name, value] : metrics) {
        if (!name.starts_with(transitions)) continue;
        const std::pair change{label(name, "name"),
                               upper(label(name, "from")) + "->" + upper(label(name, "to"))};
        const auto found = log.changes.find(change);
        const std::uint64_t lines = found == log.changes.end() ? 0 : found->second;
        claims_.expect(Claim::log, static_cast<double>(lines) == value,
                       when + ": " + name + ": " + std::to_string(lines) + " lines");
    }
}

void Audit::compare_descriptors(const std::string& when) {
    // Connections close a little after their answer; one that was refused lingers for a second.
    const auto deadline = steady_clock::now() + 8s;
    while (hub_.open_files() > open_files_ && steady_clock::now() < deadline)
        std::this_thread::sleep_for(10ms);
    claims_.expect(Claim::descriptors, hub_.open_files() <= open_files_,
                   when + ": " + std::to_string(hub_.open_files()) + " open files, " +
                       std::to_string(open_files_) + " at the start");
}

} // namespace soak
