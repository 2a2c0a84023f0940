// SPDX-License-Identifier: MIT
#ifndef DASHPOT_REGISTRY_DETAIL_ANY_OPTIONS_HPP
#define DASHPOT_REGISTRY_DETAIL_ANY_OPTIONS_HPP

#include <dashpot/core/abi.hpp>
#include <dashpot/registry/detail/hashed_name.hpp>
#include <dashpot/registry/detail/name_map.hpp>

#include <memory>
#include <utility>

namespace dashpot::inline DASHPOT_ABI::detail {

/// The options of a target, whatever its policy. Only the Registry itself knows their type.
using AnyOptions = std::shared_ptr<const void>;

/// Options in a NameMap.
struct NamedOptions : NameMapEntry {
    NamedOptions(const HashedName& name, AnyOptions given)
        : NameMapEntry{name}, options{std::move(given)} {}

    const AnyOptions options;
};

} // namespace dashpot::inline DASHPOT_ABI::detail

#endif
