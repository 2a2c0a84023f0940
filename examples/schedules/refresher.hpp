// SPDX-License-Identifier: MIT
#ifndef REFRESHER_HPP
#define REFRESHER_HPP

#include <dashpot/dashpot.hpp>

#include <atomic>
#include <utility>

// Of the threads that find something stale, one loads it anew, if the breaker lets it; the others go
// on.
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

    // Who reads a number here sees all that so many loads have written.
    int loads() const { return loads_.load(std::memory_order_acquire); }

  private:
    dashpot::Bulkhead turn_{1};
    dashpot::CircuitBreaker<C> source_;
    dashpot::threading::atomic<int> loads_{0}; // std::atomic<int>, but where a checker is at work
};

#endif
