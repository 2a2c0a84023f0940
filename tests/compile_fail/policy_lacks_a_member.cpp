// SPDX-License-Identifier: MIT
// A policy that lacks a member is refused by the name of that member. WITHOUT_<member> says which.
#include <dashpot/guard/circuit_breaker.hpp>

#include <cstdint>
#include <optional>

struct Run {
    std::uint32_t threshold = 5;

    friend bool operator==(const Run&, const Run&) = default;

#if !defined(MUST_FAIL) || !defined(WITHOUT_validate)
    void validate() const {}
#endif

    struct Numbers {
        explicit Numbers(const Run&) noexcept {}
#if !defined(MUST_FAIL) || !defined(WITHOUT_record)
        std::optional<dashpot::Reason> record(const dashpot::FinishedCall&) noexcept { return {}; }
#endif
#if !defined(MUST_FAIL) || !defined(WITHOUT_clear)
        void clear() noexcept {}
#endif
#if !defined(MUST_FAIL) || !defined(WITHOUT_counts)
        dashpot::Counts counts(dashpot::Instant) const noexcept { return {}; }
#endif
    };
#if !defined(MUST_FAIL) || !defined(WITHOUT_Tally)
    using Tally = Numbers;
#endif
};

dashpot::CircuitBreaker<dashpot::SteadyClock, Run> breaker;
