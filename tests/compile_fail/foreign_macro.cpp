// SPDX-License-Identifier: MIT
// The words of tests/foreign_macros must not compile as names.
#include "../foreign_macros/words.hpp"

#ifdef MUST_FAIL
int slots = 0;
#endif
