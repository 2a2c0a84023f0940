// SPDX-License-Identifier: MIT
#ifndef DASHPOT_GUARD_DETAIL_PUBLISHED_STATE_HPP
#define DASHPOT_GUARD_DETAIL_PUBLISHED_STATE_HPP

#include <dashpot/core/abi.hpp>
#include <dashpot/core/detail/wait.hpp>
#include <dashpot/core/threading.hpp>
#include <dashpot/guard/detail/breaker_word.hpp>
#include <dashpot/guard/detail/refusal_gate.hpp>

#include <atomic>
#include <cstdint>
#include <optional>

namespace dashpot::inline DASHPOT_ABI::detail {

/// What a breaker shows to callers that take no lock: a word, and a gate with the wait of that word.
///
/// The word and the gate cannot be written at once. A protocol prevents that a caller combines a word
/// with the wait of another word:
/// - publish() opens the gate if the generation changes, then stores the word, then sets the gate.
/// - wait_of() is called with a word, reads the gate, then reads the word again. If the gate shows a
///   wait and the word is still the same, the wait belongs to the word.
///
/// An open gate shows nothing, because a word is published a moment before its wait. A caller that
/// meets one must take the breaker's lock.
///
/// **Threads.** publish() and open_gate() are called under the breaker's lock, the others by any
/// thread. **Cost.** Each part is written only if it changes, because every caller reads it.
class PublishedState {
  public:
    explicit PublishedState(BreakerWord word) noexcept : word_{word.bits()} {}

    [[nodiscard]] BreakerWord word() const noexcept {
        return BreakerWord{word_.load(std::memory_order_acquire)}; // pairs with the store in publish()
    }

    /// Returns the wait of a breaker whose word was `seen`, also if it is no wait at all. Returns
    /// nothing if the wait is not known, or is that of another word.
    [[nodiscard]] std::optional<Wait> wait_of(BreakerWord seen) const noexcept {
        const Wait wait = gate_.read();
        const bool is_its_own = word() == seen;
        if (is_its_own && RefusalGate::is_known(wait)) return wait;
        return std::nullopt;
    }

    void publish(BreakerWord after, const Wait& wait) noexcept {
        const BreakerWord before{word_.load(std::memory_order_relaxed)};
        if (after.generation() != before.generation()) gate_.open();
        if (after != before) word_.store(after.bits(), std::memory_order_release);
        gate_.set(wait);
    }

    /// Hides the wait until the next publish(). What the caller changes next is visible to each thread
    /// that still finds the same wait afterwards.
    void open_gate() noexcept { gate_.open(); }

  private:
    threading::atomic<std::uint64_t> word_;
    RefusalGate gate_;
};

} // namespace dashpot::inline DASHPOT_ABI::detail

#endif
