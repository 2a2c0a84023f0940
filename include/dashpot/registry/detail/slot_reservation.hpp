// SPDX-License-Identifier: MIT
#ifndef DASHPOT_REGISTRY_DETAIL_SLOT_RESERVATION_HPP
#define DASHPOT_REGISTRY_DETAIL_SLOT_RESERVATION_HPP

#include <dashpot/core/abi.hpp>
#include <dashpot/core/threading.hpp>

#include <atomic>
#include <cstddef>

namespace dashpot::inline DASHPOT_ABI::detail {

/// One of `max_targets` slots, reserved for a target under construction. The destructor releases the
/// slot unless it was committed.
///
/// **Contract.** The number of reserved slots never exceeds `most`, not even for a moment. release()
/// of a slot happens before its next reservation: the release in release() pairs with the acquire in
/// try_reserve().
class [[nodiscard]] SlotReservation {
  public:
    explicit SlotReservation(threading::atomic<std::size_t>& reserved) noexcept : reserved_{reserved} {}
    SlotReservation(const SlotReservation&) = delete;
    SlotReservation& operator=(const SlotReservation&) = delete;
    ~SlotReservation() {
        if (is_held_) release(reserved_);
    }

    /// Reserves a slot if fewer than `most` are reserved. Returns true if it did.
    bool try_reserve(std::size_t most) noexcept {
        std::size_t reserved_now = reserved_.load(std::memory_order_relaxed);
        while (reserved_now < most) {
            if (reserved_.compare_exchange_weak(reserved_now, reserved_now + 1,
                                                std::memory_order_acquire, std::memory_order_relaxed)) {
                is_held_ = true;
                return true;
            }
        }
        return false;
    }

    /// Returns true if a slot is reserved and commit() was not called.
    [[nodiscard]] explicit operator bool() const noexcept { return is_held_; }

    /// Takes over the slot of an evicted target. No other thread can take the slot in between.
    void inherit() noexcept { is_held_ = true; }

    /// Keeps the slot reserved until release().
    void commit() noexcept { is_held_ = false; }

    static void release(threading::atomic<std::size_t>& reserved) noexcept {
        reserved.fetch_sub(1, std::memory_order_release);
    }

  private:
    threading::atomic<std::size_t>& reserved_;
    bool is_held_ = false;
};

} // namespace dashpot::inline DASHPOT_ABI::detail

#endif
