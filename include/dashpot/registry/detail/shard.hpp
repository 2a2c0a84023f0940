// SPDX-License-Identifier: MIT
#ifndef DASHPOT_REGISTRY_DETAIL_SHARD_HPP
#define DASHPOT_REGISTRY_DETAIL_SHARD_HPP

#include <dashpot/core/abi.hpp>
#include <dashpot/core/clock.hpp>
#include <dashpot/core/detail/thread_number.hpp>
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

/// Some of a registry's targets, under a lock of their own, and a hand that goes round them.
///
/// Functions named _locked need the lock. What they take out they return, so that it is destroyed
/// when the lock is gone.
template <Clock C, FailurePolicy P>
struct alignas(cache_line) Shard {
    using Owner = std::shared_ptr<Member<C, P>>;

    struct Slot {
        Owner member;
        std::size_t place = 0;      // in the ring
        bool was_asked_for = true;  // or seen in use, since the hand was here
        bool was_relied_on = false; // by a get() that could not give its options again
        Instant unused_since{};     // if it was not: when the hand first saw that
    };

    /// Null if there is none. `relies` says that the caller could not give the options of the target
    /// again.
    [[nodiscard]] Owner find_locked(const HashedName& name, bool relies = false) {
        const auto found = by_name.find(name);
        if (found == by_name.end()) return nullptr;
        // A mark and not the time: a clock reading costs as much as the look-up. Written only if it is
        // new, so that a name in constant use shares its line.
        if (!found->second.was_asked_for) found->second.was_asked_for = true;
        if (relies && !found->second.was_relied_on) found->second.was_relied_on = true;
        return found->second.member;
    }

    /// All of it, or nothing if it throws.
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

    /// Null if there is none.
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

    /// Moves the hand on, over `looks` slots at most, to the next that `is_ripe`; takes that one out.
    /// Null if there is none. `looks` is then what is left of them.
    template <class Ripe>
    [[nodiscard]] Owner evict_next_locked(std::size_t& looks, Ripe&& is_ripe) {
        for (; looks != 0 && !ring.empty(); --looks) {
            if (hand >= ring.size()) hand = 0;
            auto& [name, slot] = *ring[hand];
            if (is_ripe(slot)) {
                --looks;
                return take_locked(name); // the last one takes its place: the hand stays
            }
            ++hand;
        }
        return nullptr;
    }

    /// Nobody could tell it from a new one, and nobody holds it.
    ///
    /// Whoever asks for it needs the lock, so a count of one stays one. It is read relaxed: what the
    /// last holder did before letting go need not be visible yet. Giving a share back makes it so, for
    /// every owner may turn out to be the last, who has to see what all others did.
    [[nodiscard]] static bool is_idle(const Slot& slot) {
        if (slot.member.use_count() != 1) return false;
        if (slot.was_relied_on && slot.member->given_options) return false;
        Owner(slot.member).reset();
        return slot.member->is_as_new();
    }

    /// The same; where not, it is seen in use, and that is as good as asked for.
    [[nodiscard]] static bool is_seen_idle(Slot& slot) {
        if (is_idle(slot)) return true;
        if (!slot.was_asked_for) slot.was_asked_for = true;
        return false;
    }

    /// is_idle(), and neither asked for nor seen in use for so long. Turns the mark into a time: so it
    /// may take a look longer, and never less. A clock that stepped back begins anew.
    [[nodiscard]] static bool is_unused(Slot& slot, Instant now, std::chrono::nanoseconds unused_for) {
        // However young it is: who is seen in use begins anew.
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
