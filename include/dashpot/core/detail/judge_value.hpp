// SPDX-License-Identifier: MIT
#ifndef DASHPOT_CORE_DETAIL_JUDGE_VALUE_HPP
#define DASHPOT_CORE_DETAIL_JUDGE_VALUE_HPP

#include <dashpot/core/abi.hpp>
#include <dashpot/core/detail/deferred.hpp>
#include <dashpot/core/error.hpp>
#include <dashpot/core/outcome.hpp>

#include <concepts>
#include <system_error>
#include <type_traits>

namespace dashpot::inline DASHPOT_ABI::detail {

/// Has the interface of std::error_code or std::error_condition.
template <class T>
concept ErrorCode = requires(const T& code) {
    static_cast<bool>(code);
    { code.value() } -> std::integral;
    code.category().name();
    code.message();
};

/// A refused call was not made and is ignored. A call that `timed_out` was made, and is a failure.
[[nodiscard]] constexpr Outcome judge_refusal(Error reason) noexcept {
    return reason == Error::timed_out ? Outcome::failure : Outcome::ignored;
}

/// Judges an error that a call returned: a refusal by a dashpot guard, or any other error.
template <class E>
[[nodiscard]] constexpr Outcome judge_error(const E& error) noexcept {
    if constexpr (std::derived_from<E, Refusal>) {
        return judge_refusal(error.reason);
    } else if constexpr (std::same_as<E, Error>) {
        return judge_refusal(error);
    } else if constexpr (std::derived_from<E, std::error_code>) {
        const bool is_refusal = error && error.category() == error_category();
        return is_refusal ? judge_refusal(static_cast<Error>(error.value())) : Outcome::failure;
    } else {
        return Outcome::failure;
    }
}

/// Judges a returned value if no classifier is given.
///
/// **Contract.** These values are failures: a type with has_value() and error() that has no value, and
/// an error code that is not zero. If the error is a refusal by a dashpot guard other than `timed_out`,
/// the outcome is ignored. If a value is present, the same rules are applied to this value. Every other
/// value is a success.
template <class T>
[[nodiscard]] constexpr Outcome judge_value(const T& value) {
    if constexpr (!requires { sizeof(T); }) {
        return Outcome::success; // a reference to a type that is only declared here
    } else if constexpr (ValueOrError<T>) {
        if (value.has_value()) {
            if constexpr (HasSomething<T>) {
                return judge_value(*value);
            } else {
                return Outcome::success;
            }
        }
        if constexpr (requires { static_cast<bool>(value.has_error()); }) {
            if (!value.has_error()) return Outcome::failure; // an exception, in Boost.Outcome
        }
        return judge_error(value.error());
    } else if constexpr (std::derived_from<T, Refusal> || std::same_as<T, Error>) {
        return judge_error(value);
    } else if constexpr (ErrorCode<T>) {
        return value ? judge_error(value) : Outcome::success;
    } else if constexpr (std::is_error_code_enum_v<T> || std::is_error_condition_enum_v<T>) {
        return static_cast<std::underlying_type_t<T>>(value) == 0 ? Outcome::success : Outcome::failure;
    } else {
        return Outcome::success;
    }
}

} // namespace dashpot::inline DASHPOT_ABI::detail

#endif
