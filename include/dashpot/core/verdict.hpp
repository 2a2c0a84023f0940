// SPDX-License-Identifier: MIT
#ifndef DASHPOT_CORE_VERDICT_HPP
#define DASHPOT_CORE_VERDICT_HPP

#include <dashpot/core/abi.hpp>
#include <dashpot/core/duration.hpp>
#include <dashpot/core/outcome.hpp>

#include <optional>

namespace dashpot::inline DASHPOT_ABI {

/// What a classifier may return instead of an Outcome, if the target said how long to stay away.
///
///     const auto judge = [](const Reply& reply) -> dashpot::Verdict {
///         if (reply.status == 503) return {dashpot::Outcome::failure, reply.retry_after};
///         return {dashpot::Outcome::success};
///     };
///
/// **Contract.** A Retry waits at least as long before the next attempt. A breaker with
/// BreakerOptions::honor_retry_after that opens by this outcome stays open at least as long, at most
/// 10 min. Every other guard uses the outcome alone.
struct Verdict {
    Outcome outcome;
    /// The wait that the target asked for, for example in an HTTP header `Retry-After`. Empty: the
    /// target asked for none.
    std::optional<Nanoseconds> retry_after = std::nullopt;

    /// Converts to the outcome, wherever an Outcome is accepted.
    constexpr operator Outcome() const noexcept { return outcome; }

    friend constexpr bool operator==(const Verdict&, const Verdict&) = default;
};

} // namespace dashpot::inline DASHPOT_ABI

#endif
