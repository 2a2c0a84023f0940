// SPDX-License-Identifier: MIT
#ifndef DASHPOT_TESTS_PARTS_PART_HPP
#define DASHPOT_TESTS_PARTS_PART_HPP

#include <system_error>

/// What each part of a program offers, whatever its settings are.
struct Part {
    const char* name;
    /// Returns what does not behave as the part was compiled, or null.
    const char* (*fault)();
    std::error_code (*code)(); // of a refusal
    /// Throws the exception of Result::value(). Null without exceptions.
    void (*throw_refusal)();
};

#endif
