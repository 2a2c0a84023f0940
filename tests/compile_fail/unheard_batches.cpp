// SPDX-License-Identifier: MIT
// A Tally with a member of an earlier version, which the guard no longer calls.
#include <dashpot/guard/circuit_breaker.hpp>

#include <optional>

struct Run {
    bool operator==(const Run&) const = default;
    void validate() const {}
    struct Tally {
        explicit Tally(const Run&) noexcept {}
        std::optional<dashpot::Reason> record(const dashpot::FinishedCall&) noexcept { return {}; }
        void clear() noexcept {}
        dashpot::Counts counts(dashpot::Instant) const noexcept { return {}; }
#ifdef MUST_FAIL
        bool may_batch_successes() const noexcept { return true; }
#else
        bool quiet() const noexcept { return true; }
#endif
    };
};

dashpot::CircuitBreaker<dashpot::SteadyClock, Run> breaker;
