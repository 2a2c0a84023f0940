// SPDX-License-Identifier: MIT
#ifndef DASHPOT_TESTS_REGISTRY_REGISTRY_MODEL_HPP
#define DASHPOT_TESTS_REGISTRY_REGISTRY_MODEL_HPP

#include "guard/breaker_model.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// What a registry must do, from a map of names and docs/registry.md. Which idle target gives way, and
/// in which order they are looked at, is left open there: so here is said which may go and which must.
namespace model {

/// What one target has.
template <class P>
struct Equipment {
    P policy{};
    Setting setting{};
    std::uint32_t limit = 10;

    friend bool operator==(const Equipment&, const Equipment&) = default;
};

/// How a call of the registry may end.
enum class Ending : std::uint8_t { well, bad_option, no_room, conflict, users_own };

/// One target from its first use on, in the table or in the hands that hold it.
template <class P>
struct Life {
    Life(std::string_view n, const Equipment<P>& equipment, Time now)
        : name{n}, made_with{equipment}, has{equipment},
          breaker{equipment.policy, equipment.setting, now} {}

    [[nodiscard]] bool is_idle(Time now) const {
        return hands == 0 && breaker.is_idle(now) && made_with.setting.initial_state == State::closed &&
               in_flight == 0 && listeners == 0 && !was_reconfigured && has.limit == made_with.limit &&
               !(was_given && was_relied_on);
    }

    void reconfigure(const Equipment<P>& equipment) {
        was_reconfigured =
            was_reconfigured || equipment.policy != has.policy || equipment.setting != has.setting;
        has = equipment;
        breaker.reconfigure(has.policy, has.setting);
    }

    const std::string name;
    const Equipment<P> made_with;
    Equipment<P> has;
    Breaker<P> breaker;
    std::uint32_t in_flight = 0, hands = 0, listeners = 0;
    bool was_reconfigured = false; // there and back is not as made, either
    bool was_given = false;        // by a function, and not the defaults
    bool was_relied_on = false;    // by a get() without a function
    bool is_in_table = true;
    const void* address = nullptr; // of the real one
    // Since when it is unused by the looks at it since it was last asked for or seen in use: by those
    // that may have been, and by those that were for certain.
    std::optional<Time> earliest{}, latest{};
};

template <class P>
class NamedTargets {
  public:
    using Target = std::shared_ptr<Life<P>>;
    using Addresses = std::map<std::string, const void*, std::less<>>;

    NamedTargets(const Equipment<P>& defaults, std::size_t most, std::optional<Time> evict_after)
        : defaults_{defaults}, most_{most}, evict_after_{evict_after} {}

    [[nodiscard]] std::size_t size() const { return targets_.size(); }

    /// Whether all names are there, and no other.
    [[nodiscard]] bool are(const Addresses& seen) const {
        return std::equal(seen.begin(), seen.end(), targets_.begin(), targets_.end(),
                          [](const auto& real, const auto& target) {
                              return real.first == target.first &&
                                     real.second == target.second->address;
                          });
    }

    // Options.

    /// Null if there are none for that name.
    [[nodiscard]] const Equipment<P>* configured(std::string_view name) const {
        if (const auto own = names_.find(name); own != names_.end()) return &own->second;
        const Equipment<P>* longest = nullptr;
        std::size_t length = 0;
        for (const auto& [prefix, equipment] : prefixes_) {
            if (!name.starts_with(prefix) || (longest != nullptr && prefix.size() < length)) continue;
            longest = &equipment;
            length = prefix.size();
        }
        return longest;
    }
    [[nodiscard]] const Equipment<P>& defaults() const { return defaults_; }

    /// How it may end. Where two things are wrong, it is not said which is told.
    std::vector<Ending> configure(const std::string& name, const Equipment<P>& equipment) {
        const auto there = names_.find(name);
        std::vector<Ending> wrong;
        if (targets_.contains(name)) wrong.push_back(Ending::conflict);
        if (there != names_.end() && there->second != equipment) wrong.push_back(Ending::conflict);
        if (there == names_.end() && names_.size() >= most_) wrong.push_back(Ending::no_room);
        if (!wrong.empty()) return wrong;
        names_.emplace(name, equipment);
        return {Ending::well};
    }

    std::vector<Ending> configure_prefix(const std::string& prefix, const Equipment<P>& equipment) {
        const auto there = prefixes_.find(prefix);
        if (there != prefixes_.end())
            return {there->second == equipment ? Ending::well : Ending::conflict};
        std::vector<Ending> wrong;
        if (std::any_of(targets_.begin(), targets_.end(),
                        [&](const auto& each) { return concerns(prefix, each.first); }))
            wrong.push_back(Ending::conflict);
        if (prefixes_.size() >= most_) wrong.push_back(Ending::no_room);
        if (!wrong.empty()) return wrong;
        prefixes_.emplace(prefix, equipment);
        return {Ending::well};
    }

    // Targets.

    /// Null if there is none. It counts as asked for.
    Target find(std::string_view name) {
        const auto found = targets_.find(name);
        if (found == targets_.end()) return nullptr;
        found->second->earliest = found->second->latest = std::nullopt;
        return found->second;
    }

    [[nodiscard]] bool is_full() const { return targets_.size() >= most_; }

    /// Whether a new name finds room.
    [[nodiscard]] bool has_room(Time now) const {
        return !is_full() ||
               (evict_after_ && std::any_of(targets_.begin(), targets_.end(), [&](const auto& each) {
                    return each.second->is_idle(now);
                }));
    }

    Target add(const std::string& name, const Equipment<P>& equipment, const void* address, Time now) {
        auto& added = targets_[name];
        added = std::make_shared<Life<P>>(name, equipment, now);
        added->address = address;
        return added;
    }

    /// What a function gave before the target of that name was evicted, and whether it may have made
    /// room for others since. Null if there is none.
    struct Kept {
        std::string name;
        Equipment<P> equipment;
        std::size_t operation;
        bool may_be_gone = false;
    };
    [[nodiscard]] const Kept* kept(std::string_view name) const {
        const auto found = std::find_if(kept_.begin(), kept_.end(),
                                        [&](const Kept& each) { return each.name == name; });
        return found != kept_.end() ? &*found : nullptr;
    }
    void is_not_kept(std::string_view name) {
        std::erase_if(kept_, [&](const Kept& each) { return each.name == name; });
    }

    bool remove(std::string_view name) {
        is_not_kept(name);
        if (const auto own = names_.find(name); own != names_.end()) names_.erase(own);
        const auto found = targets_.find(name);
        if (found == targets_.end()) return false;
        found->second->is_in_table = false;
        targets_.erase(found);
        return true;
    }

    void clock_stepped_back(Time now) {
        for (const auto& [name, target] : targets_) {
            if (target->earliest) target->earliest = std::min(*target->earliest, now);
            target->latest.reset();
        }
    }

    /// A get() of a new name came to its end: is what is `left` what may be? At the bound one made
    /// room, if the new one found any; where it was made, four others were looked at.
    [[nodiscard]] bool lost_some(const Addresses& left, bool one_made_room, bool was_made,
                                 std::string_view newest, Time now) {
        ++operation_;
        std::size_t gone = 0, too_young = 0;
        for (const Target& target : not_among(left)) {
            if (target->name == newest || !target->is_idle(now)) return false;
            ++gone;
            if (!evict_after_ || !target->earliest ||
                !has_passed(*target->earliest, *evict_after_, now))
                ++too_young;
            forget(target);
        }
        if (evict_after_) {
            for (const auto& [name, target] : targets_) { // that was looked at, perhaps
                if (!target->earliest) target->earliest = now;
                if (!target->is_idle(now)) target->latest.reset();
            }
        }
        const std::size_t for_room = one_made_room ? 1 : 0;
        return gone >= for_room && too_young <= for_room && gone <= for_room + (was_made ? 4U : 0U);
    }

    /// evict_idle() came to its end, and said that it forgot so many.
    [[nodiscard]] bool lost_idle(const Addresses& left, std::size_t said, Time unused_for, Time now) {
        ++operation_;
        const auto gone = not_among(left);
        if (gone.size() != said) return false;
        for (const Target& target : gone) {
            const bool is_old_enough =
                unused_for == 0 || (target->earliest && has_passed(*target->earliest, unused_for, now));
            if (!target->is_idle(now) || !is_old_enough) return false;
            forget(target);
        }
        for (const auto& [name, target] : targets_) {
            if (!target->is_idle(now)) { // seen in use
                target->earliest = now;
                target->latest.reset();
                continue;
            }
            if (unused_for == 0) return false;
            if (target->latest && has_passed(*target->latest, unused_for, now)) return false;
            if (!target->earliest) target->earliest = now;
            if (!target->latest) target->latest = now;
        }
        return true;
    }

  private:
    [[nodiscard]] bool concerns(std::string_view prefix, std::string_view name) const {
        if (!name.starts_with(prefix) || names_.contains(name)) return false;
        return std::none_of(prefixes_.begin(), prefixes_.end(), [&](const auto& other) {
            return name.starts_with(other.first) && other.first.size() > prefix.size();
        });
    }

    [[nodiscard]] std::vector<Target> not_among(const Addresses& left) const {
        std::vector<Target> gone;
        for (const auto& [name, target] : targets_) {
            if (!left.contains(name)) gone.push_back(target);
        }
        return gone;
    }

    /// In which order those of one operation were evicted is not known: what is older, or as old, as
    /// the first of those that have room may be gone.
    void keep(const Target& target) {
        is_not_kept(target->name);
        if (!target->was_given) return;
        kept_.push_back({target->name, target->made_with, operation_});
        if (kept_.size() <= most_) return;
        const std::size_t last_in_doubt = kept_[kept_.size() - most_ - 1].operation;
        for (Kept& each : kept_) each.may_be_gone = each.may_be_gone || each.operation <= last_in_doubt;
    }

    void forget(const Target& target) {
        keep(target);
        target->is_in_table = false;
        targets_.erase(target->name);
    }

    const Equipment<P> defaults_;
    const std::size_t most_;
    const std::optional<Time> evict_after_;
    std::map<std::string, Equipment<P>, std::less<>> names_{}, prefixes_{};
    std::map<std::string, Target, std::less<>> targets_{};
    std::vector<Kept> kept_{}; // the oldest first
    std::size_t operation_ = 0;
};

} // namespace model

#endif
