// SPDX-License-Identifier: MIT
#ifndef DASHPOT_GUARD_DETAIL_REFUSAL_GATE_HPP
#define DASHPOT_GUARD_DETAIL_REFUSAL_GATE_HPP

#include <dashpot/core/abi.hpp>
#include <dashpot/core/detail/wait.hpp>
#include <dashpot/core/duration.hpp>
#include <dashpot/core/threading.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>

namespace dashpot::inline DASHPOT_ABI::detail {

/// A published Wait: while it is on, callers are refused without the lock. It is a part of
/// PublishedState, which says how callers find out that it is the wait of a given word.
///
/// **Contract.** A reader never combines the length of one wait with the start of an earlier one. A
/// gate that is open shows no wait. A gate that was set to no wait shows that there is none: is_known()
/// distinguishes the two.
///
/// **Threads.** One thread at a time may write; any number of threads may read.
class RefusalGate {
  public:
    /// Makes all callers take the lock from here on. The start stays as it is: a thread that has read
    /// the length before must not combine that length with another start.
    void open() noexcept {
        if (length_.load(std::memory_order_relaxed) != 0) length_.store(0, std::memory_order_relaxed);
    }

    /// Writes only what changes, because every caller reads it.
    void set(const Wait& wait) noexcept {
        if (wait.length.count() == 0) {
            if (length_.load(std::memory_order_relaxed) == no_wait) return;
            return length_.store(no_wait, std::memory_order_release); // pairs with the load in read()
        }
        if (wait == read()) return;
        since_.store(wait.since.time_since_epoch().count(), std::memory_order_release);
        length_.store(wait.length.count(), std::memory_order_release);
    }

    [[nodiscard]] Wait read() const noexcept {
        // In this order: a length is never read with the start of an earlier one.
        const std::int64_t length = length_.load(std::memory_order_acquire);
        const std::int64_t since = since_.load(std::memory_order_acquire);
        return {Instant{std::chrono::nanoseconds{since}}, std::chrono::nanoseconds{length}};
    }

    /// Returns true if `seen` was set, also to no wait. Returns false if the gate was open.
    [[nodiscard]] static bool is_known(const Wait& seen) noexcept { return seen.length.count() != 0; }

  private:
    static constexpr std::int64_t no_wait = -1; // is_on() at no time, as a wait of length 0

    threading::atomic<std::int64_t> since_{0};
    threading::atomic<std::int64_t> length_{0};
};

} // namespace dashpot::inline DASHPOT_ABI::detail

#endif
