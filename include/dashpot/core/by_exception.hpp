// SPDX-License-Identifier: MIT
#ifndef DASHPOT_CORE_BY_EXCEPTION_HPP
#define DASHPOT_CORE_BY_EXCEPTION_HPP

#include <dashpot/core/abi.hpp>
#include <dashpot/core/contract.hpp>
#include <dashpot/core/detail/judge_value.hpp>
#include <dashpot/core/outcome.hpp>
#include <dashpot/core/result.hpp>

#include <concepts>
#include <exception>
#include <functional>
#include <type_traits>

namespace dashpot::inline DASHPOT_ABI {

/// The default classifier of `call`. An exception is a failure; a returned value is a success unless
/// the value is an error.
///
/// **Contract.** These returned values are failures:
/// - a type with has_value() and error(), such as std::expected, that has no value;
/// - a std::error_code or std::error_condition that is not zero, or an enumerator that converts to
///   one.
///
/// A std::optional without a value, false and null are successes. A refusal by an inner guard is
/// ignored, because that call was not made; only `timed_out` is a failure, because that call was made.
/// Refusals are a Result without a value, an error code of dashpot, and the exception of
/// Result::value().
struct ByException {
    template <class T>
    [[nodiscard]] constexpr Outcome operator()(const T& value) const {
        return detail::judge_value(value);
    }

    /// Judges a call that returned nothing.
    [[nodiscard]] constexpr Outcome operator()() const noexcept { return Outcome::success; }

#if DASHPOT_EXCEPTIONS
    [[nodiscard]] Outcome operator()(std::exception_ptr thrown) const noexcept {
        if (!thrown) return Outcome::success; // the call returned a null std::exception_ptr
        try {
            std::rethrow_exception(thrown);
        } catch (const BadResultAccess& refused) {
            return detail::judge_refusal(refused.error().reason);
        } catch (...) {
            return Outcome::failure;
        }
    }
#endif
};

namespace detail {

/// Adds to F's own overloads one for a std::exception_ptr. The added overload wins against any
/// template and is ambiguous with any other function. Overload resolution thus separates the two cases
/// without compiling the body of a template.
template <class F, class Parameter>
struct Rivalled : F {
    using F::operator();
    void operator()(Parameter) const;
    void operator()(Parameter);
};

template <class F>
concept TiesWithRival = !requires(F& f, const std::exception_ptr& thrown) { f(thrown); };

/// Has a call operator for exceptions that is not a template, by value or by reference. There are two
/// rivals, because a function with exactly the parameter of a rival is hidden by that rival.
template <class F>
concept HasExceptionOverload =
    !std::is_final_v<F> && (TiesWithRival<Rivalled<F, std::exception_ptr>> ||
                            TiesWithRival<const Rivalled<F, std::exception_ptr>> ||
                            TiesWithRival<Rivalled<F, const std::exception_ptr&>> ||
                            TiesWithRival<const Rivalled<F, const std::exception_ptr&>>);

/// Is true if a classifier judges exceptions; `Classify` may be a reference.
///
/// A generic lambda accepts any argument by its signature, and testing it with an exception_ptr would
/// compile its body with one. Such a lambda counts as judging values only, unless it also has an
/// overload for std::exception_ptr.
template <class Classify>
[[nodiscard]] consteval bool judges_exceptions() {
    using Plain = std::remove_cvref_t<std::unwrap_ref_decay_t<Classify>>;
    if constexpr (!DASHPOT_EXCEPTIONS) {
        return false;
    } else if constexpr (!std::is_class_v<Plain> || requires { &Plain::operator(); }) {
        return std::is_invocable_r_v<Outcome, Classify&,
                                     std::exception_ptr>; // one function, no template
    } else {
        return HasExceptionOverload<Plain>;
    }
}

/// Is true if a classifier judges exceptions and is a single function, without any overload for
/// values.
template <class Classify>
[[nodiscard]] consteval bool judges_exceptions_alone() {
    using Plain = std::remove_cvref_t<std::unwrap_ref_decay_t<Classify>>;
    if constexpr (!judges_exceptions<Classify>()) {
        return false;
    } else {
        return !std::is_class_v<Plain> || requires { &Plain::operator(); };
    }
}

/// A Classifier whose rules all judge values.
template <class Classify>
concept JudgesOnlyValues = std::remove_cvref_t<std::unwrap_ref_decay_t<Classify>>::judges_only_values;

} // namespace detail

} // namespace dashpot::inline DASHPOT_ABI

#endif
