// SPDX-License-Identifier: MIT
#ifndef DASHPOT_REGISTRY_DETAIL_EVICTION_BUDGET_HPP
#define DASHPOT_REGISTRY_DETAIL_EVICTION_BUDGET_HPP

#include <dashpot/core/abi.hpp>
#include <dashpot/core/duration.hpp>
#include <dashpot/core/threading.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace dashpot::inline DASHPOT_ABI::detail {

/// Limits the work of evictions at the bound, which unknown names from requests can cause. Each
/// eviction may visit `few` targets. In one period, all evictions together visit at most as many
/// targets beyond that as the registry has.
///
/// **Threads.** Any thread may call it. Evictions that run at the same time may visit more: the bound
/// only limits work, so an exact count is not needed.
class EvictionBudget {
  public:
    static constexpr std::size_t few = 16;
    static constexpr std::chrono::nanoseconds period = std::chrono::seconds{1};

    /// Returns how many targets an eviction may visit now, of the `all` targets of the registry.
    [[nodiscard]] std::size_t visits(Instant now, std::size_t all) noexcept {
        const Instant began{std::chrono::nanoseconds{began_.load(std::memory_order_relaxed)}};
        const bool is_on =
            has_begun_.load(std::memory_order_relaxed) && now >= began && between(began, now) < period;
        if (is_on && left_.load(std::memory_order_relaxed) <= 0) return few;
        if (!is_on) {
            left_.store(static_cast<std::int64_t>(all) - static_cast<std::int64_t>(few),
                        std::memory_order_relaxed);
            began_.store(now.time_since_epoch().count(), std::memory_order_relaxed);
            has_begun_.store(true, std::memory_order_relaxed);
        }
        return (std::numeric_limits<std::size_t>::max)();
    }

    /// Records how many targets an eviction has visited.
    void spend(std::size_t visits) noexcept {
        if (visits <= few) return;
        left_.fetch_sub(static_cast<std::int64_t>(visits - few), std::memory_order_relaxed);
    }

  private:
    threading::atomic<bool> has_begun_{false};
    threading::atomic<std::int64_t> began_{0};
    threading::atomic<std::int64_t> left_{0};
};

} // namespace dashpot::inline DASHPOT_ABI::detail

#endif
