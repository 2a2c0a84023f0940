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

/// A name and its hash, computed once. It refers to the name.
struct HashedName {
    HashedName(std::string_view n, HashKey key) noexcept : name{n}, hash{keyed_hash(n, key)} {}
    /// A name whose hash is known.
    HashedName(std::string_view n, std::uint64_t h) noexcept : name{n}, hash{h} {}

    std::string_view name;
    std::uint64_t hash;
};

/// A name of its own, and its hash.
struct OwnedName {
    explicit OwnedName(const HashedName& other) : name{other.name}, hash{other.hash} {}

    std::string name;
    std::uint64_t hash;
};

/// The hash that a name brings along.
struct HashOfName {
    using is_transparent = void;
    /// Half of it: a map divides by its number of buckets, and a division of small numbers is quick.
    template <class Name>
    [[nodiscard]] std::size_t operator()(const Name& key) const noexcept {
        return static_cast<std::uint32_t>(key.hash);
    }
};

/// Two names of different hashes need no look at their bytes.
struct SameName {
    using is_transparent = void;
    template <class A, class B>
    [[nodiscard]] bool operator()(const A& a, const B& b) const noexcept {
        return a.hash == b.hash && std::string_view{a.name} == std::string_view{b.name};
    }
};

/// Values by name, looked up with a HashedName. Names may come from requests: the key of their hashes
/// must be a secret.
template <class T>
using ByName = std::unordered_map<OwnedName, T, HashOfName, SameName>;

} // namespace dashpot::inline DASHPOT_ABI::detail

#endif
