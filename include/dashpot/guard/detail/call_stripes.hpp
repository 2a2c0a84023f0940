// SPDX-License-Identifier: MIT
#ifndef DASHPOT_GUARD_DETAIL_CALL_STRIPES_HPP
#define DASHPOT_GUARD_DETAIL_CALL_STRIPES_HPP

#include <dashpot/core/abi.hpp>
#include <dashpot/core/detail/cache_line.hpp>
#include <dashpot/core/detail/thread_number.hpp>
#include <dashpot/core/threading.hpp>

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace dashpot::inline DASHPOT_ABI::detail {

/// What calls leave behind without a lock, each thread in a cache line of its own: how many were
/// refused and ignored, and successes that another thread will pass to the policy.
///
/// Successes are left only in an open stripe. A thread opens its own under the breaker's lock, while
/// further successes could not change any decision. A thread that is about to change anything takes the
/// lock and collect()s first: that shuts the stripes, and the policy receives what they held before the
/// change. Each opening is marked with a number of its own, so a success is left either before a
/// collect(), and is in it, or not at all: the compare-exchange of a thread that looked before the
/// stripe was shut fails, however often it was opened since. All successes are alike, so the order in
/// which those of several stripes came does not matter.
///
/// **Threads.** Any. collect() and open() only under the breaker's lock.
/// **Cost.** One atomic read-modify-write; uncontended for the first eight threads that a process ever
/// had, and as long as threads whose numbers are eight apart do not run together.
///
/// @tparam count_bits  a stripe is full with 2^count_bits - 1 successes, and sends its thread to the
///     lock. So a policy learns after that number of successes at the latest that it has become quiet.
template <int count_bits>
class CallStripes {
  public:
    void count_refused() noexcept { mine().refused.fetch_add(1, std::memory_order_relaxed); }
    void count_ignored() noexcept { mine().ignored.fetch_add(1, std::memory_order_relaxed); }

    /// Read while others count, it lies between the first and the last true value.
    [[nodiscard]] std::uint64_t refused() const noexcept { return sum(&Stripe::refused); }
    [[nodiscard]] std::uint64_t ignored() const noexcept { return sum(&Stripe::ignored); }

    /// Leaves a success behind if this thread's stripe is open, not full, and `is_allowed()` says yes.
    /// What that reads is of the state that the stripe was opened in, or the success is not left.
    /// @return false: nothing was left
    template <class Check>
    [[nodiscard]] bool leave_success(Check&& is_allowed) noexcept {
        Stripe& stripe = mine();
        // To load the word itself would wait for the atomic write of the call before. A guess that is
        // wrong costs another look, or a way to the lock.
        std::uint64_t held = stripe.latest.load(std::memory_order_acquire);
        do {
            if (held == shut || (held & count_mask) == count_mask || !is_allowed()) return false;
            // Releases what is_allowed() read, to the collect() that takes this success: what is stored
            // for the next opening comes after that, and cannot have been read here.
        } while (!stripe.successes.compare_exchange_weak(held, held + 1, std::memory_order_acq_rel,
                                                         std::memory_order_acquire));
        stripe.latest.store(held + 1, std::memory_order_release);
        return true;
    }

    /// Shuts all stripes. @return the successes that were left in them
    [[nodiscard]] std::uint64_t collect() noexcept {
        std::uint64_t total = 0;
        for (std::uint32_t rest = open_; rest != 0; rest &= rest - 1) {
            Stripe& stripe = stripes_[static_cast<std::size_t>(std::countr_zero(rest))];
            total += stripe.successes.exchange(shut, std::memory_order_acq_rel) & count_mask;
        }
        return total;
    }

    /// Opens this thread's stripe, and those that collect() shut.
    void open() noexcept {
        open_ |= 1U << (thread_number() % stripes_.size());
        for (std::uint32_t rest = open_; rest != 0; rest &= rest - 1) {
            Stripe& stripe = stripes_[static_cast<std::size_t>(std::countr_zero(rest))];
            stripe.successes.store(++openings_ << count_bits, std::memory_order_release);
            stripe.latest.store(openings_ << count_bits, std::memory_order_release);
        }
    }

    /// Leaves shut what collect() shut.
    void stay_shut() noexcept { open_ = 0; }

  private:
    static constexpr std::uint64_t count_mask = (std::uint64_t{1} << count_bits) - 1;
    static constexpr std::uint64_t shut = 0;

    struct alignas(cache_line) Stripe {
        threading::atomic<std::uint64_t> successes{shut}; // number of the opening, and how many
        threading::atomic<std::uint64_t> latest{shut};    // what `successes` should be: a guess
        threading::atomic<std::uint64_t> refused{0};
        threading::atomic<std::uint64_t> ignored{0};
    };

    [[nodiscard]] Stripe& mine() noexcept { return stripes_[thread_number() % stripes_.size()]; }

    [[nodiscard]] std::uint64_t sum(threading::atomic<std::uint64_t> Stripe::* counter) const noexcept {
        std::uint64_t total = 0;
        for (const Stripe& stripe : stripes_)
            total += (stripe.*counter).load(std::memory_order_relaxed);
        return total;
    }

    std::array<Stripe, 8> stripes_{};
    std::uint64_t openings_ = 0; // so far; under the breaker's lock
    std::uint32_t open_ = 0;     // a bit for each open stripe; under the breaker's lock
};

} // namespace dashpot::inline DASHPOT_ABI::detail

#endif
