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

/// Options that differ from the defaults, by name and by prefix.
///
/// **Contract.** The options of a name go before those of a prefix, a longer prefix before a shorter.
/// **Threads.** Any. Options are compared, printed and destroyed outside the lock.
template <class Value>
class Overrides {
  public:
    using Options = std::shared_ptr<const Value>;

    explicit Overrides(std::size_t most) noexcept : most_{most} {}

    /// Null if there are none for that name.
    [[nodiscard]] Options of(const HashedName& name) const {
        const std::lock_guard lock{mutex_};
        if (const auto own = names_.find(name); own != names_.end()) return own->second;
        const auto* const by_prefix = prefixes_.longest(name.name);
        return by_prefix != nullptr ? by_prefix->second : nullptr;
    }

    /// `check_unused()` throws if the name is in use. It is called under the lock: who comes to be in
    /// use after it asks of(), and is given what is set here.
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

    /// `for_each_used(f)` calls `f(name)` for all that are in use, under the lock.
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

    /// Forgets what was set for a name.
    void forget(const HashedName& name) {
        Options forgotten; // goes when the lock is gone
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

    const std::size_t most_; // of each
    mutable threading::mutex mutex_;
    ByName<Options> names_;       // guarded by mutex_
    PrefixMap<Options> prefixes_; // guarded by mutex_
};

} // namespace dashpot::inline DASHPOT_ABI::detail

#endif
