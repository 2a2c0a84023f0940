// SPDX-License-Identifier: MIT
#ifndef DASHPOT_REGISTRY_DETAIL_SHARD_HPP
#define DASHPOT_REGISTRY_DETAIL_SHARD_HPP

#include <dashpot/core/abi.hpp>
#include <dashpot/core/detail/cache_line.hpp>
#include <dashpot/core/threading.hpp>
#include <dashpot/registry/detail/clock_ring.hpp>
#include <dashpot/registry/detail/hashed_name.hpp>
#include <dashpot/registry/detail/name_map.hpp>
#include <dashpot/registry/detail/registered_target.hpp>

#include <cstddef>
#include <memory>
#include <utility>

namespace dashpot::inline DASHPOT_ABI::detail {

/// A part of a registry's targets, under its own lock: by name, and in a ring for eviction.
///
/// Functions named _locked require the lock. They return the targets that they take out, so that the
/// caller destroys them after the lock is released.
class alignas(cache_line) Shard {
  public:
    using Owner = RegisteredTarget::Owner;

    Shard() = default;
    Shard(const Shard&) = delete;
    Shard& operator=(const Shard&) = delete;
    ~Shard() {
        while (ring.size() != 0) const Owner last = take_locked(ring.any().key());
    }

    /// Returns the target, or null. `relies` is true if the caller could not give the options of the
    /// target again.
    [[nodiscard]] Owner find_locked(const HashedName& name, bool relies = false) {
        auto* const found = static_cast<RegisteredTarget*>(by_name.find(name));
        if (found == nullptr) return nullptr;
        // Sets a mark instead of a time, because a clock reading costs as much as the look-up. The
        // mark is written only if it changes, so that threads that use the same name constantly share
        // the cache line.
        if (!found->was_asked_for) found->was_asked_for = true;
        if (relies && !found->was_relied_on) found->was_relied_on = true;
        return found->self;
    }

    void add_locked(const Owner& target, bool relies = false) noexcept {
        ring.add(*target);
        by_name.insert(*target);
        target->was_relied_on = relies;
        target->self = target;
    }

    /// Takes the target out and returns it, or returns null.
    [[nodiscard]] Owner take_locked(const HashedName& name) noexcept {
        auto* const taken = static_cast<RegisteredTarget*>(by_name.take(name));
        if (taken == nullptr) return nullptr;
        ring.take(*taken);
        return std::move(taken->self);
    }

    /// Visits at most `visits` targets for eviction, and takes the first one that may be evicted out.
    /// Returns null if there is none. On return, `visits` is the number of remaining visits.
    [[nodiscard]] Owner evict_next_locked(std::size_t& visits, const EvictionRule& rule) {
        RegisteredTarget* const evicted = ring.evict_next(visits, rule);
        if (evicted == nullptr) return nullptr;
        by_name.take(evicted->key());
        return std::move(evicted->self);
    }

    threading::mutex mutex;
    NameMap by_name; // guarded by mutex
    ClockRing ring;  // guarded by mutex; the same targets
};

} // namespace dashpot::inline DASHPOT_ABI::detail

#endif
