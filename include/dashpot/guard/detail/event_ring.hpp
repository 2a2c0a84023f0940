// SPDX-License-Identifier: MIT
#ifndef DASHPOT_GUARD_DETAIL_EVENT_RING_HPP
#define DASHPOT_GUARD_DETAIL_EVENT_RING_HPP

#include <dashpot/core/abi.hpp>
#include <dashpot/core/detail/fixed_array.hpp>
#include <dashpot/guard/breaker_event.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace dashpot::inline DASHPOT_ABI::detail {

/// The last events, as many as there is room for, each with its number.
///
/// **Threads.** None: a value. **Cost.** O(1) per event, no allocation after it was made.
class EventRing {
  public:
    constexpr explicit EventRing(std::uint32_t size) : ring_(size) {}

    /// False if it has no room at all: then add() need not be called.
    [[nodiscard]] constexpr bool keeps_any() const noexcept { return ring_.size() != 0; }
    [[nodiscard]] constexpr std::size_t size() const noexcept { return ring_.size(); }

    /// Only if it keeps any.
    constexpr void add(BreakerEvent event) noexcept {
        event.number = next_;
        ring_[place_of(next_)] = event;
        ++next_;
    }

    /// Appends them, oldest first; as they would be after add(*latest), if that is given. Allocates
    /// nothing if there is room for size().
    void copy_to(std::vector<BreakerEvent>& events, const BreakerEvent* latest = nullptr) const {
        const std::uint64_t room = ring_.size() - (latest != nullptr ? 1U : 0U);
        const std::uint64_t held = (std::min)(next_, room);
        for (std::uint64_t i = next_ - held; i != next_; ++i) events.push_back(ring_[place_of(i)]);
        if (latest == nullptr) return;
        events.push_back(*latest);
        events.back().number = next_;
    }

  private:
    [[nodiscard]] constexpr std::size_t place_of(std::uint64_t number) const noexcept {
        return static_cast<std::size_t>(number % ring_.size());
    }

    FixedArray<BreakerEvent> ring_;
    std::uint64_t next_ = 0; // the number of the next
};

} // namespace dashpot::inline DASHPOT_ABI::detail

#endif
