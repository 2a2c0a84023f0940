// SPDX-License-Identifier: MIT
#ifndef DASHPOT_TESTS_FUZZ_FINDING_HPP
#define DASHPOT_TESTS_FUZZ_FINDING_HPP

#include <cstdio>
#include <cstdlib>
#include <string>

namespace fuzz {

/// Ends the program the way that libFuzzer takes for a finding: it keeps the input.
[[noreturn]] inline void report(const std::string& what) {
    static_cast<void>(std::fprintf(stderr, "FOUND: %s\n", what.c_str()));
    std::abort();
}

inline void require(bool holds, const char* what) {
    if (!holds) report(what);
}

} // namespace fuzz

#endif
