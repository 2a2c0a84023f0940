// SPDX-License-Identifier: MIT
#ifndef DASHPOT_REGISTRY_DETAIL_TARGET_TABLE_HPP
#define DASHPOT_REGISTRY_DETAIL_TARGET_TABLE_HPP

#include <dashpot/core/abi.hpp>
#include <dashpot/core/clock.hpp>
#include <dashpot/core/duration.hpp>
#include <dashpot/core/threading.hpp>
#include <dashpot/policy/failure_policy.hpp>
#include <dashpot/registry/detail/feed.hpp>
#include <dashpot/registry/detail/hashed_name.hpp>
#include <dashpot/registry/detail/kept_options.hpp>
#include <dashpot/registry/detail/member.hpp>
#include <dashpot/registry/detail/place.hpp>
#include <dashpot/registry/detail/shard.hpp>
#include <dashpot/registry/removal.hpp>
#include <dashpot/registry/target.hpp>

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

/// The targets of a registry by name: so many at most, some of them idle.
///
/// **Threads.** Any. Targets are made and destroyed outside the locks.
template <Clock C, FailurePolicy P>
class TargetTable {
  public:
    using Owner = typename Shard<C, P>::Owner;

    /// How many targets evict_into() may look at in any case.
    static constexpr std::size_t few = 16;
    /// In that time it looks at no more than all of them beyond that.
    static constexpr std::chrono::nanoseconds look_period = std::chrono::seconds{1};

    [[nodiscard]] std::size_t size() const noexcept { return size_.load(std::memory_order_relaxed); }

    using Kept = KeptOptions<TargetOptions<P>>;

    /// @param most_kept  evicted names at most whose options by a function are kept
    explicit TargetTable(std::size_t most_kept) noexcept : kept_{most_kept} {}

    /// Null if there is none. It counts as asked for. `relies` says that the caller could not give the
    /// options of the target again.
    [[nodiscard]] Owner find(const HashedName& name, bool relies = false) const {
        return find_or(name, [] {}, relies);
    }

    /// The options that a function gave to the target of that name before it was evicted, or null.
    [[nodiscard]] typename Kept::Options kept_options(const HashedName& name) const {
        return kept_.of(name);
    }

    /// The same; where there is none, calls `absent()` under the lock that one is added under.
    template <class F>
    [[nodiscard]] Owner find_or(const HashedName& name, F&& absent, bool relies = false) const {
        Shard<C, P>& shard = shard_of(name);
        const std::lock_guard lock{shard.mutex};
        Owner found = shard.find_locked(name, relies);
        if (!found) absent();
        return found;
    }

    /// Whether there is one; asks for nothing.
    [[nodiscard]] bool contains(const HashedName& name) const {
        Shard<C, P>& shard = shard_of(name);
        const std::lock_guard lock{shard.mutex};
        return shard.by_name.contains(name);
    }

    /// Adds what is not there, in a place that was taken for it. `relies` as for find().
    void add(const Owner& member, const HashedName& name, Place& place, bool relies = false) {
        Shard<C, P>& shard = shard_of(name);
        const std::lock_guard lock{shard.mutex};
        shard.add_locked(member, name, relies);
        place.keep();
        size_.fetch_add(1, std::memory_order_relaxed);
    }

    /// Takes it out, and forgets the options kept for it; null if there is none. deliver() has to
    /// follow.
    [[nodiscard]] Owner remove(const HashedName& name) {
        typename Kept::Options dropped; // goes when the locks are gone
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

    /// Where the events of all targets go. Targets that nothing listens to cost no memory for it.
    [[nodiscard]] const std::shared_ptr<TargetChannel>& channel() const noexcept { return channel_; }

    /// Calls the listeners with the removals that wait. Call it without a lock.
    void deliver() const noexcept { channel_->deliver(); }

    /// All, at some moment each.
    [[nodiscard]] std::vector<Owner> all() const {
        std::vector<Owner> all;
        all.reserve(size());
        for (Shard<C, P>& shard : shards_) {
            const std::lock_guard lock{shard.mutex};
            for (const auto* const each : shard.ring) all.push_back(each->second.member);
        }
        return all;
    }

    /// The number of taken places, for a Place.
    [[nodiscard]] threading::atomic<std::size_t>& places() noexcept { return places_; }

    /// Where there is no place: one that an idle target leaves. The target is destroyed by the caller,
    /// and deliver() has to follow.
    [[nodiscard]] Owner evict_into(Place& place, Instant now);

    /// Forgets a few of those that were unused for so long. deliver() has to follow.
    void evict_some(Instant now, std::chrono::nanoseconds unused_for);

    /// Forgets all that are idle, if `unused_for` is 0, or were unused for so long.
    std::size_t evict_all(Instant now, std::chrono::nanoseconds unused_for);

  private:
    /// Announces an evicted target and keeps its options, under the lock of its shard: a new target of
    /// that name comes after both. What is dropped goes with the target.
    void evicted_locked(const Owner& evicted) noexcept {
        evicted->feed->push(Removal::evicted);
        evicted->given_options =
            kept_.replace({evicted->target.name(), evicted->hash}, std::move(evicted->given_options));
    }

    /// By the upper bits: the map in the shard uses the lower ones.
    [[nodiscard]] Shard<C, P>& shard_of(const HashedName& name) const noexcept {
        return shards_[static_cast<std::size_t>(name.hash >> 32U) % shards_.size()];
    }

    /// The shard to begin with, another one each time.
    [[nodiscard]] std::size_t next_shard() noexcept {
        return next_shard_.fetch_add(1, std::memory_order_relaxed) % shards_.size();
    }

    /// In this order: size() is never more than the places.
    void forget_one() noexcept {
        size_.fetch_sub(1, std::memory_order_relaxed);
        Place::give_back(places_);
    }

    /// Whether there are looks left of this period, or it is over.
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

    mutable std::array<Shard<C, P>, 16> shards_; // who asks leaves a mark
    threading::atomic<std::size_t> size_{0};
    threading::atomic<std::size_t> places_{0}; // those of targets that are being made among them
    threading::atomic<std::size_t> next_shard_{0};
    // Threads that look at the same moment may look at more than all: it is effort that is bounded
    // here.
    threading::atomic<bool> has_period_{false};
    threading::atomic<std::int64_t> period_began_{0};
    threading::atomic<std::int64_t> looks_left_{0}; // beyond the few of each
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
    std::array<Owner, 4> evicted; // a round for every so many new ones, over all of them
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
        shard.hand = 0; // so that who takes the place of one evicted was not looked at before
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
