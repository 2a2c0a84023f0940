// SPDX-License-Identifier: MIT
#ifndef DASHPOT_GUARD_DETAIL_WAITING_LINE_HPP
#define DASHPOT_GUARD_DETAIL_WAITING_LINE_HPP

#include <dashpot/core/abi.hpp>
#include <dashpot/policy/rate_limit.hpp>

#include <cstdint>

namespace dashpot::inline DASHPOT_ABI::detail {

/// The place of a thread that waits for permits. It is stored on the thread's stack.
struct WaitingPlace {
    std::uint32_t permits = 0;
    bool is_granted = false;  // for good, whatever the rate is later
    std::uint64_t ticket = 0; // larger for each place and reservation
    RateLimit::Bucket::Place place{};
    WaitingPlace* previous = nullptr;
    WaitingPlace* next = nullptr;
};

/// The threads that wait for permits, in the order of their places.
///
/// **Threads.** It is used under the guard's lock.
class WaitingLine {
  public:
    WaitingLine() = default;
    WaitingLine(const WaitingLine&) = delete;
    WaitingLine& operator=(const WaitingLine&) = delete;

    void add(WaitingPlace& last) noexcept {
        last.previous = last_;
        last.next = nullptr;
        (last_ != nullptr ? last_->next : first_) = &last;
        last_ = &last;
        ++size_;
    }

    void remove(WaitingPlace& place) noexcept {
        (place.previous != nullptr ? place.previous->next : first_) = place.next;
        (place.next != nullptr ? place.next->previous : last_) = place.previous;
        --size_;
    }

    /// Calls `f` with each place whose ticket is larger than `ticket`.
    template <class F>
    void for_each_behind(std::uint64_t ticket, F&& f) const {
        for (WaitingPlace* each = last_; each != nullptr && each->ticket > ticket;
             each = each->previous)
            f(*each);
    }

    [[nodiscard]] std::uint32_t size() const noexcept { return size_; }

  private:
    WaitingPlace* first_ = nullptr;
    WaitingPlace* last_ = nullptr;
    std::uint32_t size_ = 0;
};

} // namespace dashpot::inline DASHPOT_ABI::detail

#endif
