// SPDX-License-Identifier: MIT
#ifndef DASHPOT_EXAMPLES_WHATIF_CALL_HPP
#define DASHPOT_EXAMPLES_WHATIF_CALL_HPP

#include <cstdint>
#include <stdexcept>
#include <string>

namespace whatif {

/// How a recorded call ended.
enum class Ending : std::uint8_t { success, failure, ignored, refused, dropped };

/// A line of a log. Times are nanoseconds since 1970.
struct Call {
    std::int64_t end = 0;
    std::int64_t elapsed = 0;
    std::uint32_t target = 0; ///< The number of the target: see Targets.
    Ending ending = Ending::success;

    [[nodiscard]] std::int64_t begin() const noexcept { return end - elapsed; }
};

/// A log that cannot be used, or not to its end: exit status 1.
class LogError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

/// The same, where the text begins with `FILE:LINE: `.
class LineError : public LogError {
  public:
    using LogError::LogError;
};

/// An option that makes no sense: exit status 2.
class UsageError : public std::invalid_argument {
  public:
    using std::invalid_argument::invalid_argument;
};

} // namespace whatif

#endif
