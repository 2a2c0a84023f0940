// SPDX-License-Identifier: MIT
#ifndef DASHPOT_REGISTRY_DETAIL_PLACE_HPP
#define DASHPOT_REGISTRY_DETAIL_PLACE_HPP

#include <dashpot/core/abi.hpp>
#include <dashpot/core/threading.hpp>

#include <atomic>
#include <cstddef>

namespace dashpot::inline DASHPOT_ABI::detail {

/// Takes one of so many places if one is free; gives it back unless it is kept.
///
/// **Contract.** Never more taken than there are, not even for a moment. A place given back with
/// give_back() happens before it is taken again.
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

    /// True if it got one, and until it is kept.
    [[nodiscard]] explicit operator bool() const noexcept { return is_held_; }

    /// Takes over the place of somebody who leaves, so that no third one can.
    void inherit() noexcept { is_held_ = true; }

    /// It stays taken, until give_back().
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
