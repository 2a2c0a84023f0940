// SPDX-License-Identifier: MIT
// A Tally with two answers for the next success: the guard would call only one of them.
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
        dashpot::NextSuccess next_success() const noexcept { return dashpot::NextSuccess::skip(); }
        bool quiet() const noexcept { return false; }
#else
        dashpot::NextSuccess next_success() const noexcept { return dashpot::NextSuccess::skip(); }
#endif
    };
};

dashpot::CircuitBreaker<dashpot::SteadyClock, Run> breaker;
