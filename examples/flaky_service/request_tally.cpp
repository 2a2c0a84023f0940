// SPDX-License-Identifier: MIT
#include "request_tally.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace flaky_service {

void RequestTally::add(std::string_view path) {
    const auto found = std::find(names_.begin(), names_.end() - 1, path);
    const auto index = static_cast<std::size_t>(found - names_.begin());
    const std::lock_guard lock{mutex_};
    ++counts_[index];
}

std::string RequestTally::to_json() const {
    const auto counts = [this] {
        const std::lock_guard lock{mutex_};
        return counts_;
    }();
    nlohmann::ordered_json result;
    result["total"] = std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
    for (std::size_t i = 0; i < names_.size(); ++i)
        result["per_path"][std::string{names_[i]}] = counts[i];
    return result.dump() + "\n";
}

} // namespace flaky_service
