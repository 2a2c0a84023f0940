// SPDX-License-Identifier: MIT
#ifndef DASHPOT_CORE_RESULT_HPP
#define DASHPOT_CORE_RESULT_HPP

#include <dashpot/core/abi.hpp>
#include <dashpot/core/contract.hpp>
#include <dashpot/core/error.hpp>

#include <functional>
#include <optional>
#include <type_traits>
#include <utility>
#include <version>

#if defined(__cpp_lib_expected)
#include <expected>
#endif

namespace dashpot::inline DASHPOT_ABI {

namespace detail {

/// The type in which the returned value of a call is stored: a reference becomes a reference_wrapper.
template <class T>
using Stored =
    std::conditional_t<std::is_lvalue_reference_v<T>,
                       std::reference_wrapper<std::remove_reference_t<T>>, std::remove_cvref_t<T>>;

} // namespace detail

#if defined(__cpp_lib_expected)

/// The exception that value() throws if there is no value.
using BadResultAccess = std::bad_expected_access<Refusal>;

/// A refusal that converts to any Result.
using Refused = std::unexpected<Refusal>;

/// The value that a call returned, or the refusal if the call was not made.
template <class T>
using Result = std::expected<detail::Stored<T>, Refusal>;

#else

#if DASHPOT_EXCEPTIONS
/// The exception that value() throws if there is no value.
class DASHPOT_EXPORTED BadResultAccess : public std::exception {
  public:
    explicit BadResultAccess(const Refusal& refusal) noexcept : refusal_{refusal} {}
    [[nodiscard]] const Refusal& error() const noexcept { return refusal_; }
    [[nodiscard]] const char* what() const noexcept override {
        return "dashpot: a refused call has no value";
    }

  private:
    Refusal refusal_;
};
#endif

/// A refusal that converts to any Result.
class Refused {
  public:
    constexpr explicit Refused(const Refusal& refusal) noexcept : refusal_{refusal} {}
    [[nodiscard]] constexpr const Refusal& error() const noexcept { return refusal_; }

  private:
    Refusal refusal_;
};

namespace detail {

[[noreturn]] inline void throw_bad_access([[maybe_unused]] const Refusal& refusal) {
#if DASHPOT_EXCEPTIONS
    throw BadResultAccess{refusal};
#else
    abort_with("dashpot: a refused call has no value");
#endif
}

/// Replaces std::expected<T, Refusal> for standard libraries without std::expected, with the same
/// member names.
template <class T>
class Expected {
  public:
    using value_type = T;
    using error_type = Refusal;
    using unexpected_type = Refused;

    constexpr Expected()
        requires std::is_default_constructible_v<T>
        : value_{std::in_place} {}

    template <class U = T>
        requires(!std::is_same_v<std::remove_cvref_t<U>, Expected> &&
                 !std::is_same_v<std::remove_cvref_t<U>, std::in_place_t> &&
                 !std::is_same_v<std::remove_cvref_t<U>, Refused> && std::is_constructible_v<T, U>)
    constexpr explicit(!std::is_convertible_v<U, T>) Expected(U&& value)
        : value_{std::in_place, std::forward<U>(value)} {}

    template <class... Args>
        requires std::is_constructible_v<T, Args...>
    constexpr explicit Expected(std::in_place_t, Args&&... args)
        : value_{std::in_place, std::forward<Args>(args)...} {}

    constexpr Expected(const Refused& refused) : refusal_{refused.error()} {}

    [[nodiscard]] constexpr bool has_value() const noexcept { return value_.has_value(); }
    constexpr explicit operator bool() const noexcept { return has_value(); }

    constexpr T& value() & { return checked(*this); }
    constexpr const T& value() const& { return checked(*this); }
    constexpr T&& value() && { return std::move(checked(*this)); }

    constexpr T& operator*() & noexcept { return *value_; }
    constexpr const T& operator*() const& noexcept { return *value_; }
    constexpr T&& operator*() && noexcept { return *std::move(value_); }
    constexpr T* operator->() noexcept { return &*value_; }
    constexpr const T* operator->() const noexcept { return &*value_; }

    /// Returns the refusal. It may only be called if there is no value.
    [[nodiscard]] constexpr const Refusal& error() const noexcept {
        DASHPOT_ASSERT(!has_value());
        return refusal_;
    }

    template <class U>
    [[nodiscard]] constexpr T value_or(U&& other) const& {
        return has_value() ? *value_ : static_cast<T>(std::forward<U>(other));
    }
    template <class U>
    [[nodiscard]] constexpr T value_or(U&& other) && {
        return has_value() ? *std::move(value_) : static_cast<T>(std::forward<U>(other));
    }

    friend constexpr bool operator==(const Expected& a, const Expected& b) {
        return a.has_value() == b.has_value() && (a.has_value() ? *a == *b : a.refusal_ == b.refusal_);
    }

  private:
    template <class Self>
    static constexpr auto& checked(Self& self) {
        if (!self.has_value()) throw_bad_access(self.refusal_);
        return *self.value_;
    }

    std::optional<T> value_;
    Refusal refusal_{}; // only meaningful if there is no value
};

template <>
class Expected<void> {
  public:
    using value_type = void;
    using error_type = Refusal;
    using unexpected_type = Refused;

    constexpr Expected() noexcept = default;
    constexpr explicit Expected(std::in_place_t) noexcept {}
    constexpr Expected(const Refused& refused) : refusal_{refused.error()} {}

    [[nodiscard]] constexpr bool has_value() const noexcept { return !refusal_.has_value(); }
    constexpr explicit operator bool() const noexcept { return has_value(); }
    constexpr void operator*() const noexcept {}
    constexpr void value() const {
        if (refusal_) throw_bad_access(*refusal_);
    }
    /// Returns the refusal. It may only be called if the call was refused.
    [[nodiscard]] constexpr const Refusal& error() const noexcept {
        DASHPOT_ASSERT(!has_value());
        return *refusal_;
    }

    friend constexpr bool operator==(const Expected&, const Expected&) = default;

  private:
    std::optional<Refusal> refusal_;
};

} // namespace detail

/// The value that a call returned, or the refusal if the call was not made.
///
/// Result is std::expected<T, Refusal> if the standard library has std::expected. Otherwise it is a
/// small type with the same member names: has_value(), value(), operator*, operator->, error(),
/// value_or(). For a call that returns a reference, the Result holds a std::reference_wrapper.
///
/// **Errors.** value() throws BadResultAccess if there is no value; without exceptions it aborts.
template <class T>
using Result = detail::Expected<detail::Stored<T>>;

#endif

namespace detail {

template <class T>
inline constexpr bool is_result = false;

#if defined(__cpp_lib_expected)
template <class T>
inline constexpr bool is_result<std::expected<T, Refusal>> = true;
#else
template <class T>
inline constexpr bool is_result<Expected<T>> = true;
#endif

} // namespace detail

} // namespace dashpot::inline DASHPOT_ABI

#endif
