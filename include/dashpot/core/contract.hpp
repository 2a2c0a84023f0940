// SPDX-License-Identifier: MIT
#ifndef DASHPOT_CORE_CONTRACT_HPP
#define DASHPOT_CORE_CONTRACT_HPP

#include <dashpot/core/abi.hpp>

#include <cassert>

#if DASHPOT_EXCEPTIONS
#include <exception>
#include <stdexcept>
#else
#include <cstdio>
#include <cstdlib>
#endif

/// Checks a promise that the caller made. On in Debug, gone with NDEBUG; define it before the first
/// include to send broken promises elsewhere.
#ifndef DASHPOT_ASSERT
#define DASHPOT_ASSERT(condition) assert(condition)
#endif

namespace dashpot::inline DASHPOT_ABI {

namespace detail {

#if DASHPOT_EXCEPTIONS
/// How many exceptions are unwinding this thread's stack.
[[nodiscard]] inline int exceptions_under_way() noexcept { return std::uncaught_exceptions(); }
#else
[[nodiscard]] constexpr int exceptions_under_way() noexcept { return 0; }

[[noreturn]] inline void abort_with(const char* message) noexcept {
    std::fputs(message, stderr);
    std::fputc('\n', stderr);
    std::abort();
}
#endif

} // namespace detail

/// Refuses an option that is out of range. A policy of your own calls it from `validate()`.
///
/// **Contract.** Never returns. `message` names the field and its range, for a person to read.
/// **Errors.** Throws std::invalid_argument; without exceptions, prints the message to stderr and
/// aborts. In a constant expression it does not compile, which is the point.
[[noreturn]] inline void refuse_option(const char* message) {
#if DASHPOT_EXCEPTIONS
    throw std::invalid_argument{message};
#else
    detail::abort_with(message);
#endif
}

} // namespace dashpot::inline DASHPOT_ABI

#endif
