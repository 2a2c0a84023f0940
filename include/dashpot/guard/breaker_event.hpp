// SPDX-License-Identifier: MIT
#ifndef DASHPOT_GUARD_BREAKER_EVENT_HPP
#define DASHPOT_GUARD_BREAKER_EVENT_HPP

#include <dashpot/core/abi.hpp>
#include <dashpot/core/detail/print.hpp>
#include <dashpot/core/duration.hpp>
#include <dashpot/core/reason.hpp>
#include <dashpot/core/state.hpp>

#include <cstdint>
#include <iosfwd>
#include <string_view>

namespace dashpot::inline DASHPOT_ABI {

/// What happened to a circuit breaker.
enum class EventKind : std::uint8_t {
    successes,      ///< The policy received `count` successes, none of them slow; or one of a probe.
    slow_success,   ///< A success that was slow.
    failure,        ///< A failure that was not slow.
    slow_failure,   ///< A failure that was slow.
    probe,          ///< A caller got a probe in HALF_OPEN. The first comes with its transition.
    fresh_probes,   ///< Lost probes were given up: a caller got the first of a fresh half-open period.
    returned_probe, ///< A probe was given back: ignored, dropped, released.
    transition,     ///< The state changed.
    reset,          ///< reset() in CLOSED, which is no transition.
    would_have_opened, ///< The policy would have opened the circuit, in METRICS_ONLY.
    reconfigured,      ///< Policy and options may have changed.
};

/// The name of the enumerator, for example "slow_success".
[[nodiscard]] constexpr std::string_view to_string(EventKind kind) noexcept {
    switch (kind) {
    case EventKind::successes: return "successes";
    case EventKind::slow_success: return "slow_success";
    case EventKind::failure: return "failure";
    case EventKind::slow_failure: return "slow_failure";
    case EventKind::probe: return "probe";
    case EventKind::fresh_probes: return "fresh_probes";
    case EventKind::returned_probe: return "returned_probe";
    case EventKind::transition: return "transition";
    case EventKind::reset: return "reset";
    case EventKind::would_have_opened: return "would_have_opened";
    case EventKind::reconfigured: return "reconfigured";
    }
    return "unknown";
}

/// Writes to_string().
template <class Traits>
std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& out, EventKind kind) {
    return out << to_string(kind);
}

/// One entry of CircuitBreaker::history(): an outcome that the breaker received, or a decision of its
/// own, that changed something.
struct BreakerEvent {
    std::uint64_t number = 0; ///< 0 for the first of the breaker's life, then one more each.
    /// When, as the breaker's clock said: may stand still or step back. Successes that could not open
    /// the circuit have the time of the next event, or of the call of history() if there is none yet.
    /// If their bucket ended before that, they have the moment before its end.
    Instant at{};
    std::uint64_t generation = 0; ///< After it.
    EventKind kind = EventKind::successes;
    State from = State::closed;     ///< The state that it found.
    State to = State::closed;       ///< The state after it: another one only for a transition.
    Reason reason = Reason::policy; ///< Of a transition; otherwise without meaning.
    std::uint64_t count = 1;        ///< How many successes; otherwise 1.
    std::uint64_t calls = 0;    ///< As in Snapshot, after it. On opening: the numbers that opened it.
    std::uint64_t failures = 0; ///< How many of `calls` failed.
    std::uint64_t slow = 0;     ///< How many of `calls` were slow.

    friend bool operator==(const BreakerEvent&, const BreakerEvent&) = default;

    /// Writes one line without its end: number, nanoseconds since the clock's epoch, generation, state,
    /// what happened, and the numbers after it.
    template <class Traits>
    friend std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& out,
                                                        const BreakerEvent& event) {
        const auto write = [&out](const auto&... parts) { (detail::write_text(out, parts), ...); };
        write("#", event.number, " at ", event.at.time_since_epoch().count(), " generation ",
              event.generation, " ", to_string(event.from), ": ", to_string(event.kind));
        if (event.kind == EventKind::successes) write(" x ", event.count);
        if (event.kind == EventKind::transition)
            write(" to ", to_string(event.to), " by ", to_string(event.reason));
        write("; calls ", event.calls, ", failures ", event.failures, ", slow ", event.slow);
        return out;
    }
};

} // namespace dashpot::inline DASHPOT_ABI

#endif
