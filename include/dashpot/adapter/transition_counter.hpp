// SPDX-License-Identifier: MIT
#ifndef DASHPOT_ADAPTER_TRANSITION_COUNTER_HPP
#define DASHPOT_ADAPTER_TRANSITION_COUNTER_HPP

#include <dashpot/core/abi.hpp>
#include <dashpot/core/contract.hpp>
#include <dashpot/core/state.hpp>
#include <dashpot/guard/transition.hpp>
#include <dashpot/registry/removal.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <mutex>
#include <numeric>
#include <string>
#include <string_view>

namespace dashpot::inline DASHPOT_ABI {

/// The number of a breaker's changes of state, for each pair of states.
class TransitionCounts {
  public:
    /// Returns the number of one change. O(1).
    [[nodiscard]] std::uint64_t& at(State from, State to) noexcept { return counts_[index(from, to)]; }
    [[nodiscard]] std::uint64_t at(State from, State to) const noexcept {
        return counts_[index(from, to)];
    }

    TransitionCounts& operator+=(const TransitionCounts& other) noexcept {
        for (std::size_t i = 0; i != counts_.size(); ++i) counts_[i] += other.counts_[i];
        return *this;
    }

    /// Returns the number of all changes. O(1).
    [[nodiscard]] std::uint64_t sum() const noexcept {
        return std::accumulate(counts_.begin(), counts_.end(), std::uint64_t{0});
    }

    friend bool operator==(const TransitionCounts&, const TransitionCounts&) = default;

  private:
    [[nodiscard]] static constexpr std::size_t index(State from, State to) noexcept {
        return static_cast<std::size_t>(from) * detail::state_count + static_cast<std::size_t>(to);
    }

    std::array<std::uint64_t, detail::state_count * detail::state_count> counts_{};
};

/// Counts changes of state by name, for metrics. A breaker itself does not count them.
///
///     dashpot::TransitionCounter changes;
///     auto counting = targets.on_transition(std::ref(changes));
///
/// **Contract.** It counts each change that it is called with. If it is subscribed to a registry as
/// above, it is also called with the names that leave. The number of names is bounded, because names
/// may come from requests. If there is no room for a new name, one name is dropped:
/// - the name that left the registry first. Before that, its counts are kept: if the name comes back,
///   counting continues with them;
/// - if no name has left, the name that has not changed for the longest time. Its counts are added to
///   lost(). Later changes of a name are also added to lost() if earlier counts of this name may have
///   been lost: a number that is too small is never shown.
///
/// A counter with as many names as its registry has targets loses nothing. The counter must outlive
/// its subscription.
/// **Threads.** Any thread may call every member at any time.
/// **Cost.** Each change of state takes a mutex and a look-up; each name takes about 450 bytes.
/// for_each() copies all names under that mutex: with thousands of names, a change of state may wait
/// for a millisecond or two.
/// **Errors.** The constructor throws std::invalid_argument for a bound of 0.
class TransitionCounter {
  public:
    /// @param max_names  the largest number of names; must be 1 or more. Default: the default
    /// `max_targets` of a Registry.
    explicit TransitionCounter(std::size_t max_names = 10'000) : max_names_{max_names} {
        if (max_names == 0) {
            refuse_option("TransitionCounter: max_names", max_names, "must be 1 or more");
        }
    }

    TransitionCounter(const TransitionCounter&) = delete;
    TransitionCounter& operator=(const TransitionCounter&) = delete;

    /// Counts one change; this is the signature of a listener of Registry::on_transition().
    void operator()(std::string_view name, const Transition& transition) noexcept {
        try {
            const std::lock_guard lock{mutex_};
            if (Entry* const entry = entry_of_locked(name, transition.generation)) {
                ++entry->counts.at(transition.from, transition.to);
                present_.splice(present_.end(), entry->order(*this), entry->place);
                entry->has_left = false;
                return;
            }
        } catch (...) { // out of memory: only this count is lost
        }
        lost_.fetch_add(1, std::memory_order_relaxed);
    }

    /// Marks a name as left. Its counts are kept while no other name needs the room.
    void on_removal(std::string_view name, Removal) noexcept {
        const std::lock_guard lock{mutex_};
        const auto found = entries_.find(name);
        if (found == entries_.end() || found->second.has_left) return;
        found->second.has_left = true;
        left_.splice(left_.end(), present_, found->second.place);
    }

    /// Returns the counts of that name; all are 0 if nothing was counted for it.
    [[nodiscard]] TransitionCounts counts(std::string_view name) const {
        const std::lock_guard lock{mutex_};
        const auto found = entries_.find(name);
        return found != entries_.end() ? found->second.counts : TransitionCounts{};
    }

    /// Returns the number of changes that are in no name's counts.
    [[nodiscard]] std::uint64_t lost() const noexcept { return lost_.load(std::memory_order_relaxed); }

    /// Drops the counts of a name, which start at 0 again.
    /// @return true if there were counts for that name
    bool forget(std::string_view name) {
        const std::lock_guard lock{mutex_};
        const auto found = entries_.find(name);
        if (found == entries_.end()) return false;
        erase_locked(found);
        return true;
    }

    /// Calls `f` with every name that has not left and its counts, all from the same moment. `f` may
    /// call the counter.
    template <class F>
    void for_each(F&& f) const {
        for_each_kept([&](std::string_view name, const TransitionCounts& counts, bool has_left) {
            if (!has_left) f(name, counts);
        });
    }

    /// Calls `f` with every name, its counts, and true if the name has left.
    template <class F>
    void for_each_kept(F&& f) const {
        for (const auto& [name, entry] : all()) f(std::string_view{name}, entry.counts, entry.has_left);
    }

  private:
    using Order = std::list<const std::string*>;
    struct Entry {
        /// Returns the list that contains the entry.
        [[nodiscard]] Order& order(TransitionCounter& counter) const noexcept {
            return has_left ? counter.left_ : counter.present_;
        }

        TransitionCounts counts{};
        bool has_left = false;
        Order::iterator place{};
    };
    using Entries = std::map<std::string, Entry, std::less<>>;

    /// The generation that the first change of state of a breaker starts.
    static constexpr std::uint64_t first_change = 2;

    /// Returns the entry of the name, or null if the counts of the name would be too small.
    [[nodiscard]] Entry* entry_of_locked(std::string_view name, std::uint64_t generation) {
        if (const auto found = entries_.find(name); found != entries_.end()) return &found->second;
        if (has_dropped_ && generation > first_change) return nullptr;
        if (entries_.size() >= max_names_) make_room_locked();
        const auto added = entries_.try_emplace(std::string{name}).first;
        try {
            added->second.place = present_.insert(present_.end(), &added->first);
        } catch (...) {
            entries_.erase(added);
            throw;
        }
        return &added->second;
    }

    void make_room_locked() {
        const bool is_lost = left_.empty();
        const auto oldest = entries_.find(*(is_lost ? present_ : left_).front());
        if (is_lost) {
            has_dropped_ = true;
            lost_.fetch_add(oldest->second.counts.sum(), std::memory_order_relaxed);
        }
        erase_locked(oldest);
    }

    void erase_locked(Entries::iterator entry) {
        entry->second.order(*this).erase(entry->second.place);
        entries_.erase(entry);
    }

    [[nodiscard]] Entries all() const {
        const std::lock_guard lock{mutex_};
        return entries_;
    }

    const std::size_t max_names_;
    mutable std::mutex mutex_;
    Entries entries_;          // guarded by mutex_
    Order present_;            // guarded by mutex_; the name that changed last is last
    Order left_;               // guarded by mutex_; the name that left last is last
    bool has_dropped_ = false; // guarded by mutex_; a name that had not left
    std::atomic<std::uint64_t> lost_{0};
};

} // namespace dashpot::inline DASHPOT_ABI

#endif
