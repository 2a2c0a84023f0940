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
#include <stdexcept>
#else
#include <cstdio>
#include <cstdlib>
#endif

// What the library does about mistakes of its caller: DASHPOT_ASSERT checks a broken promise at run
// time, and refuse_option() refuses an option before anything uses it. What a call returns or refuses
// is no mistake: see core/error.hpp and core/result.hpp.

/// Checks a promise of the caller. The check is active in Debug and removed by NDEBUG. To report
/// broken promises in another way, define the macro before the first include.
#ifndef DASHPOT_ASSERT
#define DASHPOT_ASSERT(condition) assert(condition)
#endif

namespace dashpot::inline DASHPOT_ABI {

namespace detail {

#if !DASHPOT_EXCEPTIONS
[[noreturn]] inline void abort_with(const char* message) noexcept {
    std::fputs(message, stderr);
    std::fputc('\n', stderr);
    std::abort();
}
#endif

} // namespace detail

/// Refuses an option that is out of range. Custom policies call it from `validate()`.
///
/// **Contract.** Never returns. `message` names the field, the given value and the range, for a human
/// reader.
/// **Errors.** Throws std::invalid_argument. Without exceptions, it prints the message to stderr and
/// aborts. In a constant expression the call does not compile, so a wrong constant is found at compile
/// time.
[[noreturn]] inline void refuse_option(const char* message) {
#if DASHPOT_EXCEPTIONS
    throw std::invalid_argument{message};
#else
    detail::abort_with(message);
#endif
}

namespace detail {

/// Returns the text of a message whose parts are numbers, durations and strings.
[[nodiscard]] inline std::string text_of(std::initializer_list<ValueText> parts) {
    std::string text;
    for (const ValueText& part : parts) text += part.view();
    return text;
}

[[noreturn]] inline void refuse_with(std::initializer_list<ValueText> parts) {
    dashpot::refuse_option(text_of(parts).c_str());
}

} // namespace detail

/// Refuses an option that is out of range, and states the given value.
///
///     if (size == 0) refuse_option("Window::size", size, "must be 1 or more");
///
/// makes the message `Window::size is 0, must be 1 or more`.
///
/// **Contract.** Never returns. `value` and the parts of the rule are numbers, durations or strings.
/// The message does not depend on the locale: the number 0.5 is printed as `0.5`, ten seconds as
/// `10s`.
/// **Errors.** Throws or aborts as refuse_option(message) does.
template <class Value, class... Rule>
    requires(std::is_constructible_v<detail::ValueText, const Value&> && sizeof...(Rule) != 0)
[[noreturn]] void refuse_option(const char* name, const Value& value, const Rule&... rule) {
    detail::refuse_with({detail::ValueText{name}, detail::ValueText{" is "}, detail::ValueText{value},
                         detail::ValueText{", "}, detail::ValueText{rule}...});
}

} // namespace dashpot::inline DASHPOT_ABI

#endif
