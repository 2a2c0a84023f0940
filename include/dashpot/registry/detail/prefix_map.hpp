// SPDX-License-Identifier: MIT
#ifndef DASHPOT_REGISTRY_DETAIL_PREFIX_MAP_HPP
#define DASHPOT_REGISTRY_DETAIL_PREFIX_MAP_HPP

#include <dashpot/core/abi.hpp>
#include <dashpot/registry/detail/any_options.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dashpot::inline DASHPOT_ABI::detail {

/// Options by prefix. The options for a name are those of its longest prefix in the map.
class PrefixMap {
  public:
    struct Entry {
        Entry(std::string_view p, AnyOptions given) : prefix{p}, options{std::move(given)} {}

        std::string prefix;
        AnyOptions options;
    };

    [[nodiscard]] std::size_t size() const noexcept { return entries_.size(); }

    /// Returns the entry of exactly this prefix, or null.
    [[nodiscard]] const Entry* find(std::string_view prefix) const noexcept {
        const std::size_t after = first_after(prefix);
        if (after == 0 || entries_[after - 1].prefix != prefix) return nullptr;
        return &entries_[after - 1];
    }

    /// Returns the entry of the longest prefix of `name`, or null.
    ///
    /// **Cost.** One look-up, and one more for each visited prefix that shares only its beginning with
    /// the name.
    [[nodiscard]] const Entry* longest(std::string_view name) const noexcept {
        for (;;) {
            // All prefixes of a name are sorted at or before the name, the longest one last.
            const std::size_t after = first_after(name);
            if (after == 0) return nullptr;
            const Entry& at = entries_[after - 1];
            if (name.starts_with(at.prefix)) return &at;
            // No prefix of the name lies between the visited entry and the name. The next look-up
            // therefore starts from the common beginning of both.
            std::size_t common = 0;
            while (common != name.size() && common != at.prefix.size() &&
                   name[common] == at.prefix[common]) {
                ++common;
            }
            name = name.substr(0, common);
        }
    }

    /// Adds an entry for a prefix that is not in the map.
    ///
    /// **Cost.** O(size()).
    template <class Options> // only programs that use prefixes compile it
    void add(std::string_view prefix, Options&& options) {
        entries_.emplace(entries_.begin() + static_cast<std::ptrdiff_t>(first_after(prefix)), prefix,
                         std::forward<Options>(options));
    }

  private:
    /// Returns the index of the first entry that is sorted after `text`.
    [[nodiscard]] std::size_t first_after(std::string_view text) const noexcept {
        std::size_t begin = 0;
        for (std::size_t end = entries_.size(); begin != end;) {
            const std::size_t middle = begin + (end - begin) / 2;
            if (entries_[middle].prefix <= text) {
                begin = middle + 1;
            } else {
                end = middle;
            }
        }
        return begin;
    }

    std::vector<Entry> entries_; // sorted by prefix
};

} // namespace dashpot::inline DASHPOT_ABI::detail

#endif
