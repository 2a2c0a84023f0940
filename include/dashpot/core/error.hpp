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

/// The reason why a call was not made. A refusal says nothing about the target's health.
///
/// There is one exception: `timed_out`, which only asynchronous code returns. That call was begun, and
/// abandoned at its deadline, so a classifier judges it as a failure.
///
/// The values start at 1, because a std::error_code of value 0 means "no error".
enum class Error : std::uint8_t {
    circuit_open = 1, ///< The breaker is open, or was forced open.
    probes_in_flight, ///< The breaker is half open and all its probes are in flight.
    bulkhead_full,    ///< The number of calls in flight has reached the bulkhead's limit.
    rate_limited,     ///< The rate limiter has no permits left for this call.
    limit_reached,    ///< The number of calls in flight has reached the adaptive limiter's limit.
    throttled,     ///< The throttler refuses this share of the calls, because the target refuses many.
    queue_full,    ///< As many calls as are allowed wait for a slot of the bulkhead already.
    queue_timeout, ///< The call waited for a slot of the bulkhead for as long as is allowed.
    deadline_exceeded, ///< The deadline has passed, or would pass before the call could begin.
    cancelled,         ///< A stop was requested before the call began.
    timed_out,         ///< The call was begun and abandoned at its deadline. Asynchronous code only.
};

/// Returns the name of the enumerator, for example "circuit_open".
[[nodiscard]] constexpr std::string_view to_string(Error error) noexcept {
    switch (error) {
    case Error::circuit_open: return "circuit_open";
    case Error::probes_in_flight: return "probes_in_flight";
    case Error::bulkhead_full: return "bulkhead_full";
    case Error::rate_limited: return "rate_limited";
    case Error::limit_reached: return "limit_reached";
    case Error::throttled: return "throttled";
    case Error::queue_full: return "queue_full";
    case Error::queue_timeout: return "queue_timeout";
    case Error::deadline_exceeded: return "deadline_exceeded";
    case Error::cancelled: return "cancelled";
    case Error::timed_out: return "timed_out";
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

// A program has one of each of these. They are outside the namespace that is named by configuration,
// and are exported from shared libraries whose other functions are hidden.
namespace dashpot::one_per_program {

class DASHPOT_EXPORTED ErrorCategory final : public std::error_category {
  public:
    [[nodiscard]] const char* name() const noexcept override { return "dashpot"; }

    [[nodiscard]] std::string message(int value) const override {
        switch (value) { // the values of Error; each configuration has its own type Error
        case 1: return "the circuit is open";
        case 2: return "the circuit is half open and all its probes are out";
        case 3: return "the bulkhead is full";
        case 4: return "the rate limit is reached";
        case 5: return "the adaptive limit of calls in flight is reached";
        case 6: return "the call was throttled";
        case 7: return "the bulkhead's queue is full";
        case 8: return "the wait in the bulkhead's queue was too long";
        case 9: return "the deadline has passed";
        case 10: return "the call was cancelled before it began";
        case 11: return "the call was abandoned at its deadline";
        default: return "unknown dashpot error";
        }
    }

    // Compares categories by name, because another part of the program may have its own category
    // object.
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

/// Returns the category of dashpot's error codes. Its name is "dashpot".
///
/// **Contract.** All parts of a program get the same object, even if parts have different settings or
/// shared libraries hide their symbols. There are three exceptions:
/// - Windows' DLLs;
/// - libraries that clang compiled and that `dlopen()` loads without RTLD_GLOBAL;
/// - an executable that is linked without `-rdynamic`, beside libraries that `dlopen()` loads.
///
/// In these cases compare a code with an Error or a std::error_condition: both compare the name of the
/// category.
[[nodiscard]] inline const std::error_category& error_category() noexcept {
    return one_per_program::error_category();
}

/// Makes the error code of a reason. std::error_code finds this function when it is constructed from
/// an Error.
[[nodiscard]] inline std::error_code make_error_code(Error error) noexcept {
    return {static_cast<int>(error), error_category()};
}

/// Returns true if the value is equal and the category has the same name.
[[nodiscard]] inline bool operator==(const std::error_code& code, Error error) noexcept {
    return code.value() == static_cast<int>(error) &&
           one_per_program::ErrorCategory::is_named_by(code.category());
}

/// Describes a call that was not made: the reason, and when a new attempt may succeed.
struct DASHPOT_EXPORTED Refusal {
    /// The reason of the refusal; it also identifies the guard that refused.
    Error reason;
    /// When a new attempt may succeed. For `circuit_open` and `rate_limited` it is the remaining time,
    /// which is never negative. It is empty if the time cannot be known: probes in flight, a full
    /// bulkhead, a circuit that was forced open. Empty does not mean 0; 0 means "at once".
    std::optional<std::chrono::nanoseconds> retry_after = std::nullopt;

    friend bool operator==(const Refusal&, const Refusal&) = default;

    /// Returns true if this is the reason, whatever `retry_after` is: `reply.error() ==
    /// Error::bulkhead_full`.
    friend constexpr bool operator==(const Refusal& refusal, Error error) noexcept {
        return refusal.reason == error;
    }

    /// Converts to the error code of the reason.
    operator std::error_code() const noexcept { return make_error_code(reason); }
};

} // namespace dashpot::inline DASHPOT_ABI

#endif
