// SPDX-License-Identifier: MIT
#ifndef DASHPOT_REGISTRY_DETAIL_HASHED_NAME_HPP
#define DASHPOT_REGISTRY_DETAIL_HASHED_NAME_HPP

#include <dashpot/core/abi.hpp>
#include <dashpot/registry/detail/keyed_hash.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

namespace dashpot::inline DASHPOT_ABI::detail {

/// A reference to a name, together with the name's hash, which is computed once.
struct HashedName {
    HashedName(std::string_view n, HashKey key) noexcept : name{n}, hash{keyed_hash(n, key)} {}
    /// Takes a name whose hash is known.
    HashedName(std::string_view n, std::uint64_t h) noexcept : name{n}, hash{h} {}

    std::string_view name;
    std::uint64_t hash;
};

/// A name that is owned, and its hash.
struct OwnedName {
    explicit OwnedName(const HashedName& other) : name{other.name}, hash{other.hash} {}

    std::string name;
    std::uint64_t hash;
};

/// Returns the stored hash of a name.
struct HashOfName {
    using is_transparent = void;
    /// Returns the lower half of the hash. A map divides by its number of buckets, and a division of
    /// small numbers is fast.
    template <class Name>
    [[nodiscard]] std::size_t operator()(const Name& key) const noexcept {
        return static_cast<std::uint32_t>(key.hash);
    }
};

/// Compares the hashes first, and the bytes only if the hashes are equal.
struct SameName {
    using is_transparent = void;
    template <class A, class B>
    [[nodiscard]] bool operator()(const A& a, const B& b) const noexcept {
        return a.hash == b.hash && std::string_view{a.name} == std::string_view{b.name};
    }
};

/// A map of values by name, looked up with a HashedName. Names may come from requests: the key of
/// their hashes must be secret.
template <class T>
using ByName = std::unordered_map<OwnedName, T, HashOfName, SameName>;

} // namespace dashpot::inline DASHPOT_ABI::detail

#endif
