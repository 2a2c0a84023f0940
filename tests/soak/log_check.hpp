// SPDX-License-Identifier: MIT
#ifndef DASHPOT_TESTS_SOAK_LOG_CHECK_HPP
#define DASHPOT_TESTS_SOAK_LOG_CHECK_HPP

#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <utility>

namespace soak {

/// What a breaker log of one hub says.
struct LogContent {
    /// By target and change: `{"CORE", "CLOSED->OPEN"}`.
    std::map<std::pair<std::string, std::string>, std::uint64_t> changes;
    std::uint64_t lines = 0;
    std::set<std::string> years; ///< of its times
    std::string problem;         ///< the first line that is none, or begins where the last did not end
};

[[nodiscard]] LogContent read_log(const std::filesystem::path& path);

} // namespace soak

#endif
