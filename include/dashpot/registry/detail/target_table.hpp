// SPDX-License-Identifier: MIT
#ifndef DASHPOT_REGISTRY_DETAIL_TARGET_TABLE_HPP
#define DASHPOT_REGISTRY_DETAIL_TARGET_TABLE_HPP

#include <dashpot/core/abi.hpp>
#include <dashpot/core/duration.hpp>
#include <dashpot/core/threading.hpp>
#include <dashpot/registry/detail/clock_ring.hpp>
#include <dashpot/registry/detail/eviction_budget.hpp>
#include <dashpot/registry/detail/hashed_name.hpp>
#include <dashpot/registry/detail/kept_options.hpp>
#include <dashpot/registry/detail/registered_target.hpp>
#include <dashpot/registry/detail/shard.hpp>
#include <dashpot/registry/detail/single_flight.hpp>
#include <dashpot/registry/detail/slot_reservation.hpp>
#include <dashpot/registry/detail/target_events.hpp>
#include <dashpot/registry/registry_options.hpp>
#include <dashpot/registry/removal.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <iterator>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace dashpot::inline DASHPOT_ABI::detail {

/// Reads a clock of any type.
struct AnyClock {
    const void* clock;
    Instant (*read)(const void* clock) noexcept;

    [[nodiscard]] Instant now() const noexcept { return read(clock); }
};

/// The targets of a registry by name, whatever their clock and policy. A thread that needs a new target
/// takes a TargetReservation, constructs the target, and commits it. To make room, the table evicts
/// idle targets.
///
/// **Threads.** Any thread may call it. Targets are constructed and destroyed outside the locks. The
/// lock order is: the lock of one shard, then that of the flights or that of the kept options.
class TargetTable {
  public:
    using Owner = RegisteredTarget::Owner;

    TargetTable(const RegistryOptions& options, AnyClock clock)
        : options_{options}, clock_{clock}, kept_{options.max_targets} {}

    /// Returns the number of targets, without those under construction.
    [[nodiscard]] std::size_t size() const noexcept { return size_.load(std::memory_order_relaxed); }

    /// Returns the target, or null, and marks the target as asked for. `relies` is true if the caller
    /// could not give the options of the target again.
    [[nodiscard]] Owner find(const HashedName& name, bool relies = false) const {
        Shard& shard = shard_of(name);
        const std::lock_guard lock{shard.mutex};
        return shard.find_locked(name, relies);
    }

    /// Returns true if a target of that name exists or is under construction. The target is not marked
    /// as asked for.
    [[nodiscard]] bool contains(const HashedName& name) const {
        // The flights are read first: a target is in its shard before its flight ends.
        if (flights_.contains(name.name)) return true;
        Shard& shard = shard_of(name);
        const std::lock_guard lock{shard.mutex};
        return shard.by_name.find(name) != nullptr;
    }

    /// Calls `f` with the name of each target that exists or is under construction, under a lock.
    template <class F>
    void for_each_name(F&& f) const {
        flights_.for_each_name(f); // first, as in contains()
        for (Shard& shard : shards_) {
            const std::lock_guard lock{shard.mutex};
            shard.ring.for_each([&](const RegisteredTarget& each) { f(each.key().name); });
        }
    }

    /// Calls `f` with each target, outside the locks. Each shard is read at its own moment, and all
    /// before the first call of `f`.
    template <class F>
    void for_each(F&& f) const {
        std::vector<Owner> all;
        all.reserve(size());
        for (Shard& shard : shards_) {
            const std::lock_guard lock{shard.mutex};
            shard.ring.for_each([&](const RegisteredTarget& each) { all.push_back(each.self); });
        }
        for (const Owner& each : all) f(each);
    }

    /// Takes the target out, drops the options kept for its name, and notifies the listeners. Returns
    /// true if the target existed.
    bool remove(const HashedName& name);

    /// Evicts all targets that were unused for `unused_for`, or all idle targets if `unused_for` is 0,
    /// and notifies the listeners. Returns their number.
    std::size_t evict_all(std::chrono::nanoseconds unused_for);

    /// Returns the queue for the events of all targets. Targets without listeners use no memory for
    /// it.
    [[nodiscard]] const std::shared_ptr<TargetChannel>& channel() const noexcept { return channel_; }

  private:
    friend class TargetReservation;

    /// If no slot is free, evicts an idle target and gives its slot to `slot`. The caller destroys the
    /// returned target, and delivers the events afterwards.
    [[nodiscard]] Owner evict_into(SlotReservation& slot);

    /// Evicts a few targets that were unused for `evict_after`. The caller delivers the events
    /// afterwards.
    void evict_some();

    /// Queues the eviction of a target and keeps its options, under the lock of its shard. A new
    /// target of that name is thus added after both. Options that are dropped are destroyed with the
    /// target.
    void evicted_locked(RegisteredTarget& evicted) noexcept {
        // A listener may keep the target by a weak_ptr: from here on its transitions go nowhere.
        evicted.disconnect();
        evicted.events->push(Removal::evicted);
        evicted.given_options = kept_.replace(evicted.key(), evicted.given_options);
    }

    /// Selects the shard by the upper bits of the hash: the map in the shard uses the lower bits.
    [[nodiscard]] Shard& shard_of(const HashedName& name) const noexcept {
        return shards_[static_cast<std::size_t>(name.hash >> 32U) % shard_count];
    }

    /// Returns the shard to start with; each call returns another shard.
    [[nodiscard]] std::size_t next_shard() noexcept {
        return next_shard_.fetch_add(1, std::memory_order_relaxed) % shard_count;
    }

    /// Decrements both counters in this order, so that size() never exceeds the number of slots.
    void forget_one() noexcept {
        size_.fetch_sub(1, std::memory_order_relaxed);
        SlotReservation::release(slots_);
    }

    static constexpr std::size_t shard_count = 16;

    const RegistryOptions options_;
    const AnyClock clock_;
    mutable Shard shards_[shard_count]; // mutable: a look-up sets a mark
    threading::atomic<std::size_t> size_{0};
    threading::atomic<std::size_t> slots_{0}; // reserved; includes targets under construction
    threading::atomic<std::size_t> next_shard_{0};
    EvictionBudget budget_;
    SingleFlight flights_;
    KeptOptions kept_;
    const std::shared_ptr<TargetChannel> channel_ = std::make_shared<TargetChannel>();
};

inline bool TargetTable::remove(const HashedName& name) {
    Shard& shard = shard_of(name);
    std::unique_lock lock{shard.mutex};
    Owner removed = shard.take_locked(name);
    const bool was_there = removed != nullptr;
    const GivenOptions* const dropped = kept_.replace(name, nullptr);
    if (was_there) {
        removed->events->silence();
        removed->events->push(Removal::removed);
        forget_one();
    }
    lock.unlock();
    removed.reset(); // not under the lock
    delete dropped;
    channel_->deliver();
    return was_there;
}

inline auto TargetTable::evict_into(SlotReservation& slot) -> Owner {
    const std::size_t most = budget_.visits(clock_.now(), size());
    const EvictionRule any_idle{};
    std::size_t visited = 0;
    Owner evicted;
    const std::size_t first = next_shard();
    for (std::size_t i = 0; i != shard_count && visited != most && !evicted; ++i) {
        Shard& shard = shards_[(first + i) % shard_count];
        const std::lock_guard lock{shard.mutex};
        const std::size_t visits = (std::min)(shard.ring.size(), most - visited);
        std::size_t visits_left = visits;
        evicted = shard.evict_next_locked(visits_left, any_idle);
        visited += visits - visits_left;
        if (!evicted) continue;
        evicted_locked(*evicted);
        slot.inherit();
        size_.fetch_sub(1, std::memory_order_relaxed);
    }
    budget_.spend(visited);
    return evicted;
}

inline void TargetTable::evict_some() {
    const EvictionRule unused{*options_.evict_after, clock_.now()};
    Owner evicted[4]; // at most four visits per new target
    Shard& shard = shards_[next_shard()];
    const std::lock_guard lock{shard.mutex};
    std::size_t visits = (std::min)(std::size(evicted), shard.ring.size());
    for (Owner& each : evicted) {
        each = shard.evict_next_locked(visits, unused);
        if (!each) return;
        evicted_locked(*each);
        forget_one();
    }
}

inline std::size_t TargetTable::evict_all(std::chrono::nanoseconds unused_for) {
    const EvictionRule rule{unused_for, clock_.now()};
    std::size_t count = 0;
    for (Shard& shard : shards_) {
        Owner evicted; // a list through RegisteredTarget::self, destroyed outside the lock
        std::unique_lock lock{shard.mutex};
        std::size_t visits = shard.ring.size(); // each target once
        while (Owner each = shard.evict_next_locked(visits, rule)) {
            evicted_locked(*each);
            each->self = std::move(evicted);
            evicted = std::move(each);
            forget_one();
            ++count;
        }
        lock.unlock();
        channel_->deliver();
        while (evicted) evicted = std::move(evicted->self);
    }
    return count;
}

} // namespace dashpot::inline DASHPOT_ABI::detail

#endif
