// SPDX-License-Identifier: MIT
#ifndef DASHPOT_GUARD_DETAIL_ADMISSION_HPP
#define DASHPOT_GUARD_DETAIL_ADMISSION_HPP

#include <dashpot/core/abi.hpp>
#include <dashpot/core/error.hpp>
#include <dashpot/guard/detail/breaker_word.hpp>

#include <chrono>
#include <optional>

namespace dashpot::inline DASHPOT_ABI::detail {

/// The answer to a caller who asked to make one call.
struct Admission {
    [[nodiscard]] bool was_refused() const noexcept { return reason != Error{}; }

    /// Refused for want of a slot. The breaker did not refuse, and counts no refusal.
    [[nodiscard]] static Admission without_slot(BreakerWord seen) noexcept {
        return {seen, Error::bulkhead_full};
    }

    BreakerWord word; // as it was when the caller was let in or refused
    Error reason{};   // why it was refused; none: go ahead
    std::optional<std::chrono::nanoseconds> retry_after{}; // empty: it cannot be known
};

/// What a call needs beside the breaker's permission, if it needs nothing: see SlotToTake.
struct NoSlot {
    [[nodiscard]] static constexpr bool take() noexcept { return true; }
    template <class F>
    [[nodiscard]] static constexpr bool take_after(F&& /*f*/) noexcept {
        return true;
    }
    [[nodiscard]] static constexpr bool is_none_left() noexcept { return false; }
    static constexpr void count_refused() noexcept {}
};

} // namespace dashpot::inline DASHPOT_ABI::detail

#endif
