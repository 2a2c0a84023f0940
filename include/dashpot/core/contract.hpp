// SPDX-License-Identifier: MIT
#ifndef DASHPOT_CORE_CONTRACT_HPP
#define DASHPOT_CORE_CONTRACT_HPP

#include <dashpot/core/abi.hpp>
#include <dashpot/core/detail/value_text.hpp>

#include <cassert>
#include <initializer_list>
#include <string>
#include <type_traits>

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
/// **Contract.** Never returns. `message` names the field, the value that was given and the range, for
/// a person to read.
/// **Errors.** Throws std::invalid_argument; without exceptions, prints the message to stderr and
/// aborts. In a constant expression it does not compile, which is the point.
[[noreturn]] inline void refuse_option(const char* message) {
#if DASHPOT_EXCEPTIONS
    throw std::invalid_argument{message};
#else
    detail::abort_with(message);
#endif
}

namespace detail {

[[noreturn]] inline void refuse_with(std::initializer_list<ValueText> parts) {
    std::string message;
    for (const ValueText& part : parts) message += part.view();
    dashpot::refuse_option(message.c_str());
}

} // namespace detail

/// Refuses an option that is out of range, with the value that was given.
///
///     if (size == 0) refuse_option("Window::size", size, "must be 1 or more");
///
/// makes the message `Window::size is 0, must be 1 or more`.
///
/// **Contract.** Never returns. `value` and the parts of the rule are numbers, durations or strings.
/// The message has no text of a locale: the number 0.5 reads `0.5`, ten seconds read `10s`.
/// **Errors.** As refuse_option(message).
template <class Value, class... Rule>
    requires(std::is_constructible_v<detail::ValueText, const Value&> && sizeof...(Rule) != 0)
[[noreturn]] void refuse_option(const char* name, const Value& value, const Rule&... rule) {
    detail::refuse_with({detail::ValueText{name}, detail::ValueText{" is "}, detail::ValueText{value},
                         detail::ValueText{", "}, detail::ValueText{rule}...});
}

} // namespace dashpot::inline DASHPOT_ABI

#endif
