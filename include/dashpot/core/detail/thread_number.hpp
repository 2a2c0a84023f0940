// SPDX-License-Identifier: MIT
#ifndef DASHPOT_CORE_DETAIL_THREAD_NUMBER_HPP
#define DASHPOT_CORE_DETAIL_THREAD_NUMBER_HPP

#include <dashpot/core/abi.hpp>
#include <dashpot/core/threading.hpp>

#include <atomic>
#include <cstddef>

namespace dashpot::inline DASHPOT_ABI::detail {

/// The unit in which cores share memory on the machines we know; the standard's constant varies
/// between compilers and flags, and would change the layout with them.
inline constexpr std::size_t cache_line = 64;

#ifdef DASHPOT_THREADING_HEADER
using ::dashpot_threading::thread_number;
#else
/// A number for the calling thread, handed out in turn: threads that run together get different ones.
[[nodiscard]] inline std::size_t thread_number() noexcept {
    static constinit std::atomic<std::size_t> latest{0};
    static constinit thread_local std::size_t mine = 0; // 0: none yet
    if (mine == 0) mine = latest.fetch_add(1, std::memory_order_relaxed) + 1;
    return mine;
}
#endif

} // namespace dashpot::inline DASHPOT_ABI::detail

#endif
