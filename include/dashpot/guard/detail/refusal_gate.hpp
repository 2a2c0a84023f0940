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

/// A published Wait: while it is on, callers are refused without asking under the lock.
///
/// It belongs to one published word. The writer opens the gate, publishes a word of a new generation,
/// then shuts the gate; so whoever reads the word, a shut gate, and the same word again, knows that the
/// gate is that word's: nobody meets a new state with an old wait, or the other way round.
///
/// A gate that is open says nothing, since a word is published a moment before its wait. One that was
/// set to no wait says that there is none: see is_known().
///
/// **Threads.** One writer at a time, any number of readers.
class RefusalGate {
  public:
    /// From here on everybody asks under the lock. The start stays: who has read the length before must
    /// not combine it with another start, and so find a wait that never was.
    void open() noexcept {
        if (length_.load(std::memory_order_relaxed) != 0) length_.store(0, std::memory_order_relaxed);
    }

    /// Writes only what changes: every caller reads it.
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

    /// Returns true if `seen` was set, also to no wait; false if it is that of an open gate.
    [[nodiscard]] static bool is_known(const Wait& seen) noexcept { return seen.length.count() != 0; }

  private:
    static constexpr std::int64_t no_wait = -1; // is_on() at no time, as a wait of length 0

    threading::atomic<std::int64_t> since_{0};
    threading::atomic<std::int64_t> length_{0};
};

} // namespace dashpot::inline DASHPOT_ABI::detail

#endif
