// SPDX-License-Identifier: MIT
#include "transition_history.hpp"

#include "../../common/utc_time.hpp"
#include "guard_report.hpp"

#include <nlohmann/json.hpp>

#include <utility>

namespace relay_hub {

void TransitionHistory::note(const dashpot::Transition& transition) {
    const std::lock_guard lock{mutex_};
    changes_.push_front(transition);
    if (changes_.size() > kept) changes_.pop_back();
}

nlohmann::json TransitionHistory::report() const {
    auto result = nlohmann::json::array();
    const std::lock_guard lock{mutex_};
    for (const dashpot::Transition& transition : changes_) {
        nlohmann::json change = judged_numbers(transition.snapshot);
        change["at"] = example::to_utc(transition.at);
        change["generation"] = transition.generation;
        change["from"] = dashpot::to_string(transition.from);
        change["to"] = dashpot::to_string(transition.to);
        change["reason"] = dashpot::to_string(transition.reason);
        result.push_back(std::move(change));
    }
    return result;
}

} // namespace relay_hub
