// SPDX-License-Identifier: MIT
#ifndef DASHPOT_TESTS_SOAK_REPORT_HPP
#define DASHPOT_TESTS_SOAK_REPORT_HPP

#include "ledger.hpp"

#include <vector>

namespace soak {

/// A row for each kind of phase, and a sum.
void print_table(const std::vector<Phase>& phases);

} // namespace soak

#endif
