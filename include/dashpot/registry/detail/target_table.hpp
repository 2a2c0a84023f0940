// SPDX-License-Identifier: MIT
#ifndef DASHPOT_REGISTRY_DETAIL_TARGET_TABLE_HPP
#define DASHPOT_REGISTRY_DETAIL_TARGET_TABLE_HPP

#include <dashpot/core/abi.hpp>
#include <dashpot/core/clock.hpp>
#include <dashpot/core/duration.hpp>
#include <dashpot/core/threading.hpp>
#include <dashpot/guard/target.hpp>
#include <dashpot/policy/failure_policy.hpp>
#include <dashpot/registry/detail/feed.hpp>
#include <dashpot/registry/detail/hashed_name.hpp>
#include <dashpot/registry/detail/kept_options.hpp>
#include <dashpot/registry/detail/member.hpp>
#include <dashpot/registry/detail/place.hpp>
#include <dashpot/registry/detail/shard.hpp>
#include <dashpot/registry/removal.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace dashpot::inline DASHPOT_ABI::detail {

/// The targets of a registry by name. Their number is bounded, and some of them may be idle.
///
/// **Threads.** Any thread may call it. Targets are constructed and destroyed outside the locks.
template <Clock C, FailurePolicy P>
class TargetTable {
  public:
    using Owner = typename Shard<C, P>::Owner;

    /// The number of targets that each evict_into() may visit.
    static constexpr std::size_t few = 16;
    /// In this period, all calls of evict_into() together visit at most the number of all targets
    /// beyond `few` per call.
    static constexpr std::chrono::nanoseconds look_period = std::chrono::seconds{1};

    [[nodiscard]] std::size_t size() const noexcept { return size_.load(std::memory_order_relaxed); }

    using Kept = KeptOptions<TargetOptions<P>>;

    /// @param most_kept  the largest number of evicted names whose options from a function are kept
    explicit TargetTable(std::size_t most_kept) noexcept : kept_{most_kept} {}

    /// Returns the target, or null, and marks the target as asked for. `relies` is true if the caller
    /// could not give the options of the target again.
    [[nodiscard]] Owner find(const HashedName& name, bool relies = false) const {
        return find_or(name, [] {}, relies);
    }

    /// Returns the options that a function gave to the target of that name before its eviction, or
    /// null.
    [[nodiscard]] typename Kept::Options kept_options(const HashedName& name) const {
        return kept_.of(name);
    }

    /// Returns find(). If there is no target, it calls `absent()` under the lock under which the
    /// target would be added.
    template <class F>
    [[nodiscard]] Owner find_or(const HashedName& name, F&& absent, bool relies = false) const {
        Shard<C, P>& shard = shard_of(name);
        const std::lock_guard lock{shard.mutex};
        Owner found = shard.find_locked(name, relies);
        if (!found) absent();
        return found;
    }

    /// Returns true if the target exists. The target is not marked as asked for.
    [[nodiscard]] bool contains(const HashedName& name) const {
        Shard<C, P>& shard = shard_of(name);
        const std::lock_guard lock{shard.mutex};
        return shard.by_name.contains(name);
    }

    /// Adds a new target in a reserved place. `relies` has the meaning as in find().
    void add(const Owner& member, const HashedName& name, Place& place, bool relies = false) {
        Shard<C, P>& shard = shard_of(name);
        const std::lock_guard lock{shard.mutex};
        shard.add_locked(member, name, relies);
        place.keep();
        size_.fetch_add(1, std::memory_order_relaxed);
    }

    /// Takes the target out and drops the options kept for its name. Returns the target, or null. The
    /// caller must call deliver() afterwards.
    [[nodiscard]] Owner remove(const HashedName& name) {
        typename Kept::Options dropped; // destroyed after the locks are released
        Shard<C, P>& shard = shard_of(name);
        const std::lock_guard lock{shard.mutex};
        Owner removed = shard.take_locked(name);
        dropped = kept_.replace(name, nullptr);
        if (removed) {
            removed->feed->silence();
            removed->feed->push(Removal::removed);
            forget_one();
        }
        return removed;
    }

    /// Returns the queue for the events of all targets. Targets without listeners use no memory for
    /// it.
    [[nodiscard]] const std::shared_ptr<TargetChannel>& channel() const noexcept { return channel_; }

    /// Calls the listeners with the queued removals. The caller must not hold a lock.
    void deliver() const noexcept { channel_->deliver(); }

    /// Returns all targets. Each shard is read at its own moment.
    [[nodiscard]] std::vector<Owner> all() const {
        std::vector<Owner> all;
        all.reserve(size());
        for (Shard<C, P>& shard : shards_) {
            const std::lock_guard lock{shard.mutex};
            for (const auto* const each : shard.ring) all.push_back(each->second.member);
        }
        return all;
    }

    /// Returns the counter of reserved places, for a Place.
    [[nodiscard]] threading::atomic<std::size_t>& places() noexcept { return places_; }

    /// If no place is free, evicts an idle target and gives its place to `place`. The caller destroys
    /// the returned target and must call deliver() afterwards.
    [[nodiscard]] Owner evict_into(Place& place, Instant now);

    /// Evicts a few targets that were unused for `unused_for`. The caller must call deliver()
    /// afterwards.
    void evict_some(Instant now, std::chrono::nanoseconds unused_for);

    /// Evicts all targets that were unused for `unused_for`, or all idle targets if `unused_for` is 0.
    std::size_t evict_all(Instant now, std::chrono::nanoseconds unused_for);

  private:
    /// Queues the eviction of a target and keeps its options, under the lock of its shard. A new
    /// target of that name is thus added after both. Options that are dropped are destroyed with the
    /// target.
    void evicted_locked(const Owner& evicted) noexcept {
        // A listener may keep the target by a weak_ptr: from here on its transitions go nowhere.
        ForwardTransitions::of(evicted->target.breaker(), nullptr);
        evicted->feed->push(Removal::evicted);
        evicted->given_options =
            kept_.replace({evicted->target.name(), evicted->hash}, std::move(evicted->given_options));
    }

    /// Selects the shard by the upper bits of the hash: the map in the shard uses the lower bits.
    [[nodiscard]] Shard<C, P>& shard_of(const HashedName& name) const noexcept {
        return shards_[static_cast<std::size_t>(name.hash >> 32U) % shards_.size()];
    }

    /// Returns the shard to start with; each call returns another shard.
    [[nodiscard]] std::size_t next_shard() noexcept {
        return next_shard_.fetch_add(1, std::memory_order_relaxed) % shards_.size();
    }

    /// Decrements both counters in this order, so that size() never exceeds the number of places.
    void forget_one() noexcept {
        size_.fetch_sub(1, std::memory_order_relaxed);
        Place::give_back(places_);
    }

    /// Returns true if visits are left in this period, or if the period is over.
    [[nodiscard]] bool may_look_at_all(Instant now) noexcept {
        const Instant began{std::chrono::nanoseconds{period_began_.load(std::memory_order_relaxed)}};
        const bool is_on = has_period_.load(std::memory_order_relaxed) && now >= began &&
                           between(began, now) < look_period;
        if (is_on) return looks_left_.load(std::memory_order_relaxed) > 0;
        looks_left_.store(static_cast<std::int64_t>(size()) - static_cast<std::int64_t>(few),
                          std::memory_order_relaxed);
        period_began_.store(now.time_since_epoch().count(), std::memory_order_relaxed);
        has_period_.store(true, std::memory_order_relaxed);
        return true;
    }

    mutable std::array<Shard<C, P>, 16> shards_; // mutable: a look-up sets a mark
    threading::atomic<std::size_t> size_{0};
    threading::atomic<std::size_t> places_{0}; // including targets under construction
    threading::atomic<std::size_t> next_shard_{0};
    // Threads that look at the same time may visit more targets than all. The bound only limits work,
    // so an exact count is not needed.
    threading::atomic<bool> has_period_{false};
    threading::atomic<std::int64_t> period_began_{0};
    threading::atomic<std::int64_t> looks_left_{0}; // beyond the `few` of each call
    Kept kept_;
    const std::shared_ptr<TargetChannel> channel_ = std::make_shared<TargetChannel>();
};

template <Clock C, FailurePolicy P>
auto TargetTable<C, P>::evict_into(Place& place, Instant now) -> Owner {
    const std::size_t most = may_look_at_all(now) ? (std::numeric_limits<std::size_t>::max)() : few;
    std::size_t looked = 0;
    Owner evicted;
    const std::size_t first = next_shard();
    for (std::size_t i = 0; i != shards_.size() && looked != most && !evicted; ++i) {
        Shard<C, P>& shard = shards_[(first + i) % shards_.size()];
        const std::lock_guard lock{shard.mutex};
        const std::size_t looks = (std::min)(shard.ring.size(), most - looked);
        std::size_t looks_left = looks;
        evicted = shard.evict_next_locked(looks_left,
                                          [](auto& slot) { return Shard<C, P>::is_seen_idle(slot); });
        looked += looks - looks_left;
        if (!evicted) continue;
        evicted_locked(evicted);
        place.inherit();
        size_.fetch_sub(1, std::memory_order_relaxed);
    }
    if (looked > few) {
        looks_left_.fetch_sub(static_cast<std::int64_t>(looked - few), std::memory_order_relaxed);
    }
    return evicted;
}

template <Clock C, FailurePolicy P>
void TargetTable<C, P>::evict_some(Instant now, std::chrono::nanoseconds unused_for) {
    std::array<Owner, 4> evicted; // at most four visits per new target
    Shard<C, P>& shard = shards_[next_shard()];
    const std::lock_guard lock{shard.mutex};
    std::size_t looks = (std::min)(evicted.size(), shard.ring.size());
    for (Owner& each : evicted) {
        each = shard.evict_next_locked(
            looks, [&](auto& slot) { return Shard<C, P>::is_unused(slot, now, unused_for); });
        if (!each) return;
        evicted_locked(each);
        forget_one();
    }
}

template <Clock C, FailurePolicy P>
std::size_t TargetTable<C, P>::evict_all(Instant now, std::chrono::nanoseconds unused_for) {
    std::size_t count = 0;
    for (Shard<C, P>& shard : shards_) {
        std::vector<Owner> evicted;
        std::unique_lock lock{shard.mutex};
        evicted.reserve(shard.ring.size());
        shard.hand = 0; // a slot moved by an eviction is thus not visited twice
        std::size_t looks = shard.ring.size();
        while (Owner each = shard.evict_next_locked(looks, [&](auto& slot) {
            return unused_for.count() == 0 ? Shard<C, P>::is_seen_idle(slot)
                                           : Shard<C, P>::is_unused(slot, now, unused_for);
        })) {
            evicted_locked(each);
            evicted.push_back(std::move(each));
            forget_one();
            ++count;
        }
        lock.unlock();
        deliver();
    }
    return count;
}

} // namespace dashpot::inline DASHPOT_ABI::detail

#endif
