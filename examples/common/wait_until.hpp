// SPDX-License-Identifier: MIT
#ifndef DASHPOT_EXAMPLES_COMMON_WAIT_UNTIL_HPP
#define DASHPOT_EXAMPLES_COMMON_WAIT_UNTIL_HPP

#include <chrono>
#include <span>

#include <poll.h>

namespace example {

using SteadyTime = std::chrono::steady_clock::time_point;

/// Waits until one of `watched` is ready (see their `revents`) or the deadline has passed.
///
/// @return false: the deadline passed and nothing is ready.
[[nodiscard]] bool wait_until(std::span<pollfd> watched, SteadyTime deadline) noexcept;

/// The same for one descriptor.
[[nodiscard]] bool wait_until(int descriptor, short events, SteadyTime deadline) noexcept;

} // namespace example

#endif
