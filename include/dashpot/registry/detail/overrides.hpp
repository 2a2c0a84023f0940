// SPDX-License-Identifier: MIT
#ifndef DASHPOT_REGISTRY_DETAIL_OVERRIDES_HPP
#define DASHPOT_REGISTRY_DETAIL_OVERRIDES_HPP

#include <dashpot/core/abi.hpp>
#include <dashpot/core/threading.hpp>
#include <dashpot/registry/detail/conflict.hpp>
#include <dashpot/registry/detail/hashed_name.hpp>
#include <dashpot/registry/detail/prefix_map.hpp>

#include <cstddef>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace dashpot::inline DASHPOT_ABI::detail {

/// The options that differ from the defaults, by name and by prefix.
///
/// **Contract.** The options of a name have priority over those of a prefix, and those of a longer
/// prefix over those of a shorter prefix.
/// **Threads.** Any thread may call it. Options are compared, printed and destroyed outside the lock.
template <class Value>
class Overrides {
  public:
    using Options = std::shared_ptr<const Value>;

    explicit Overrides(std::size_t most) noexcept : most_{most} {}

    /// Returns the options for that name, or null.
    [[nodiscard]] Options of(const HashedName& name) const {
        const std::lock_guard lock{mutex_};
        if (const auto own = names_.find(name); own != names_.end()) return own->second;
        const auto* const by_prefix = prefixes_.longest(name.name);
        return by_prefix != nullptr ? by_prefix->second : nullptr;
    }

    /// Sets the options of a name. `check_unused()` throws if the name is in use. It is called under
    /// the lock: a name that is used later calls of() afterwards, and thus receives these options.
    template <class Check>
    void set(const HashedName& name, Value value, Check&& check_unused) {
        const auto given = std::make_shared<const Value>(std::move(value));
        Options before;
        {
            const std::lock_guard lock{mutex_};
            check_unused();
            if (const auto there = names_.find(name); there != names_.end()) {
                before = there->second;
            } else {
                if (names_.size() >= most_)
                    throw no_room("Registry::configure: no room for another name");
                names_.emplace(name, given);
            }
        }
        if (before) check_equal("Registry::configure: target", name.name, *before, *given);
    }

    /// Sets the options of a prefix. `for_each_used(f)` calls `f(name)` for all names in use, under
    /// the lock.
    template <class ForEach>
    void set_prefix(std::string_view prefix, Value value, ForEach&& for_each_used) {
        const auto given = std::make_shared<const Value>(std::move(value));
        Options before;
        {
            const std::lock_guard lock{mutex_};
            if (const auto* const there = prefixes_.find(prefix)) {
                before = there->second;
            } else {
                for_each_used([&](const HashedName& name) { check_unconcerned_locked(prefix, name); });
                if (prefixes_.size() >= most_) {
                    throw no_room("Registry::configure_prefix: no room for another prefix");
                }
                prefixes_.add(prefix, given);
            }
        }
        if (before) check_equal("Registry::configure_prefix: prefix", prefix, *before, *given);
    }

    /// Removes the options of a name.
    void forget(const HashedName& name) {
        Options forgotten; // destroyed after the lock is released
        const std::lock_guard lock{mutex_};
        if (const auto found = names_.find(name); found != names_.end()) {
            forgotten = std::move(found->second);
            names_.erase(found);
        }
    }

  private:
    void check_unconcerned_locked(std::string_view prefix, const HashedName& name) const {
        if (!name.name.starts_with(prefix) || names_.contains(name)) return;
        const auto* const now = prefixes_.longest(name.name);
        if (now != nullptr && now->first.size() > prefix.size()) return;
        throw std::logic_error{"Registry::configure_prefix: \"" + std::string{prefix} +
                               "\" would concern target \"" + std::string{name.name} +
                               "\", which is in use; configure it before the first get()"};
    }

    static void check_equal(const char* what, std::string_view key, const Value& before,
                            const Value& given) {
        if (before == given) return;
        throw conflict(std::string{what} + " \"" + std::string{key} + '"', before, given);
    }

    [[nodiscard]] std::length_error no_room(const char* refused) const {
        return std::length_error{std::string{refused} + ": there are max_targets (" +
                                 std::to_string(most_) + ") already"};
    }

    const std::size_t most_; // of names, and of prefixes
    mutable threading::mutex mutex_;
    ByName<Options> names_;       // guarded by mutex_
    PrefixMap<Options> prefixes_; // guarded by mutex_
};

} // namespace dashpot::inline DASHPOT_ABI::detail

#endif
