// SPDX-License-Identifier: MIT
#ifndef DASHPOT_CORE_DETAIL_CACHE_LINE_HPP
#define DASHPOT_CORE_DETAIL_CACHE_LINE_HPP

#include <dashpot/core/abi.hpp>

#include <cstddef>

namespace dashpot::inline DASHPOT_ABI::detail {

/// The assumed unit in which cores share memory. The standard's constant varies between compilers and
/// flags, so layouts would vary with it.
inline constexpr std::size_t cache_line = 64;

} // namespace dashpot::inline DASHPOT_ABI::detail

#endif
