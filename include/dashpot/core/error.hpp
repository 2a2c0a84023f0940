// SPDX-License-Identifier: MIT
#ifndef DASHPOT_CORE_ERROR_HPP
#define DASHPOT_CORE_ERROR_HPP

#include <dashpot/core/abi.hpp>

#include <chrono>
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>

namespace dashpot::inline DASHPOT_ABI {

/// Why a call was refused before it began. A refusal says nothing about the target's health.
///
/// The values start at 1: a std::error_code of value 0 means "no error".
enum class Error : std::uint8_t {
    circuit_open = 1, ///< The breaker is open, or was forced open.
    probes_in_flight, ///< The breaker is half open and all its probes are out.
    bulkhead_full,    ///< As many calls are in flight as the bulkhead allows.
};

/// The name of the enumerator, "circuit_open" for one.
[[nodiscard]] constexpr std::string_view to_string(Error error) noexcept {
    switch (error) {
    case Error::circuit_open: return "circuit_open";
    case Error::probes_in_flight: return "probes_in_flight";
    case Error::bulkhead_full: return "bulkhead_full";
    }
    return "unknown";
}

/// Writes to_string().
template <class Traits>
std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& out, Error error) {
    return out << to_string(error);
}

} // namespace dashpot::inline DASHPOT_ABI

template <>
struct std::is_error_code_enum<dashpot::Error> : std::true_type {};

// One of these per program: outside the namespace that is named by configuration, and exported from
// shared libraries whose other functions are hidden.
namespace dashpot::one_per_program {

class DASHPOT_EXPORTED ErrorCategory final : public std::error_category {
  public:
    [[nodiscard]] const char* name() const noexcept override { return "dashpot"; }

    [[nodiscard]] std::string message(int value) const override {
        switch (value) { // the values of Error, which each configuration has as a type of its own
        case 1: return "the circuit is open";
        case 2: return "the circuit is half open and all its probes are out";
        case 3: return "the bulkhead is full";
        default: return "unknown dashpot error";
        }
    }

    // By name: another part of the program may have a category of its own.
    [[nodiscard]] bool equivalent(int value,
                                  const std::error_condition& other) const noexcept override {
        return value == other.value() && is_named_by(other.category());
    }
    [[nodiscard]] bool equivalent(const std::error_code& other, int value) const noexcept override {
        return value == other.value() && is_named_by(other.category());
    }
    [[nodiscard]] static bool is_named_by(const std::error_category& category) noexcept {
        return std::string_view{category.name()} == "dashpot";
    }
};

[[nodiscard]] DASHPOT_EXPORTED inline const std::error_category& error_category() noexcept {
    static const ErrorCategory category;
    return category;
}

} // namespace dashpot::one_per_program

namespace dashpot::inline DASHPOT_ABI {

/// The category of dashpot's error codes. Its name is "dashpot".
///
/// **Contract.** The same object in every part of a program, also with parts of different settings
/// and with shared libraries that hide their symbols. There are three exceptions: Windows' DLLs,
/// libraries that clang compiled and `dlopen()` loads without RTLD_GLOBAL, and beside libraries that
/// `dlopen()` loads an executable that is linked without `-rdynamic`. For these, compare a code with
/// an Error or a std::error_condition: both compare the name of the category.
[[nodiscard]] inline const std::error_category& error_category() noexcept {
    return one_per_program::error_category();
}

/// Found by std::error_code when it is made from an Error.
[[nodiscard]] inline std::error_code make_error_code(Error error) noexcept {
    return {static_cast<int>(error), error_category()};
}

/// Compares the value, and the category by its name.
[[nodiscard]] inline bool operator==(const std::error_code& code, Error error) noexcept {
    return code.value() == static_cast<int>(error) &&
           one_per_program::ErrorCategory::is_named_by(code.category());
}

/// A call that was not made: why, and when asking again may help.
struct DASHPOT_EXPORTED Refusal {
    /// Which guard refused.
    Error reason;
    /// When asking again may help. `circuit_open`: the remaining time of the wait, never negative.
    /// Empty if it cannot be known: probes in flight, a full bulkhead, a circuit that was forced open.
    /// Empty is not 0, which means "at once".
    std::optional<std::chrono::nanoseconds> retry_after = std::nullopt;

    friend bool operator==(const Refusal&, const Refusal&) = default;

    /// True if this is the reason, whatever the wait: `reply.error() == Error::bulkhead_full`.
    friend constexpr bool operator==(const Refusal& refusal, Error error) noexcept {
        return refusal.reason == error;
    }

    /// The reason, for code that speaks std::error_code.
    operator std::error_code() const noexcept { return make_error_code(reason); }
};

} // namespace dashpot::inline DASHPOT_ABI

#endif
