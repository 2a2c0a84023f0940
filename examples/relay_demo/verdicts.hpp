// SPDX-License-Identifier: MIT
#ifndef DASHPOT_EXAMPLES_RELAY_DEMO_VERDICTS_HPP
#define DASHPOT_EXAMPLES_RELAY_DEMO_VERDICTS_HPP

#include <algorithm>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

namespace relay_demo {

/// The claims of the demo, and whether each was seen to hold.
class Verdicts {
  public:
    void add(bool holds, std::string claim) { claims_.emplace_back(holds, std::move(claim)); }

    [[nodiscard]] bool all_hold() const {
        return std::ranges::all_of(claims_, [](const auto& claim) { return claim.first; });
    }

    void print() const {
        std::puts("\nVerdicts");
        for (const auto& [holds, claim] : claims_)
            std::printf("  %s  %s\n", holds ? "PASS" : "FAIL", claim.c_str());
    }

  private:
    std::vector<std::pair<bool, std::string>> claims_;
};

} // namespace relay_demo

#endif
