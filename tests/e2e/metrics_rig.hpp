// SPDX-License-Identifier: MIT
#ifndef DASHPOT_TESTS_E2E_METRICS_RIG_HPP
#define DASHPOT_TESTS_E2E_METRICS_RIG_HPP

#include "rig.hpp"

#include <string>
#include <string_view>

namespace e2e {

/// What GET /metrics answered.
struct Page {
    int status = 0;
    std::string content_type;
    std::string text;

    /// Whether it has exactly this line.
    [[nodiscard]] bool has(std::string_view line) const;
};

/// @param accept  the header Accept; empty: none
[[nodiscard]] Page scrape(Rig& rig, const std::string& accept = {});

/// A hub that shows every metric that there is: its circuits are judged by a window, slow calls too.
void start_measured_hub(Rig& rig);

/// Two calls to CORE that succeed, two that fail and open its circuit, three that are refused, and one
/// to CLAIM that succeeds.
void open_core(Rig& rig);

} // namespace e2e

#endif
