// SPDX-License-Identifier: MIT
#ifndef DASHPOT_REGISTRY_DETAIL_PREFIX_MAP_HPP
#define DASHPOT_REGISTRY_DETAIL_PREFIX_MAP_HPP

#include <dashpot/core/abi.hpp>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace dashpot::inline DASHPOT_ABI::detail {

/// Values by prefix. The value for a name is that of its longest prefix in the map.
template <class T>
class PrefixMap {
  public:
    using Entry = typename std::map<std::string, T, std::less<>>::value_type;

    [[nodiscard]] std::size_t size() const noexcept { return entries_.size(); }

    /// Returns the entry of exactly this prefix, or null.
    [[nodiscard]] const Entry* find(std::string_view prefix) const {
        const auto found = entries_.find(prefix);
        return found != entries_.end() ? &*found : nullptr;
    }

    /// Returns the entry of the longest prefix of `name`, or null.
    ///
    /// **Cost.** One look-up, and one more for each visited prefix that shares only its beginning with
    /// the name.
    [[nodiscard]] const Entry* longest(std::string_view name) const {
        for (;;) {
            // All prefixes of a name are sorted at or before the name, the longest one last.
            auto at = entries_.upper_bound(name);
            if (at == entries_.begin()) return nullptr;
            --at;
            if (name.starts_with(at->first)) return &*at;
            // No prefix of the name lies between the visited entry and the name. The next look-up
            // therefore starts from the common beginning of both.
            const auto differs =
                std::mismatch(name.begin(), name.end(), at->first.begin(), at->first.end());
            name = name.substr(0, static_cast<std::size_t>(differs.first - name.begin()));
        }
    }

    void add(std::string_view prefix, T value) { entries_.emplace(prefix, std::move(value)); }

  private:
    std::map<std::string, T, std::less<>> entries_;
};

} // namespace dashpot::inline DASHPOT_ABI::detail

#endif
