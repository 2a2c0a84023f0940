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

/// Returns true if the error says that a dashpot guard refused the call.
template <class E>
[[nodiscard]] constexpr bool is_refusal(const E& error) noexcept {
    if constexpr (std::derived_from<E, Refusal> || std::same_as<E, Error>) {
        return true;
    } else if constexpr (std::derived_from<E, std::error_code>) {
        return error && error.category() == error_category();
    } else {
        return false;
    }
}

/// Judges a returned value if no classifier is given.
///
/// **Contract.** These values are failures: a type with has_value() and error() that has no value, and
/// an error code that is not zero. If the error is a refusal by a dashpot guard, the outcome is
/// ignored. If a value is present, the same rules are applied to this value. Every other value is a
/// success.
template <class T>
[[nodiscard]] constexpr Outcome judge_value(const T& value) {
    if constexpr (ValueOrError<T>) {
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
        return is_refusal(value.error()) ? Outcome::ignored : Outcome::failure;
    } else if constexpr (std::derived_from<T, Refusal> || std::same_as<T, Error>) {
        return Outcome::ignored;
    } else if constexpr (ErrorCode<T>) {
        if (!value) return Outcome::success;
        return is_refusal(value) ? Outcome::ignored : Outcome::failure;
    } else if constexpr (std::is_error_code_enum_v<T> || std::is_error_condition_enum_v<T>) {
        return static_cast<std::underlying_type_t<T>>(value) == 0 ? Outcome::success : Outcome::failure;
    } else {
        return Outcome::success;
    }
}

} // namespace dashpot::inline DASHPOT_ABI::detail

#endif
