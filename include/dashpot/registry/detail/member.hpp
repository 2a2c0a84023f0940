// SPDX-License-Identifier: MIT
#ifndef DASHPOT_REGISTRY_DETAIL_MEMBER_HPP
#define DASHPOT_REGISTRY_DETAIL_MEMBER_HPP

#include <dashpot/core/abi.hpp>
#include <dashpot/core/clock.hpp>
#include <dashpot/guard/bulkhead.hpp>
#include <dashpot/guard/circuit_breaker.hpp>
#include <dashpot/guard/target.hpp>
#include <dashpot/policy/failure_policy.hpp>
#include <dashpot/registry/detail/feed.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace dashpot::inline DASHPOT_ABI::detail {

/// A target of a registry and its feed in one allocation. Users hold shared_ptrs to the target that
/// own the member.
template <Clock C, FailurePolicy P>
struct Member {
    Member(std::string_view name, const TargetOptions<P>& options, const C& clock,
           const std::shared_ptr<TargetChannel>& channel)
        : target{std::string{name}, options, clock}, feed{std::make_shared<Feed>(name, channel)},
          max_concurrent{options.max_concurrent} {
        ForwardTransitions::of(target.breaker(), feed);
    }

    /// Returns true if a new target would behave like this one. This requires that the breaker would,
    /// that nothing is in flight, that the limit was not changed, and that the breaker has no listener
    /// of its own.
    [[nodiscard]] bool is_as_new() const {
        const Bulkhead& hull = target.bulkhead();
        return hull.in_flight() == 0 && hull.max_concurrent() == max_concurrent &&
               target.breaker().is_as_new() && target.breaker().listeners() == 0;
    }

    Target<C, P> target;
    std::shared_ptr<const TargetOptions<P>> given_options; // from a function; not the defaults
    const std::shared_ptr<Feed> feed;
    const std::uint32_t max_concurrent;
    std::uint64_t hash = 0; // of the name; set when the member is added
};

} // namespace dashpot::inline DASHPOT_ABI::detail

#endif
