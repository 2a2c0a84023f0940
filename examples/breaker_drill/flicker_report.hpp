// SPDX-License-Identifier: MIT
#ifndef DASHPOT_EXAMPLES_BREAKER_DRILL_FLICKER_REPORT_HPP
#define DASHPOT_EXAMPLES_BREAKER_DRILL_FLICKER_REPORT_HPP

#include "flicker.hpp"

#include <string>
#include <vector>

namespace breaker_drill {

/// A row for each breaker.
[[nodiscard]] std::string to_table(const std::vector<Flicker>& measured);

/// Something that the measurement is here to show, and whether it does.
struct Claim {
    bool holds;
    std::string text;
};
[[nodiscard]] std::vector<Claim> claims_of(const std::vector<Flicker>& measured);

} // namespace breaker_drill

#endif
