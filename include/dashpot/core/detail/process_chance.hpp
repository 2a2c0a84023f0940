// SPDX-License-Identifier: MIT
#ifndef DASHPOT_CORE_DETAIL_PROCESS_CHANCE_HPP
#define DASHPOT_CORE_DETAIL_PROCESS_CHANCE_HPP

#include <dashpot/core/abi.hpp>
#include <dashpot/core/clock.hpp>

#include <cstdint>

#if !defined(_WIN32) && __has_include(<unistd.h>)
#include <unistd.h>
#endif

namespace dashpot::inline DASHPOT_ABI::detail {

/// Returns a number that differs between processes and between calls. The number is not random; mix it
/// with other bits.
///
/// **Contract.** On systems with process ids, the number differs between a process and its forks, also
/// at the same instant. Windows has no fork.
/// **Threads.** Any thread may call it. **Cost.** It reads a clock and, on systems with process ids,
/// makes a system call.
[[nodiscard]] inline std::uint64_t process_chance() noexcept {
    auto number = static_cast<std::uint64_t>(SteadyClock::now().time_since_epoch().count());
#if !defined(_WIN32) && __has_include(<unistd.h>)
    number ^= static_cast<std::uint64_t>(::getpid())
              << 32U; // far from the bits of the time that differ
#endif
    return number;
}

} // namespace dashpot::inline DASHPOT_ABI::detail

#endif
