// SPDX-License-Identifier: MIT
// A registered target for tests of what does not depend on its clock and policy.
#ifndef TESTS_REGISTRY_DETAIL_REGISTERED_HPP
#define TESTS_REGISTRY_DETAIL_REGISTERED_HPP

#include <dashpot/registry/detail/registered_target.hpp>
#include <dashpot/testing/manual_clock.hpp>

#include <memory>
#include <string_view>

namespace registered {

inline dashpot::detail::HashedName key(std::string_view name) { return {name, {1, 2}}; }

inline dashpot::detail::RegisteredTarget::Owner
make(std::string_view name, const std::shared_ptr<dashpot::detail::TargetChannel>& channel =
                                std::make_shared<dashpot::detail::TargetChannel>()) {
    using Clock = dashpot::testing::ManualClock;
    return std::make_shared<dashpot::detail::TypedTarget<Clock, dashpot::ConsecutiveFailures>>(
        key(name), dashpot::TargetOptions<>{}, Clock{}, channel);
}

} // namespace registered

#endif
