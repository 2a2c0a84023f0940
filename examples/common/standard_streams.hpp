// SPDX-License-Identifier: MIT
#ifndef DASHPOT_EXAMPLES_COMMON_STANDARD_STREAMS_HPP
#define DASHPOT_EXAMPLES_COMMON_STANDARD_STREAMS_HPP

#include <string_view>

namespace example {

/// Opens /dev/null for each of the descriptors 0, 1 and 2 that the program was started without, so that
/// no file or connection gets such a number and what is printed ends up in it. To be called first.
void keep_standard_descriptors() noexcept;

/// Writes a line to standard error: `PROGRAM: TEXT`. Lines of several threads do not mix.
///
/// **Contract.** Never waits for the reader: while standard error is a pipe that is full, the line is
/// dropped.
void say(std::string_view program, std::string_view text);

} // namespace example

#endif
