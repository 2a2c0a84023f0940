// SPDX-License-Identifier: MIT
#ifndef DASHPOT_REGISTRY_DETAIL_OVERRIDES_HPP
#define DASHPOT_REGISTRY_DETAIL_OVERRIDES_HPP

#include <dashpot/core/abi.hpp>
#include <dashpot/core/contract.hpp>
#include <dashpot/core/threading.hpp>
#include <dashpot/registry/detail/any_options.hpp>
#include <dashpot/registry/detail/hashed_name.hpp>
#include <dashpot/registry/detail/name_map.hpp>
#include <dashpot/registry/detail/prefix_map.hpp>

#include <cstddef>
#include <mutex>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace dashpot::inline DASHPOT_ABI::detail {

/// The options that users configured, by name and by prefix. They override the defaults of the
/// registry.
///
/// **Contract.** The options of a name have priority over those of a prefix, and those of a longer
/// prefix over those of a shorter prefix.
/// **Threads.** Any thread may call it. Options are destroyed outside the lock.
class Overrides {
  public:
    explicit Overrides(std::size_t most) noexcept : most_{most} {}
    Overrides(const Overrides&) = delete;
    Overrides& operator=(const Overrides&) = delete;
    ~Overrides() {
        while (names_.size() != 0) delete static_cast<NamedOptions*>(names_.take_any());
    }

    /// Returns the options for that name, or null.
    [[nodiscard]] AnyOptions of(const HashedName& name) const noexcept {
        const std::lock_guard lock{mutex_};
        if (const NamedOptions* const own = find_locked(name)) return own->options;
        const PrefixMap::Entry* const by_prefix = prefixes_.longest(name.name);
        return by_prefix != nullptr ? by_prefix->options : nullptr;
    }

    /// Sets the options of a name that has none. `check_unused()` throws if the name is in use. It is
    /// called under the lock: a name that is used later calls of() afterwards, and thus receives these
    /// options.
    /// @return the options that the name has already; they stay
    template <class Check>
    AnyOptions set(const HashedName& name, AnyOptions options, Check&& check_unused) {
        const std::lock_guard lock{mutex_};
        check_unused();
        if (const NamedOptions* const there = find_locked(name)) return there->options;
        if (names_.size() >= most_) throw no_room("Registry::configure: no room for another name");
        names_.insert(*new NamedOptions{name, std::move(options)});
        return nullptr;
    }

    /// Sets the options of a prefix that has none. `for_each_used(f)` calls `f(name)` for all names in
    /// use, under the lock.
    /// @return the options that the prefix has already; they stay
    template <class ForEach>
    AnyOptions set_prefix(std::string_view prefix, AnyOptions options, ForEach&& for_each_used) {
        const std::lock_guard lock{mutex_};
        if (const auto* const there = prefixes_.find(prefix)) return there->options;
        for_each_used([&](const HashedName& name) { check_unconcerned_locked(prefix, name); });
        if (prefixes_.size() >= most_) {
            throw no_room("Registry::configure_prefix: no room for another prefix");
        }
        prefixes_.add(prefix, std::move(options));
        return nullptr;
    }

    /// Removes the options of a name.
    void forget(const HashedName& name) noexcept {
        std::unique_lock lock{mutex_};
        const auto* const forgotten = static_cast<NamedOptions*>(names_.take(name));
        lock.unlock();
        delete forgotten;
    }

  private:
    [[nodiscard]] const NamedOptions* find_locked(const HashedName& name) const noexcept {
        return static_cast<const NamedOptions*>(names_.find(name));
    }

    void check_unconcerned_locked(std::string_view prefix, const HashedName& name) const {
        if (!name.name.starts_with(prefix) || find_locked(name) != nullptr) return;
        const auto* const now = prefixes_.longest(name.name);
        if (now != nullptr && now->prefix.size() > prefix.size()) return;
        throw std::logic_error{
            text_of({"Registry::configure_prefix: \"", prefix, "\" would concern target \"", name.name,
                     "\", which is in use; configure it before the first get()"})};
    }

    [[nodiscard]] std::length_error no_room(const char* refused) const {
        return std::length_error{text_of({refused, ": there are max_targets (", most_, ") already"})};
    }

    const std::size_t most_; // of names, and of prefixes
    mutable threading::mutex mutex_;
    NameMap names_;      // guarded by mutex_; of NamedOptions
    PrefixMap prefixes_; // guarded by mutex_
};

} // namespace dashpot::inline DASHPOT_ABI::detail

#endif
