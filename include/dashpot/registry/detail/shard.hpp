// SPDX-License-Identifier: MIT
#ifndef DASHPOT_REGISTRY_DETAIL_SHARD_HPP
#define DASHPOT_REGISTRY_DETAIL_SHARD_HPP

#include <dashpot/core/abi.hpp>
#include <dashpot/core/clock.hpp>
#include <dashpot/core/detail/cache_line.hpp>
#include <dashpot/core/duration.hpp>
#include <dashpot/core/threading.hpp>
#include <dashpot/policy/failure_policy.hpp>
#include <dashpot/registry/detail/hashed_name.hpp>
#include <dashpot/registry/detail/member.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace dashpot::inline DASHPOT_ABI::detail {

/// A part of a registry's targets, under its own lock, with a CLOCK hand that visits the targets in a
/// ring.
///
/// Functions named _locked require the lock. They return the members that they take out, so that the
/// caller destroys them after the lock is released.
template <Clock C, FailurePolicy P>
struct alignas(cache_line) Shard {
    using Owner = std::shared_ptr<Member<C, P>>;

    struct Slot {
        Owner member;
        std::size_t place = 0;      // index in the ring
        bool was_asked_for = true;  // or was seen in use, since the hand visited it
        bool was_relied_on = false; // by a get() that cannot give its options again
        Instant unused_since{};     // if not asked for: the time of the hand's visit
    };

    /// Returns the target, or null. `relies` is true if the caller could not give the options of the
    /// target again.
    [[nodiscard]] Owner find_locked(const HashedName& name, bool relies = false) {
        const auto found = by_name.find(name);
        if (found == by_name.end()) return nullptr;
        // Sets a mark instead of a time, because a clock reading costs as much as the look-up. The
        // mark is written only if it changes, so that threads that use the same name constantly share
        // the cache line.
        if (!found->second.was_asked_for) found->second.was_asked_for = true;
        if (relies && !found->second.was_relied_on) found->second.was_relied_on = true;
        return found->second.member;
    }

    /// Adds a member. If it throws, nothing is added.
    void add_locked(Owner member, const HashedName& name, bool relies = false) {
        if (ring.size() == ring.capacity()) ring.reserve((std::max)(2 * ring.size(), std::size_t{8}));
        member->hash = name.hash;
        auto& added = *by_name
                           .try_emplace(OwnedName{name}, Slot{.member = std::move(member),
                                                              .place = ring.size(),
                                                              .was_relied_on = relies})
                           .first;
        ring.push_back(&added);
    }

    /// Takes the member out and returns it, or returns null.
    template <class Name>
    [[nodiscard]] Owner take_locked(const Name& name) {
        const auto found = by_name.find(name);
        if (found == by_name.end()) return nullptr;
        Owner taken = std::move(found->second.member);
        ring.back()->second.place = found->second.place;
        ring[found->second.place] = ring.back();
        ring.pop_back();
        by_name.erase(found);
        return taken;
    }

    /// Moves the hand over at most `looks` slots to the next slot for which `is_ripe` returns true,
    /// and takes its member out. Returns null if there is no such slot. On return, `looks` is the
    /// number of remaining visits.
    template <class Ripe>
    [[nodiscard]] Owner evict_next_locked(std::size_t& looks, Ripe&& is_ripe) {
        for (; looks != 0 && !ring.empty(); --looks) {
            if (hand >= ring.size()) hand = 0;
            auto& [name, slot] = *ring[hand];
            if (is_ripe(slot)) {
                --looks;
                return take_locked(name); // the last slot moves to this index: the hand stays
            }
            ++hand;
        }
        return nullptr;
    }

    /// Returns true if the target cannot be distinguished from a new one, and no other shared_ptr owns
    /// it.
    ///
    /// A new owner needs the lock, so a count of one cannot change here. use_count() is a relaxed
    /// load: the writes of the last owner need not be visible yet. The copy and reset() below make
    /// them visible: the decrement of the count pairs with the decrement of the last other owner,
    /// because each owner may have to destroy the object.
    [[nodiscard]] static bool is_idle(const Slot& slot) {
        if (slot.member.use_count() != 1) return false;
        if (slot.was_relied_on && slot.member->given_options) return false;
        Owner(slot.member).reset();
        return slot.member->is_as_new();
    }

    /// Returns is_idle(). If the target is not idle, it was seen in use, and its slot is marked as
    /// asked for.
    [[nodiscard]] static bool is_seen_idle(Slot& slot) {
        if (is_idle(slot)) return true;
        if (!slot.was_asked_for) slot.was_asked_for = true;
        return false;
    }

    /// Returns true if the target is idle, and was neither asked for nor seen in use for at least
    /// `unused_for`. The function turns a mark into a time. A target may thus be evicted one visit
    /// later than necessary, but never too early. If the clock steps back, the time starts again.
    [[nodiscard]] static bool is_unused(Slot& slot, Instant now, std::chrono::nanoseconds unused_for) {
        // If the target is in use, its time starts again, even if it has just started.
        if (!slot.was_asked_for && now >= slot.unused_since && is_idle(slot)) {
            return between(slot.unused_since, now) >= unused_for;
        }
        slot.was_asked_for = false;
        slot.unused_since = now;
        return false;
    }

    using Slots = ByName<Slot>;

    threading::mutex mutex;
    Slots by_name;                                 // guarded by mutex
    std::vector<typename Slots::value_type*> ring; // guarded by mutex; all slots
    std::size_t hand = 0;                          // guarded by mutex; in the ring
};

} // namespace dashpot::inline DASHPOT_ABI::detail

#endif
