// SPDX-License-Identifier: MIT
#ifndef DASHPOT_REGISTRY_DETAIL_TARGET_EVENTS_HPP
#define DASHPOT_REGISTRY_DETAIL_TARGET_EVENTS_HPP

#include <dashpot/core/abi.hpp>
#include <dashpot/core/threading.hpp>
#include <dashpot/guard/detail/event_channel.hpp>
#include <dashpot/guard/detail/transition_outlets.hpp>
#include <dashpot/guard/subscription.hpp>
#include <dashpot/guard/transition.hpp>
#include <dashpot/registry/removal.hpp>

#include <atomic>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace dashpot::inline DASHPOT_ABI::detail {

class TargetEvents;

/// An event of a target, on its way to the registry's listeners: a transition, or the target's removal.
struct TargetEvent {
    std::shared_ptr<const TargetEvents> source{}; // keeps the name after the target is destroyed
    bool is_removal = false;
    Removal removal{};       // only meaningful if is_removal
    Transition transition{}; // only meaningful otherwise
};

/// The queue for all targets of a registry. All events of the registry are in one order.
using TargetChannel = EventChannel<TargetEvent>;

/// Forwards a target's events to the registry's listeners. It has no queue of its own.
///
/// **Threads.** Any thread may call it. The object must be owned by a shared_ptr.
class TargetEvents final : public TransitionSink, public std::enable_shared_from_this<TargetEvents> {
  public:
    TargetEvents(std::string_view name, std::shared_ptr<TargetChannel> channel)
        : name_{name}, channel_{std::move(channel)} {}

    [[nodiscard]] std::string_view name() const noexcept { return name_; }

    /// Stops delivery: after this call no transition of the target reaches a listener, including
    /// transitions that are still queued. The release store pairs with the acquire load in
    /// subscribe().
    void silence() noexcept { is_live_.store(false, std::memory_order_release); }

    bool push(const Transition& transition) noexcept override {
        return channel_->push({.source = shared_from_this(), .transition = transition});
    }
    /// Queues a removal. It is called under the lock under which a new target of the same name would
    /// be added.
    void push(Removal reason) noexcept {
        (void)channel_->push({.source = shared_from_this(), .is_removal = true, .removal = reason});
    }
    void deliver() noexcept override { channel_->deliver(); }

    /// Subscribes a function to the transitions of all targets and one to their removals. Transitions
    /// of a silenced target are dropped.
    template <class OnTransition, class OnRemoval>
    [[nodiscard]] static Subscription subscribe(const std::shared_ptr<TargetChannel>& channel,
                                                OnTransition on_transition, OnRemoval on_removal) {
        return TargetChannel::subscribe(
            channel, [on_transition = std::move(on_transition),
                      on_removal = std::move(on_removal)](const TargetEvent& event) {
                const TargetEvents& source = *event.source;
                if (event.is_removal) {
                    on_removal(source.name(), event.removal);
                } else if (source.is_live_.load(std::memory_order_acquire)) {
                    on_transition(source.name(), event.transition);
                }
            });
    }

  private:
    const std::string name_;
    const std::shared_ptr<TargetChannel> channel_;
    threading::atomic<bool> is_live_{true};
};

} // namespace dashpot::inline DASHPOT_ABI::detail

#endif
