// SPDX-License-Identifier: MIT
#ifndef DASHPOT_REGISTRY_DETAIL_HASHED_NAME_HPP
#define DASHPOT_REGISTRY_DETAIL_HASHED_NAME_HPP

#include <dashpot/core/abi.hpp>
#include <dashpot/registry/detail/keyed_hash.hpp>

#include <cstdint>
#include <string_view>

namespace dashpot::inline DASHPOT_ABI::detail {

/// A reference to a name, together with the name's hash, which is computed once. Names may come from
/// requests: the key of their hashes must be secret.
struct HashedName {
    HashedName(std::string_view n, HashKey key) noexcept : name{n}, hash{keyed_hash(n, key)} {}
    /// Takes a name whose hash is known.
    HashedName(std::string_view n, std::uint64_t h) noexcept : name{n}, hash{h} {}

    std::string_view name;
    std::uint64_t hash;
};

} // namespace dashpot::inline DASHPOT_ABI::detail

#endif
