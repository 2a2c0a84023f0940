// SPDX-License-Identifier: MIT
#ifndef DASHPOT_ADAPTER_TRANSITION_COUNTER_HPP
#define DASHPOT_ADAPTER_TRANSITION_COUNTER_HPP

#include <dashpot/core/abi.hpp>
#include <dashpot/core/contract.hpp>
#include <dashpot/core/state.hpp>
#include <dashpot/guard/transition.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

namespace dashpot::inline DASHPOT_ABI {

/// How often a circuit breaker went from each state to each other.
class TransitionCounts {
  public:
    /// Of one change. O(1).
    [[nodiscard]] std::uint64_t& at(State from, State to) noexcept { return counts_[index(from, to)]; }
    [[nodiscard]] std::uint64_t at(State from, State to) const noexcept {
        return counts_[index(from, to)];
    }

    TransitionCounts& operator+=(const TransitionCounts& other) noexcept {
        for (std::size_t i = 0; i != counts_.size(); ++i) counts_[i] += other.counts_[i];
        return *this;
    }

    friend bool operator==(const TransitionCounts&, const TransitionCounts&) = default;

  private:
    [[nodiscard]] static constexpr std::size_t index(State from, State to) noexcept {
        return static_cast<std::size_t>(from) * detail::state_count + static_cast<std::size_t>(to);
    }

    std::array<std::uint64_t, detail::state_count * detail::state_count> counts_{};
};

/// Counts changes of state by name, for metrics: a breaker keeps no such counts itself.
///
///     dashpot::TransitionCounter changes;
///     auto counting = targets.on_transition(std::ref(changes));
///
/// **Contract.** It counts what it hears of. Names may come from requests, so there is a bound: changes
/// of further names are lost(), and counted as that. It must outlive what is subscribed to it.
/// **Threads.** Every member, any thread, any time. **Cost.** A mutex and a look-up per change of
/// state; about 400 bytes per name. for_each() copies all of it under that mutex: with thousands of
/// names, a change of state waits for a millisecond or two. **Errors.** The constructor throws
/// std::invalid_argument for a bound of 0.
class TransitionCounter {
  public:
    /// @param max_names  names at most; 1 or more. Default: as many as a Registry has targets.
    explicit TransitionCounter(std::size_t max_names = 10'000) : max_names_{max_names} {
        if (max_names == 0) {
            refuse_option("TransitionCounter: max_names", max_names, "must be 1 or more");
        }
    }

    TransitionCounter(const TransitionCounter&) = delete;
    TransitionCounter& operator=(const TransitionCounter&) = delete;

    /// Counts one change, in the shape of a listener of Registry::on_transition().
    void operator()(std::string_view name, const Transition& transition) noexcept {
        try {
            const std::lock_guard lock{mutex_};
            if (TransitionCounts* counts = counts_of_locked(name)) {
                ++counts->at(transition.from, transition.to);
                return;
            }
        } catch (...) { // out of memory: a count is lost, the service goes on
        }
        lost_.fetch_add(1, std::memory_order_relaxed);
    }

    /// What it has counted for that name; all 0 if it heard nothing of it.
    [[nodiscard]] TransitionCounts counts(std::string_view name) const {
        const std::lock_guard lock{mutex_};
        const auto found = counts_.find(name);
        return found != counts_.end() ? found->second : TransitionCounts{};
    }

    /// Changes that it had no room to count.
    [[nodiscard]] std::uint64_t lost() const noexcept { return lost_.load(std::memory_order_relaxed); }

    /// Makes room for another name, as after Registry::remove().
    /// @return true if it had counted anything for that one
    bool forget(std::string_view name) {
        const std::lock_guard lock{mutex_};
        const auto found = counts_.find(name);
        if (found == counts_.end()) return false;
        counts_.erase(found);
        return true;
    }

    /// Calls `f` with every name and its counts, all of one moment. `f` may call the counter.
    template <class F>
    void for_each(F&& f) const {
        for (const auto& [name, counts] : all()) f(std::string_view{name}, counts);
    }

  private:
    using ByName = std::map<std::string, TransitionCounts, std::less<>>;

    /// Null where there is no room.
    [[nodiscard]] TransitionCounts* counts_of_locked(std::string_view name) {
        if (const auto found = counts_.find(name); found != counts_.end()) return &found->second;
        if (counts_.size() >= max_names_) return nullptr;
        return &counts_.try_emplace(std::string{name}).first->second;
    }

    [[nodiscard]] ByName all() const {
        const std::lock_guard lock{mutex_};
        return counts_;
    }

    const std::size_t max_names_;
    mutable std::mutex mutex_;
    ByName counts_; // guarded by mutex_
    std::atomic<std::uint64_t> lost_{0};
};

} // namespace dashpot::inline DASHPOT_ABI

#endif
