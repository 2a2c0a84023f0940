// SPDX-License-Identifier: MIT
#include "step.hpp"

#include "../common/printable.hpp"

#include <algorithm>
#include <cstddef>
#include <stdexcept>

namespace breaker_drill {

Plan parse_plan(const std::string& text) {
    if (text == "all") return {{steps.begin(), steps.end()}, true};
    if (text == flicker_step || text == std::to_string(steps.size() + 1)) return {{}, true};
    for (std::size_t i = 0; i < steps.size(); ++i) {
        if (text != steps[i].name && text != std::to_string(i + 1)) continue;
        if (steps[i].is_fresh) return {{steps[i]}, false};
        const auto* const end = steps.begin() + i + 1;
        return {{steps.begin(), end}, false};
    }
    throw std::invalid_argument{"'" + example::printable(text, 80) + "' is no step: all, " +
                                step_names() + " or a number from 1 to " +
                                std::to_string(steps.size() + 1)};
}

std::string step_names() {
    std::string names;
    for (const Step& step : steps) names += std::string{step.name} + ", ";
    return names + std::string{flicker_step};
}

} // namespace breaker_drill
