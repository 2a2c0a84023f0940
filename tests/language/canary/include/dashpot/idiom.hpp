// SPDX-License-Identifier: MIT
#ifndef DASHPOT_TESTS_LANGUAGE_IDIOM_HPP
#define DASHPOT_TESTS_LANGUAGE_IDIOM_HPP

/// Whether the file is read. It stays here for
/// ever, to prove it.
inline bool tells_nobody() { return true; } // the name is code, and no comment

#endif
