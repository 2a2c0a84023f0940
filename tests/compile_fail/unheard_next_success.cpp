// SPDX-License-Identifier: MIT
// A Tally that answers for the next success in a shape that the guard would not call.
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
        dashpot::NextSuccess next_success() noexcept { return dashpot::NextSuccess::skip(); }
#else
        dashpot::NextSuccess next_success() const noexcept { return dashpot::NextSuccess::skip(); }
#endif
    };
};

dashpot::CircuitBreaker<dashpot::SteadyClock, Run> breaker;
