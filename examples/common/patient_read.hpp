// SPDX-License-Identifier: MIT
#ifndef DASHPOT_EXAMPLES_COMMON_PATIENT_READ_HPP
#define DASHPOT_EXAMPLES_COMMON_PATIENT_READ_HPP

#include <chrono>
#include <cstddef>
#include <string>

namespace example {

/// Reads a file or a pipe from its beginning to its end, but no more than `at_most` bytes.
///
/// **Contract.** A FIFO that has no writer, or whose writer writes nothing, is waited for no longer
/// than `patience`. A mount that does not answer holds the caller.
/// **Errors.** std::runtime_error says why it cannot be read.
[[nodiscard]] std::string patient_read(const std::string& path, std::size_t at_most,
                                       std::chrono::milliseconds patience);

} // namespace example

#endif
