// SPDX-License-Identifier: MIT
#include "guard_report.hpp"

#include "utc_time.hpp"

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

void LastOpening::note(const dashpot::Transition& transition) {
    if (transition.to != dashpot::State::open) return;
    const std::lock_guard lock{mutex_};
    opening_ = transition;
}

json LastOpening::report() const {
    const std::lock_guard lock{mutex_};
    if (!opening_) return {};
    json result = judged_numbers(opening_->snapshot);
    result["at"] = to_utc(opening_->at);
    result["reason"] = dashpot::to_string(opening_->reason);
    return result;
}

} // namespace relay_hub
