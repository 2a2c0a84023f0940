// SPDX-License-Identifier: MIT
#ifndef DASHPOT_GUARD_DETAIL_RATE_PERMIT_HPP
#define DASHPOT_GUARD_DETAIL_RATE_PERMIT_HPP

#include <dashpot/core/abi.hpp>
#include <dashpot/core/contract.hpp>
#include <dashpot/core/detail/wide.hpp>
#include <dashpot/core/error.hpp>
#include <dashpot/policy/detail/token_rate.hpp>

#include <chrono>
#include <cstdint>

namespace dashpot::inline DASHPOT_ABI::detail {

/// The answer of a rate limiter: granted, or why not. There is nothing to give back.
///
/// **Contract.** It is true in a condition if the permits were granted. **Threads.** A value.
/// **Cost.** 16 bytes. The wait of a refusal is divided out when refusal() is called.
class [[nodiscard]] RatePermit {
  public:
    /// Granted.
    constexpr RatePermit() noexcept = default;
    /// Refused, without a known wait.
    constexpr explicit RatePermit(Error reason) noexcept : reason_{reason} {}
    constexpr RatePermit(Error reason, std::chrono::nanoseconds wait) noexcept
        : RatePermit{reason, static_cast<std::uint64_t>(wait.count()), 1} {}
    /// Refused; the wait is the time in which the missing units are earned.
    constexpr RatePermit(Error reason, std::uint64_t missing, std::uint32_t per_nanosecond) noexcept
        : missing_{missing}, per_nanosecond_{per_nanosecond}, reason_{reason} {}

    /// Returns true if the permits were granted.
    [[nodiscard]] constexpr explicit operator bool() const noexcept { return reason_ == Error{}; }

    /// Returns the reason, and when the same request would be granted. It may only be called for a
    /// permit that was refused.
    [[nodiscard]] constexpr Refusal refusal() const noexcept {
        DASHPOT_ASSERT(reason_ != Error{} && "refusal() of a permit that was granted");
        if (per_nanosecond_ == 0) return {reason_};
        return {reason_, TokenRate{per_nanosecond_, 1, 1}.time_for({0, missing_})};
    }

  private:
    std::uint64_t missing_ = 0;
    std::uint32_t per_nanosecond_ = 0; // 0: the wait is not known
    Error reason_{};                   // none: granted
};

} // namespace dashpot::inline DASHPOT_ABI::detail

#endif
