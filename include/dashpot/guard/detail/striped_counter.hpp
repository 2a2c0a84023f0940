// SPDX-License-Identifier: MIT
#ifndef DASHPOT_GUARD_DETAIL_STRIPED_COUNTER_HPP
#define DASHPOT_GUARD_DETAIL_STRIPED_COUNTER_HPP

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace dashpot::inline v0::detail {

/// The unit in which cores share memory on the machines we know; the standard's constant varies
/// between compilers and flags, and would change the layout with them.
inline constexpr std::size_t cache_line = 64;

/// A number for the calling thread, handed out in turn: threads that run together get different ones.
[[nodiscard]] inline std::size_t thread_number() noexcept {
    static constinit std::atomic<std::size_t> next{0};
    thread_local const std::size_t mine = next.fetch_add(1, std::memory_order_relaxed);
    return mine;
}

/// A counter that many threads raise at once without sharing a cache line.
///
/// **Threads.** Any. A sum taken while others add lies between the first and the last true value.
/// **Cost.** add(): one uncontended relaxed fetch_add while there are at most 8 threads.
class StripedCounter {
  public:
    void add() noexcept {
        stripes_[thread_number() % stripes_.size()].value.fetch_add(1, std::memory_order_relaxed);
    }

    [[nodiscard]] std::uint64_t sum() const noexcept {
        std::uint64_t total = 0;
        for (const Stripe& stripe : stripes_) total += stripe.value.load(std::memory_order_relaxed);
        return total;
    }

  private:
    struct alignas(cache_line) Stripe {
        std::atomic<std::uint64_t> value{0};
    };
    std::array<Stripe, 8> stripes_{};
};

} // namespace dashpot::inline v0::detail

#endif
