// SPDX-License-Identifier: MIT
#include "guard_report.hpp"

#include "../../common/utc_time.hpp"

#include <nlohmann/json.hpp>

namespace relay_hub {
namespace {

using nlohmann::json;

json or_null(const std::optional<double>& rate) { return rate ? json(*rate) : json(); }

} // namespace

json judged_numbers(const dashpot::Snapshot& snapshot) {
    return {{"calls", snapshot.calls},
            {"failures", snapshot.failures},
            {"slow", snapshot.slow},
            {"failure_rate", or_null(snapshot.failure_rate)},
            {"slow_rate", or_null(snapshot.slow_rate)}};
}

nlohmann::ordered_json event_report(const dashpot::BreakerEvent& event) {
    nlohmann::ordered_json result;
    result["number"] = event.number;
    result["at"] = example::to_utc(event.at);
    result["generation"] = event.generation;
    result["kind"] = dashpot::to_string(event.kind);
    result["from"] = dashpot::to_string(event.from);
    result["to"] = dashpot::to_string(event.to);
    if (event.kind == dashpot::EventKind::transition)
        result["reason"] = dashpot::to_string(event.reason);
    result["count"] = event.count;
    result["calls"] = event.calls;
    result["failures"] = event.failures;
    result["slow"] = event.slow;
    return result;
}

void LastOpening::note(const dashpot::Transition& transition) {
    if (transition.to != dashpot::State::open) return;
    const std::lock_guard lock{mutex_};
    opening_ = transition;
}

json LastOpening::report() const {
    const std::lock_guard lock{mutex_};
    if (!opening_) return {};
    json result = judged_numbers(opening_->snapshot);
    result["at"] = example::to_utc(opening_->at);
    result["reason"] = dashpot::to_string(opening_->reason);
    return result;
}

} // namespace relay_hub
