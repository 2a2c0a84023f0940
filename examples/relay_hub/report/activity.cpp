// SPDX-License-Identifier: MIT
#include "activity.hpp"

#include <nlohmann/json.hpp>

namespace relay_hub {
namespace {

std::int64_t step_now() {
    return std::chrono::steady_clock::now().time_since_epoch() / Activity::step_length;
}

} // namespace

void Activity::add(End end) {
    const std::int64_t now = step_now();
    const std::lock_guard lock{mutex_};
    Step& step = ring_[static_cast<std::size_t>(now) % steps];
    if (step.number != now) step = {now, {}};
    ++step.counts[static_cast<std::size_t>(end)];
}

nlohmann::json Activity::report() const {
    auto succeeded = nlohmann::json::array();
    auto failed = nlohmann::json::array();
    auto refused = nlohmann::json::array();
    const std::lock_guard lock{mutex_};
    const std::int64_t now = step_now();
    for (std::int64_t number = now - std::int64_t{steps} + 1; number <= now; ++number) {
        // Before the machine had run for this long there were no steps.
        const Step step = number < 0 ? Step{} : ring_[static_cast<std::size_t>(number) % steps];
        const Counts counts = step.number == number ? step.counts : Counts{};
        succeeded.push_back(counts[0]);
        failed.push_back(counts[1]);
        refused.push_back(counts[2]);
    }
    return {{"step_seconds", step_length.count()},
            {"succeeded", std::move(succeeded)},
            {"failed", std::move(failed)},
            {"refused", std::move(refused)}};
}

} // namespace relay_hub
