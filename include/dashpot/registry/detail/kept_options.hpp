// SPDX-License-Identifier: MIT
#ifndef DASHPOT_REGISTRY_DETAIL_KEPT_OPTIONS_HPP
#define DASHPOT_REGISTRY_DETAIL_KEPT_OPTIONS_HPP

#include <dashpot/core/abi.hpp>
#include <dashpot/core/threading.hpp>
#include <dashpot/registry/detail/hashed_name.hpp>

#include <cstddef>
#include <list>
#include <memory>
#include <mutex>
#include <utility>

namespace dashpot::inline DASHPOT_ABI::detail {

/// Keeps the options that functions gave to evicted targets, for the names that were evicted last.
///
/// **Threads.** Any thread may call it. Its lock is the last in the lock order. The caller destroys
/// options outside all locks.
template <class Value>
class KeptOptions {
  public:
    using Options = std::shared_ptr<const Value>;

    explicit KeptOptions(std::size_t most) noexcept : most_{most} {}

    /// Returns the options kept for that name, or null.
    [[nodiscard]] Options of(const HashedName& name) const {
        const std::lock_guard lock{mutex_};
        const auto found = by_name_.find(name);
        return found != by_name_.end() ? found->second.options : nullptr;
    }

    /// Keeps `options` for a name, and replaces the options that are kept for the name. If `options`
    /// is null, nothing is kept for the name. If `most` names are kept already, the name that was kept
    /// first is dropped. If memory is exhausted, nothing is kept.
    /// @return options to destroy, because they were dropped or replaced
    [[nodiscard]] Options replace(const HashedName& name, Options options) noexcept {
        const std::lock_guard lock{mutex_};
        if (const auto found = by_name_.find(name); found != by_name_.end()) {
            std::swap(found->second.options, options);
            if (found->second.options) {
                order_.splice(order_.end(), order_, found->second.place);
            } else {
                erase_locked(found);
            }
            return options;
        }
        if (!options) return nullptr;
        try {
            const auto added = by_name_.try_emplace(OwnedName{name}).first;
            try {
                added->second.place = order_.insert(order_.end(), &*added);
            } catch (...) {
                by_name_.erase(added);
                throw;
            }
            added->second.options = std::move(options);
        } catch (...) {
            return options;
        }
        if (by_name_.size() <= most_) return nullptr;
        const auto first = by_name_.find(order_.front()->first);
        Options dropped = std::move(first->second.options);
        erase_locked(first);
        return dropped;
    }

  private:
    struct Kept;
    using Named = ByName<Kept>;
    using Order = std::list<std::pair<const OwnedName, Kept>*>;
    struct Kept {
        Options options{};
        typename Order::iterator place{};
    };

    void erase_locked(typename Named::iterator kept) noexcept {
        order_.erase(kept->second.place);
        by_name_.erase(kept);
    }

    const std::size_t most_;
    mutable threading::mutex mutex_;
    Named by_name_; // guarded by mutex_
    Order order_;   // guarded by mutex_; the name that was kept last is last
};

} // namespace dashpot::inline DASHPOT_ABI::detail

#endif
