// SPDX-License-Identifier: MIT
#ifndef DASHPOT_EXAMPLES_WHATIF_OUTPUT_HPP
#define DASHPOT_EXAMPLES_WHATIF_OUTPUT_HPP

#include "whatif.hpp"

#include <string>
#include <vector>

namespace whatif {

/// The report as one JSON object.
[[nodiscard]] std::string to_json(const Report& report, const std::vector<Candidate>& candidates);

/// The report for people: a table for each target.
[[nodiscard]] std::string to_table(const Report& report, const std::vector<Candidate>& candidates);

/// What limits the report, a line each: for people, and without effect on the exit status.
[[nodiscard]] std::vector<std::string> warnings_of(const Report& report,
                                                   const std::vector<Candidate>& candidates);

/// A config of relay_hub with the balanced suggestion of each target.
[[nodiscard]] std::string to_config(const Report& report);

} // namespace whatif

#endif
