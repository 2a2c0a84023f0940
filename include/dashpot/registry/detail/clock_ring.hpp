// SPDX-License-Identifier: MIT
#ifndef DASHPOT_REGISTRY_DETAIL_CLOCK_RING_HPP
#define DASHPOT_REGISTRY_DETAIL_CLOCK_RING_HPP

#include <dashpot/core/abi.hpp>
#include <dashpot/core/duration.hpp>
#include <dashpot/registry/detail/registered_target.hpp>

#include <chrono>
#include <cstddef>

namespace dashpot::inline DASHPOT_ABI::detail {

/// What a target must be, for its eviction.
struct EvictionRule {
    /// The target must be unused for this time. If the time is 0, any idle target is evicted.
    std::chrono::nanoseconds unused_for{0};
    Instant now{};

    /// Visits a target. Returns true if it may be evicted.
    [[nodiscard]] bool visit(RegisteredTarget& target) const {
        return unused_for.count() == 0 ? is_seen_idle(target) : is_unused(target);
    }

    /// Returns true if the target cannot be distinguished from a new one, and no other shared_ptr owns
    /// it.
    ///
    /// A new owner needs the lock, so a count of one cannot change here. use_count() is a relaxed
    /// load: the writes of the last owner need not be visible yet. The copy and reset() below make
    /// them visible: the decrement of the count pairs with the decrement of the last other owner,
    /// because each owner may have to destroy the object.
    [[nodiscard]] static bool is_idle(const RegisteredTarget& target) {
        if (target.self.use_count() != 1) return false;
        if (target.was_relied_on && target.given_options != nullptr) return false;
        RegisteredTarget::Owner(target.self).reset();
        return target.is_as_new();
    }

  private:
    /// Returns is_idle(). If the target is not idle, it was seen in use, and is marked as asked for.
    [[nodiscard]] static bool is_seen_idle(RegisteredTarget& target) {
        if (is_idle(target)) return true;
        if (!target.was_asked_for) target.was_asked_for = true;
        return false;
    }

    /// Returns true if the target is idle, and was neither asked for nor seen in use for at least
    /// `unused_for`. The function turns a mark into a time. A target may thus be evicted one visit
    /// later than necessary, but never too early. If the clock steps back, the time starts again.
    [[nodiscard]] bool is_unused(RegisteredTarget& target) const {
        // If the target is in use, its time starts again, even if it has just started.
        if (!target.was_asked_for && now >= target.unused_since && is_idle(target)) {
            return between(target.unused_since, now) >= unused_for;
        }
        target.was_asked_for = false;
        target.unused_since = now;
        return false;
    }
};

/// CLOCK eviction: the targets of a shard in a ring, and a position that visits them one after the
/// other. A use of a target only sets a mark, which the next visit clears; a target is evicted if a
/// later visit finds no new mark.
///
/// **Threads.** The lock of the shard orders all calls.
/// **Source.** F. J. Corbató, "A paging experiment with the Multics system", 1968.
class ClockRing {
  public:
    [[nodiscard]] std::size_t size() const noexcept { return size_; }

    /// Returns a target of a ring that is not empty.
    [[nodiscard]] RegisteredTarget& any() const noexcept { return *next_; }

    /// Calls `f` with each target. `f` must not change the ring.
    template <class F>
    void for_each(F&& f) const {
        RegisteredTarget* each = next_;
        for (std::size_t i = 0; i != size_; ++i, each = each->after) f(*each);
    }

    /// Adds a target: it is visited after all others.
    void add(RegisteredTarget& target) noexcept {
        if (next_ == nullptr) next_ = &target;
        target.after = next_;
        target.before = next_->before;
        target.before->after = &target;
        next_->before = &target;
        ++size_;
    }

    /// Takes a target out.
    void take(RegisteredTarget& target) noexcept {
        if (next_ == &target) next_ = size_ == 1 ? nullptr : target.after;
        target.before->after = target.after;
        target.after->before = target.before;
        --size_;
    }

    /// Visits at most `visits` targets, up to the first one that may be evicted, and takes that one
    /// out. Returns null if there is none. On return, `visits` is the number of remaining visits.
    [[nodiscard]] RegisteredTarget* evict_next(std::size_t& visits, const EvictionRule& rule) {
        while (visits != 0 && next_ != nullptr) {
            --visits;
            RegisteredTarget* const target = next_;
            next_ = target->after;
            if (!rule.visit(*target)) continue;
            take(*target);
            return target;
        }
        return nullptr;
    }

  private:
    RegisteredTarget* next_ = nullptr; // to visit; null if the ring is empty
    std::size_t size_ = 0;
};

} // namespace dashpot::inline DASHPOT_ABI::detail

#endif
