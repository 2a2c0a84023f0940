// SPDX-License-Identifier: MIT
#ifndef REFRESHER_HPP
#define REFRESHER_HPP

#include <dashpot/dashpot.hpp>

#include <atomic>
#include <utility>

// One thread at a time reloads a stale value, if the breaker admits the call; the other threads do not
// wait.
template <dashpot::Clock C = dashpot::SteadyClock>
class Refresher {
  public:
    template <class F>
    bool refresh(F&& load) {
        const auto turn = turn_.try_acquire();
        if (!turn || !source_.call(std::forward<F>(load))) return false;
        loads_.fetch_add(1, std::memory_order_release);
        return true;
    }

    // Pairs with the release in refresh(): a caller that reads n sees the writes of the first n loads.
    int loads() const { return loads_.load(std::memory_order_acquire); }

  private:
    dashpot::Bulkhead turn_{1};
    dashpot::CircuitBreaker<C> source_;
    dashpot::threading::atomic<int> loads_{0}; // std::atomic<int>, or the checker's type
};

#endif
