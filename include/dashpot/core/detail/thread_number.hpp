// SPDX-License-Identifier: MIT
#ifndef DASHPOT_CORE_DETAIL_THREAD_NUMBER_HPP
#define DASHPOT_CORE_DETAIL_THREAD_NUMBER_HPP

#include <dashpot/core/abi.hpp>
#include <dashpot/core/threading.hpp>

#include <atomic>
#include <cstddef>

namespace dashpot::inline DASHPOT_ABI::detail {

#ifdef DASHPOT_THREADING_HEADER
using ::dashpot_threading::thread_number;
#else
/// Returns a number for the calling thread. Numbers are assigned in turn, so threads that run together
/// have different ones.
[[nodiscard]] inline std::size_t thread_number() noexcept {
    static constinit std::atomic<std::size_t> latest{0};
    static constinit thread_local std::size_t mine = 0; // 0: none yet
    if (mine == 0) mine = latest.fetch_add(1, std::memory_order_relaxed) + 1;
    return mine;
}
#endif

} // namespace dashpot::inline DASHPOT_ABI::detail

#endif
