// SPDX-License-Identifier: MIT
#ifndef DASHPOT_GUARD_BREAKER_OPTIONS_HPP
#define DASHPOT_GUARD_BREAKER_OPTIONS_HPP

#include <dashpot/core/abi.hpp>
#include <dashpot/core/contract.hpp>
#include <dashpot/core/detail/print.hpp>
#include <dashpot/core/state.hpp>
#include <dashpot/policy/backoff.hpp>
#include <dashpot/policy/half_open.hpp>

#include <chrono>
#include <cstdint>
#include <iosfwd>

namespace dashpot::inline DASHPOT_ABI {

/// What every circuit breaker has, whatever its policy.
///
/// **Errors.** validate() refuses a reset timeout <= 0, what HalfOpen refuses, an initial state that
/// only calls can lead to, and a history of more than 65 536 events.
struct BreakerOptions {
    /// How long the circuit stays open before it probes: a duration > 0, or an ExponentialBackoff that
    /// grows with each opening from HALF_OPEN and starts over once CLOSED. Default 10 s.
    Backoff reset_timeout = std::chrono::seconds{10};

    /// How it probes. Default: one probe, whose success closes.
    HalfOpen half_open{};

    /// Where it starts: closed, disabled, forced_open or metrics_only. Default: closed.
    State initial_state = State::closed;

    /// Count every success, failure and slow call over the breaker's life, for metrics: see
    /// Snapshot::totals. It costs an uncontended atomic read-modify-write per healthy call, which
    /// otherwise writes nothing. Default: no.
    bool count_totals = false;

    /// Stay open at least as long as the target asked for, if the outcome that opens the circuit is a
    /// Verdict with a `retry_after`: at most 10 min, and never shorter than the reset timeout. The
    /// default probe timeout does not include it. Default: no.
    bool honor_retry_after = false;

    /// How many events to keep for CircuitBreaker::history(): 0 for none, at most 65 536, of 64 bytes
    /// each. With any, a clock reading for each outcome recorded under the lock. It stays as it is when
    /// the breaker is reconfigured. Default: none.
    std::uint32_t history = 0;

    friend bool operator==(const BreakerOptions&, const BreakerOptions&) = default;

    /// Writes it as the initializer that makes it.
    template <class Traits>
    friend std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& out,
                                                        const BreakerOptions& options) {
        return detail::FieldPrinter{out, "BreakerOptions"}
            .field("reset_timeout", options.reset_timeout)
            .field("half_open", options.half_open)
            .field("initial_state", detail::name_in_code(options.initial_state))
            .field("count_totals", options.count_totals)
            .field("honor_retry_after", options.honor_retry_after)
            .field("history", options.history)
            .end();
    }

    constexpr void validate() const {
        if (reset_timeout.delay(0).count() <= 0) {
            refuse_option("BreakerOptions::reset_timeout (or its ExponentialBackoff::initial)",
                          reset_timeout.delay(0), "must be longer than 0s");
        }
        reset_timeout.validate();
        half_open.validate();
        if (initial_state != State::closed && initial_state != State::disabled &&
            initial_state != State::forced_open && initial_state != State::metrics_only) {
            refuse_option("BreakerOptions::initial_state", detail::name_in_code(initial_state),
                          "must be State::closed, State::disabled, State::forced_open or "
                          "State::metrics_only; only calls lead to OPEN and HALF_OPEN");
        }
        if (history > 65'536) {
            refuse_option("BreakerOptions::history", history, "must be at most 65536 events");
        }
    }
};

} // namespace dashpot::inline DASHPOT_ABI

#endif
