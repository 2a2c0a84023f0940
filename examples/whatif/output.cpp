// SPDX-License-Identifier: MIT
#include "output.hpp"

#include "../common/printable.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <optional>
#include <type_traits>
#include <variant>

namespace whatif {
namespace {

using nlohmann::ordered_json;

double in_seconds(std::int64_t ns) { return static_cast<double>(ns) / 1e9; }
double in_seconds(std::chrono::nanoseconds length) { return in_seconds(length.count()); }

/// How a candidate met the incidents of its target.
struct Meeting {
    std::uint64_t missed = 0;             ///< Incidents during which it stayed closed.
    std::optional<double> opens_after{};  ///< Seconds on average, from the start of an incident.
    std::optional<double> closes_after{}; ///< Seconds on average, from its end.
};

Meeting meet(const std::vector<Incident>& incidents, const Outcomes& outcomes) {
    Meeting result;
    double opening = 0;
    double closing = 0;
    std::uint64_t openings = 0;
    std::uint64_t closings = 0;
    for (const Incident& incident : incidents) {
        const auto meets = [&](const auto& band) {
            return band.first < incident.to && (!band.second || *band.second > incident.from);
        };
        const auto found = std::find_if(outcomes.bands.begin(), outcomes.bands.end(), meets);
        if (found == outcomes.bands.end()) {
            ++result.missed;
            continue;
        }
        opening += std::max(in_seconds(found->first - incident.from), 0.0);
        ++openings;
        for (const auto& [from, to] : outcomes.bands) {
            if (from >= incident.to || !to || *to < incident.to) continue;
            closing += in_seconds(*to - incident.to);
            ++closings;
        }
    }
    if (openings != 0) result.opens_after = opening / static_cast<double>(openings);
    if (closings != 0) result.closes_after = closing / static_cast<double>(closings);
    return result;
}

ordered_json half_json(const Outcomes& half) {
    return {{"spared", half.spared}, {"refused_good", half.refused_good}};
}

/// Makes text valid UTF-8 for the JSON.
std::string dumped(const ordered_json& value) {
    return value.dump(-1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

struct PolicyJson {
    ordered_json operator()(const dashpot::ConsecutiveFailures& run) const {
        return {{"type", "consecutive_failures"}, {"threshold", run.threshold}};
    }
    ordered_json operator()(const dashpot::CountWindow& window) const {
        return {{"type", "count_window"},
                {"size", window.size},
                {"minimum_calls", window.minimum_calls},
                {"failure_rate", window.failure_rate}};
    }
    ordered_json operator()(const dashpot::TimeWindow& window) const {
        return {{"type", "time_window"},
                {"length", in_seconds(window.length)},
                {"buckets", window.buckets},
                {"minimum_calls", window.minimum_calls},
                {"failure_rate", window.failure_rate}};
    }
};

ordered_json settings_of(const Candidate& candidate) {
    return {{"policy", std::visit(PolicyJson{}, candidate.rule)},
            {"reset_timeout", in_seconds(candidate.breaker.reset_timeout.delay(0))},
            {"half_open", {{"probes", candidate.breaker.half_open.probes}}}};
}

void append_row(std::string& text, const Outcomes& outcomes, const Meeting& meeting,
                const std::string& name) {
    char line[200];
    const auto seconds = [](const std::optional<double>& value) {
        char digits[40];
        if (!value) return std::string{"-"};
        std::snprintf(digits, sizeof digits, "%.2f s", *value);
        return std::string{digits};
    };
    std::snprintf(line, sizeof line, "  %8ju %10ju %10.3f s %9ju %12ju %10s %10s   ",
                  std::uintmax_t{outcomes.openings}, std::uintmax_t{outcomes.reopenings},
                  in_seconds(outcomes.open), std::uintmax_t{outcomes.spared},
                  std::uintmax_t{outcomes.refused_good}, seconds(meeting.opens_after).c_str(),
                  seconds(meeting.closes_after).c_str());
    text += line + name + "\n";
}

} // namespace

std::string to_json(const Report& report, const std::vector<Candidate>& candidates) {
    ordered_json result;
    result["malformed"] = report.malformed;
    if (report.dropped != 0) result["dropped"] = report.dropped;
    ordered_json& targets = result["targets"] = ordered_json::object();
    for (const TargetReport& target : report.targets) {
        ordered_json about{{"calls", target.calls},
                           {"failures", target.failures},
                           {"refused", target.refused},
                           {"candidates", ordered_json::array()}};
        for (std::size_t i = 0; i != candidates.size(); ++i) {
            const Outcomes& seen = target.outcomes[i];
            const Meeting meeting = meet(target.incidents, seen);
            ordered_json row{{"candidate", candidates[i].text},
                             {"openings", seen.openings},
                             {"reopenings", seen.reopenings},
                             {"open_seconds", in_seconds(seen.open)},
                             {"spared", seen.spared},
                             {"refused_good", seen.refused_good},
                             {"missed_incidents", meeting.missed}};
            if (meeting.opens_after) row["opens_after_seconds"] = *meeting.opens_after;
            if (meeting.closes_after) row["closes_after_seconds"] = *meeting.closes_after;
            about["candidates"].push_back(row);
        }
        about["incidents"] = ordered_json::array();
        for (const Incident& incident : target.incidents)
            about["incidents"].push_back(
                {{"from", in_seconds(incident.from)}, {"to", in_seconds(incident.to)}});
        if (!target.suggestions.empty()) {
            about["suggestions"] = ordered_json::array();
            for (const Suggestion& each : target.suggestions)
                about["suggestions"].push_back({{"name", each.name},
                                                {"candidate", each.candidate.text},
                                                {"first_half", half_json(each.first_half)},
                                                {"second_half", half_json(each.second_half)}});
        }
        targets[target.name] = std::move(about);
    }
    return dumped(result);
}

std::string to_table(const Report& report, const std::vector<Candidate>& candidates) {
    std::string text;
    for (const TargetReport& target : report.targets) {
        char line[200];
        std::snprintf(line, sizeof line, ": %ju calls, %ju failures, %ju refused, %zu incidents\n",
                      std::uintmax_t{target.calls}, std::uintmax_t{target.failures},
                      std::uintmax_t{target.refused}, target.incidents.size());
        text += example::printable(target.name) + line;
        text += "  openings reopenings         open    spared refused good opens after closes after"
                "  candidate\n";
        for (std::size_t i = 0; i != candidates.size(); ++i)
            append_row(text, target.outcomes[i], meet(target.incidents, target.outcomes[i]),
                       candidates[i].text);
        for (const Suggestion& each : target.suggestions) {
            std::snprintf(line, sizeof line,
                          "  %-8s  first half: %ju spared, %ju refused good; second half: %ju, %ju\n",
                          each.name.c_str(), std::uintmax_t{each.first_half.spared},
                          std::uintmax_t{each.first_half.refused_good},
                          std::uintmax_t{each.second_half.spared},
                          std::uintmax_t{each.second_half.refused_good});
            text += line + ("            " + each.candidate.text) + "\n";
        }
    }
    if (report.targets.empty()) text += "no calls\n";
    return text;
}

std::vector<std::string> warnings_of(const Report& report, const std::vector<Candidate>& candidates) {
    std::vector<std::string> result;
    if (report.malformed != 0)
        result.push_back(std::to_string(report.malformed) + " malformed lines are left out");
    if (report.dropped != 0)
        result.push_back("the log reports that " + std::to_string(report.dropped) +
                         " lines are missing");
    std::uint64_t refused = 0;
    bool has_calls = false;
    for (const TargetReport& target : report.targets) {
        refused += target.refused;
        has_calls = has_calls || target.calls != 0;
    }
    if (refused != 0)
        result.push_back(std::to_string(refused) +
                         " calls were refused while the log was recorded: what they would have "
                         "answered is not known. Record in METRICS_ONLY");
    if (has_calls && !report.has_fractions) {
        result.push_back("the times are whole seconds: calls of one second have no order but that of "
                         "the file");
        for (const Candidate& candidate : candidates) {
            if (candidate.breaker.reset_timeout.delay(0) < std::chrono::seconds{1})
                result.push_back("reset_timeout is below the resolution of the log, 1 s: " +
                                 candidate.text);
        }
    }
    return result;
}

std::string to_config(const Report& report) {
    ordered_json result;
    const auto balanced = [](const TargetReport& target) {
        return settings_of(std::find_if(target.suggestions.begin(), target.suggestions.end(),
                                        [](const Suggestion& each) { return each.name == "balanced"; })
                               ->candidate);
    };
    if (report.targets.size() == 1) {
        result = balanced(report.targets.front());
    } else {
        result["targets"] = ordered_json::object();
        for (const TargetReport& target : report.targets)
            result["targets"][target.name] = balanced(target);
    }
    return result.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

} // namespace whatif
