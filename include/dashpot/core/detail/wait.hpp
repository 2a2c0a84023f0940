// SPDX-License-Identifier: MIT
#ifndef DASHPOT_CORE_DETAIL_WAIT_HPP
#define DASHPOT_CORE_DETAIL_WAIT_HPP

#include <dashpot/core/abi.hpp>
#include <dashpot/core/duration.hpp>

#include <chrono>

namespace dashpot::inline DASHPOT_ABI::detail {

/// A wait of a given length from a given instant.
///
/// It stores a start and a length instead of a deadline. The difference of two instants saturates
/// exactly, while a sum would have to be cut off at the end of time.
struct Wait {
    Instant since{};
    std::chrono::nanoseconds length{0}; // 0: there is nothing to wait for

    [[nodiscard]] constexpr bool is_on(Instant now) const noexcept {
        return length.count() > 0 && between(since, now) < length;
    }

    /// Returns the remaining time at `now`. If the clock stepped back to before the start, the
    /// remaining time is the whole length.
    [[nodiscard]] constexpr std::chrono::nanoseconds rest(Instant now) const noexcept {
        if (!is_on(now)) return std::chrono::nanoseconds{0};
        const std::chrono::nanoseconds waited = between(since, now);
        return waited.count() > 0 ? length - waited : length;
    }

    friend constexpr bool operator==(const Wait&, const Wait&) = default;
};

} // namespace dashpot::inline DASHPOT_ABI::detail

#endif
