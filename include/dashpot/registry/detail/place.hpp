// SPDX-License-Identifier: MIT
#ifndef DASHPOT_REGISTRY_DETAIL_PLACE_HPP
#define DASHPOT_REGISTRY_DETAIL_PLACE_HPP

#include <dashpot/core/abi.hpp>
#include <dashpot/core/threading.hpp>

#include <atomic>
#include <cstddef>

namespace dashpot::inline DASHPOT_ABI::detail {

/// Reserves one of `most` places if one is free. The destructor releases the place unless keep() was
/// called.
///
/// **Contract.** The number of reserved places never exceeds `most`, not even for a moment.
/// give_back() of a place happens before its next reservation: the release in give_back() pairs with
/// the acquire in the constructor.
class [[nodiscard]] Place {
  public:
    Place(threading::atomic<std::size_t>& taken, std::size_t most) noexcept : taken_{taken} {
        std::size_t taken_now = taken_.load(std::memory_order_relaxed);
        while (taken_now < most) {
            if (taken_.compare_exchange_weak(taken_now, taken_now + 1, std::memory_order_acquire,
                                             std::memory_order_relaxed)) {
                is_held_ = true;
                return;
            }
        }
    }
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;
    ~Place() {
        if (is_held_) give_back(taken_);
    }

    /// Returns true if a place is reserved and keep() was not called.
    [[nodiscard]] explicit operator bool() const noexcept { return is_held_; }

    /// Takes over the place of a removed target. No other thread can take the place in between.
    void inherit() noexcept { is_held_ = true; }

    /// Keeps the place reserved until give_back().
    void keep() noexcept { is_held_ = false; }

    static void give_back(threading::atomic<std::size_t>& taken) noexcept {
        taken.fetch_sub(1, std::memory_order_release);
    }

  private:
    threading::atomic<std::size_t>& taken_;
    bool is_held_ = false;
};

} // namespace dashpot::inline DASHPOT_ABI::detail

#endif
