// SPDX-License-Identifier: MIT
#ifndef DASHPOT_REGISTRY_DETAIL_KEPT_OPTIONS_HPP
#define DASHPOT_REGISTRY_DETAIL_KEPT_OPTIONS_HPP

#include <dashpot/core/abi.hpp>
#include <dashpot/core/threading.hpp>
#include <dashpot/registry/detail/any_options.hpp>
#include <dashpot/registry/detail/hashed_name.hpp>
#include <dashpot/registry/detail/name_map.hpp>

#include <cstddef>
#include <mutex>

namespace dashpot::inline DASHPOT_ABI::detail {

/// Options that a function gave for a name. They are made together with the target, so that an eviction
/// keeps them without an allocation.
struct GivenOptions final : NamedOptions {
    using NamedOptions::NamedOptions;

    GivenOptions* older = nullptr; // guarded by KeptOptions::mutex_
    GivenOptions* newer = nullptr; // guarded by KeptOptions::mutex_
};

/// Keeps the options that functions gave to evicted targets, for the names that were evicted last. A
/// get() without a function makes the target with these options again.
///
/// **Threads.** Any thread may call it. Its lock is the last in the lock order. The caller destroys
/// options outside all locks.
class KeptOptions {
  public:
    explicit KeptOptions(std::size_t most) noexcept : most_{most} {}
    KeptOptions(const KeptOptions&) = delete;
    KeptOptions& operator=(const KeptOptions&) = delete;
    ~KeptOptions() {
        while (oldest_ != nullptr) delete take_locked(oldest_->key());
    }

    /// Returns the options kept for that name, or null.
    [[nodiscard]] AnyOptions of(const HashedName& name) const noexcept {
        const std::lock_guard lock{mutex_};
        const auto* const found = static_cast<const GivenOptions*>(by_name_.find(name));
        return found != nullptr ? found->options : nullptr;
    }

    /// Takes over `given` and keeps it for a name, instead of the options that are kept for the name.
    /// If `given` is null, nothing is kept for the name. If `most` names are kept already, the name
    /// that was kept first is dropped.
    /// @return options for the caller to delete, because they were dropped or replaced, or null
    [[nodiscard]] GivenOptions* replace(const HashedName& name, GivenOptions* given) noexcept {
        const std::lock_guard lock{mutex_};
        GivenOptions* const replaced = take_locked(name);
        if (given == nullptr) return replaced;
        add_locked(*given);
        return by_name_.size() > most_ ? take_locked(oldest_->key()) : replaced;
    }

  private:
    void add_locked(GivenOptions& given) noexcept {
        by_name_.insert(given);
        given.older = newest_;
        given.newer = nullptr;
        (newest_ != nullptr ? newest_->newer : oldest_) = &given;
        newest_ = &given;
    }

    [[nodiscard]] GivenOptions* take_locked(const HashedName& name) noexcept {
        auto* const taken = static_cast<GivenOptions*>(by_name_.take(name));
        if (taken == nullptr) return nullptr;
        (taken->older != nullptr ? taken->older->newer : oldest_) = taken->newer;
        (taken->newer != nullptr ? taken->newer->older : newest_) = taken->older;
        return taken;
    }

    const std::size_t most_;
    mutable threading::mutex mutex_;
    NameMap by_name_;                // guarded by mutex_
    GivenOptions* oldest_ = nullptr; // guarded by mutex_; the ends of a list
    GivenOptions* newest_ = nullptr; // guarded by mutex_
};

} // namespace dashpot::inline DASHPOT_ABI::detail

#endif
