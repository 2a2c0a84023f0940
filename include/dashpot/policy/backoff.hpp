// SPDX-License-Identifier: MIT
#ifndef DASHPOT_POLICY_BACKOFF_HPP
#define DASHPOT_POLICY_BACKOFF_HPP

#include <dashpot/core/abi.hpp>
#include <dashpot/core/contract.hpp>
#include <dashpot/core/detail/exact_double.hpp>
#include <dashpot/core/detail/print.hpp>
#include <dashpot/core/duration.hpp>
#include <dashpot/core/rate.hpp>

#include <chrono>
#include <concepts>
#include <cstdint>
#include <iosfwd>
#include <optional>

namespace dashpot::inline DASHPOT_ABI {

/// Waits that grow by a factor from one attempt to the next, up to a cap.
struct ExponentialBackoff {
    /// The first wait. Must be > 0. Default 1 s.
    Nanoseconds initial = std::chrono::seconds{1};
    /// The ratio of each wait to the wait before. Range 1 to 1e9. Default 2.
    double factor = 2.0;
    /// The longest wait. Must be `initial` or more. Default 5 min.
    Nanoseconds cap = std::chrono::minutes{5};
    /// The share of each wait that jitter may remove, so that many callers do not return at the same
    /// instant. At 0 each wait keeps its full length; at 1 its length is anything between 0 and the
    /// full length. Range 0 to 1. Default 0.
    double jitter = 0.0;
    /// Makes the jitter repeatable, for tests. Default: empty; each breaker in each process draws its
    /// own waits. Forked processes also draw different waits, because a wait is mixed with
    /// process-specific bits when it is drawn.
    std::optional<std::uint64_t> seed = std::nullopt;

    friend bool operator==(const ExponentialBackoff&, const ExponentialBackoff&) = default;

    /// Writes the options as the initializer that makes them.
    template <class Traits>
    friend std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& out,
                                                        const ExponentialBackoff& options) {
        return detail::FieldPrinter{out, "ExponentialBackoff"}
            .field("initial", options.initial)
            .field("factor", options.factor)
            .field("cap", options.cap)
            .field("jitter", options.jitter)
            .optional("seed", options.seed)
            .end();
    }
};

/// How long to wait before the next attempt: a constant wait, or waits that grow.
///
///     dashpot::BreakerOptions{.reset_timeout = 30s};
///     dashpot::BreakerOptions{
///         .reset_timeout = dashpot::ExponentialBackoff{.initial = 1s, .jitter = 0.2}};
///
/// **Contract.** Converts from any duration of whole nanoseconds, and from ExponentialBackoff. A wait
/// is never longer than the cap and never shorter than a nanosecond. `hours::max()` means forever.
/// **Threads.** It is a value without synchronization. **Cost.** delay() takes one multiplication per
/// attempt until the cap is reached.
/// **Errors.** validate() refuses options that are out of range.
/// **Source.** The jitter follows M. Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog,
/// 2015.
class Backoff {
  public:
    /// Makes a constant wait. It must be > 0.
    template <std::convertible_to<Nanoseconds> Duration>
    constexpr Backoff(const Duration& wait) noexcept
        : curve_{.initial = wait, .factor = 1.0, .cap = wait} {}

    /// Rejects a bare number: the compiler shows the next line in its error.
    template <detail::Arithmetic NumberWithoutUnit>
    Backoff(NumberWithoutUnit) = delete; // a duration needs its unit: write 10s, not 10

    /// Makes waits that grow along `curve`.
    constexpr Backoff(const ExponentialBackoff& curve) noexcept : curve_{curve} {}

    friend bool operator==(const Backoff&, const Backoff&) = default;

    /// Writes the value that the backoff was made from.
    template <class Traits>
    friend std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& out,
                                                        const Backoff& backoff) {
        if (!backoff.is_constant()) return out << backoff.curve_;
        detail::write_text(out, backoff.curve_.initial);
        return out;
    }

    constexpr void validate() const {
        if (curve_.initial.count() <= 0) {
            refuse_option("ExponentialBackoff::initial", curve_.initial, "must be longer than 0s");
        }
        if (!detail::is_in(curve_.factor, 1.0, 1e9)) {
            refuse_option("ExponentialBackoff::factor", curve_.factor,
                          "must be in [1, 1e9]; for waits of one length write 1");
        }
        if (curve_.cap < curve_.initial) {
            refuse_option("ExponentialBackoff::cap", curve_.cap, "must be ", curve_.initial,
                          " or more, the length of ExponentialBackoff::initial");
        }
        if (!detail::is_in(curve_.jitter, 0.0, 1.0)) {
            refuse_option("ExponentialBackoff::jitter", curve_.jitter,
                          "must be in [0, 1]; for 50 % write 0.5");
        }
    }

    /// Returns the wait before attempt number `attempt`; the first attempt has number 0. `chance` is
    /// any random number; it is only used with jitter.
    [[nodiscard]] constexpr std::chrono::nanoseconds delay(std::uint32_t attempt,
                                                           std::uint64_t chance = 0) const noexcept {
        const std::chrono::nanoseconds whole = without_jitter(attempt);
        if (!is_rate(curve_.jitter) || whole.count() <= 0) return whole; // none, or not validated yet
        const double share = detail::product(detail::nearest_double(chance >> 11U), 0x1p-53); // below 1
        const double most = detail::product(double_of(whole), curve_.jitter);
        const std::chrono::nanoseconds rest =
            whole - std::chrono::nanoseconds{detail::whole_part(detail::product(most, share))};
        return rest.count() > 0 ? rest : std::chrono::nanoseconds{1};
    }

    /// Returns the options of the waits. A constant wait has a `factor` of 1, and the wait as its
    /// `cap`.
    [[nodiscard]] constexpr const ExponentialBackoff& curve() const noexcept { return curve_; }

    /// Returns the seed of the options.
    [[nodiscard]] constexpr std::optional<std::uint64_t> seed() const noexcept { return curve_.seed; }

  private:
    [[nodiscard]] constexpr bool is_constant() const noexcept {
        return curve_.factor == 1.0 && curve_.jitter == 0.0 && curve_.initial == curve_.cap;
    }

    [[nodiscard]] constexpr std::chrono::nanoseconds
    without_jitter(std::uint32_t attempt) const noexcept {
        // No values are compared as doubles: under -ffast-math a comparison with NaN may give any
        // result.
        if (attempt == 0 || detail::bits_of(curve_.factor) == detail::bits_of(1.0))
            return curve_.initial;
        if (curve_.initial.count() <= 0 || curve_.cap <= curve_.initial) return curve_.cap;
        const double cap = double_of(curve_.cap);
        double wait = double_of(curve_.initial);
        // The waits are the same on every machine: see exact_double.hpp.
        for (; attempt != 0 && detail::bits_of(wait) < detail::bits_of(cap); --attempt) {
            wait = detail::product(wait, curve_.factor);
        }
        if (detail::bits_of(wait) >= detail::bits_of(cap)) return curve_.cap;
        return std::chrono::nanoseconds{detail::whole_part(wait)};
    }

    [[nodiscard]] static constexpr double double_of(std::chrono::nanoseconds length) noexcept {
        return detail::nearest_double(static_cast<std::uint64_t>(length.count()));
    }

    ExponentialBackoff curve_;
};

namespace detail {

/// Returns the next random number of splitmix64, whose state belongs to the caller.
///
/// **Source.** G. Steele, D. Lea, C. Flood, "Fast Splittable Pseudorandom Number Generators", 2014.
[[nodiscard]] constexpr std::uint64_t next_chance(std::uint64_t& state) noexcept {
    state += 0x9E3779B97F4A7C15U;
    std::uint64_t mixed = state;
    mixed = (mixed ^ (mixed >> 30U)) * 0xBF58476D1CE4E5B9U;
    mixed = (mixed ^ (mixed >> 27U)) * 0x94D049BB133111EBU;
    return mixed ^ (mixed >> 31U);
}

} // namespace detail

} // namespace dashpot::inline DASHPOT_ABI

#endif
