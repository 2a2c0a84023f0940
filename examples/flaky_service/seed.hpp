// SPDX-License-Identifier: MIT
#ifndef DASHPOT_EXAMPLES_FLAKY_SERVICE_SEED_HPP
#define DASHPOT_EXAMPLES_FLAKY_SERVICE_SEED_HPP

#include "../common/number.hpp"
#include "../common/printable.hpp"

#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>

namespace flaky_service {

/// @throws std::invalid_argument  it is no whole number of 64 bits
[[nodiscard]] inline std::uint64_t parse_seed(const std::string& text) {
    constexpr auto highest = std::numeric_limits<std::uint64_t>::max();
    const auto seed = example::to_number(text, std::uint64_t{0}, highest);
    if (!seed)
        throw std::invalid_argument{"'" + example::printable(text, 80) +
                                    "' is not a whole number from 0 to " + std::to_string(highest)};
    return *seed;
}

} // namespace flaky_service

#endif
