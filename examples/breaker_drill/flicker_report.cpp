// SPDX-License-Identifier: MIT
#include "flicker_report.hpp"

#include "breaker.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>

namespace breaker_drill {
namespace {

/// Sums over the services that fail so often that the circuit belongs open.
struct Sums {
    Sums(const std::vector<Flicker>& measured, std::uint32_t probes) {
        for (const Flicker& row : measured) {
            if (row.probes != probes || row.failure_chance < window.failure_rate) continue;
            closes += row.closes;
            failed += row.failed;
            flips += row.flips();
        }
    }

    std::uint32_t closes = 0;
    std::uint32_t failed = 0;
    std::uint32_t flips = 0;
};

std::string versus(std::uint32_t one, std::uint32_t three) {
    return std::to_string(one) + " with one probe, " + std::to_string(three) + " with three";
}

/// Five standard deviations, and three for the smallest numbers: no luck goes so far.
bool is_as_expected(const Flicker& row) {
    const double rate = row.expected_close_rate();
    const double expected = row.half_opens * rate;
    const double deviation = std::sqrt(expected * (1 - rate));
    return row.half_opens > 0 && std::abs(row.closes - expected) <= 5 * deviation + 3;
}

} // namespace

std::string to_table(const std::vector<Flicker>& measured) {
    std::string table = "        fails  probes  closed / half-open  expected  OPEN<->HALF_OPEN  failed "
                        " refused  served\n";
    for (const Flicker& row : measured) {
        std::array<char, 160> line{};
        std::snprintf(line.data(), line.size(),
                      "        %3.0f %%  %6u  %6u / %3u = %.3f  %8.3f  %16u  %6u  %7u  %6u\n",
                      100 * row.failure_chance, row.probes, row.closes, row.half_opens,
                      row.close_rate(), row.expected_close_rate(), row.flips(), row.failed, row.refused,
                      row.served());
        table += line.data();
    }
    return table;
}

std::vector<Claim> claims_of(const std::vector<Flicker>& measured) {
    const Sums one{measured, 1};
    const Sums three{measured, 3};
    return {
        {one.closes > three.closes,
         "closed in front of a service that fails 50 % or more: " + versus(one.closes, three.closes)},
        {one.failed > three.failed, "callers that failed there: " + versus(one.failed, three.failed)},
        {one.flips < three.flips,
         "OPEN<->HALF_OPEN there, which is no sign of it: " + versus(one.flips, three.flips)},
        {std::ranges::all_of(measured, is_as_expected),
         "each closed as often as chance lets all its probes succeed"},
    };
}

} // namespace breaker_drill
