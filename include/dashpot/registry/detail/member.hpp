// SPDX-License-Identifier: MIT
#ifndef DASHPOT_REGISTRY_DETAIL_MEMBER_HPP
#define DASHPOT_REGISTRY_DETAIL_MEMBER_HPP

#include <dashpot/core/abi.hpp>
#include <dashpot/core/clock.hpp>
#include <dashpot/core/threading.hpp>
#include <dashpot/guard/detail/event_channel.hpp>
#include <dashpot/guard/subscription.hpp>
#include <dashpot/guard/transition.hpp>
#include <dashpot/policy/failure_policy.hpp>
#include <dashpot/registry/target.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace dashpot::inline DASHPOT_ABI::detail {

/// How a target's transitions reach the registry's listeners, and whether they still may.
struct Feed {
    std::string name;
    threading::atomic<bool> is_live{true};
};

/// A transition on its way to the registry's listeners.
struct TargetEvent {
    std::shared_ptr<const Feed> feed; // so that the name outlives a target destroyed meanwhile
    Transition transition;
};

/// A target of a registry and its feed, owned as one. What users hold is a share of it.
template <Clock C, FailurePolicy P>
struct Member {
    using Channel = EventChannel<TargetEvent>;

    Member(std::string_view name, const TargetOptions<P>& options, const C& clock)
        : target{std::string{name}, options, clock}, feed{std::make_shared<Feed>()},
          max_concurrent{options.max_concurrent} {
        feed->name = name;
    }

    /// Passes its transitions on to the registry's listeners. In order, since its breaker delivers one
    /// at a time; and one at a time across breakers, since the channel does.
    void forward_to(const std::shared_ptr<Channel>& listeners) {
        forwarding = target.breaker().on_transition(
            [feed = std::shared_ptr<const Feed>{feed}, listeners](const Transition& transition) {
                if (listeners->push({feed, transition})) listeners->deliver();
            });
    }

    /// Whether a new target would behave as this one: its breaker would, nothing is in flight, the
    /// limit is the one that it was made with, and nobody but the registry listens to it.
    [[nodiscard]] bool is_as_new() {
        const Bulkhead& hull = target.bulkhead();
        return hull.in_flight() == 0 && hull.max_concurrent() == max_concurrent &&
               target.breaker().is_as_new() &&
               target.breaker().listeners() == (forwarding ? std::size_t{1} : std::size_t{0});
    }

    Target<C, P> target;
    const std::shared_ptr<Feed> feed;
    const std::uint32_t max_concurrent;
    Subscription forwarding; // after target: it goes first
};

} // namespace dashpot::inline DASHPOT_ABI::detail

#endif
