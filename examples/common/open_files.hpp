// SPDX-License-Identifier: MIT
#ifndef DASHPOT_EXAMPLES_COMMON_OPEN_FILES_HPP
#define DASHPOT_EXAMPLES_COMMON_OPEN_FILES_HPP

#include <cstddef>

namespace example {

/// Raises this process's limit of open files to `count`, if it is lower.
///
/// @throws std::runtime_error  the system allows fewer
void allow_open_files(std::size_t count);

} // namespace example

#endif
