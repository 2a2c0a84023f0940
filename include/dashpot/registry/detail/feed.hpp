// SPDX-License-Identifier: MIT
#ifndef DASHPOT_REGISTRY_DETAIL_FEED_HPP
#define DASHPOT_REGISTRY_DETAIL_FEED_HPP

#include <dashpot/core/abi.hpp>
#include <dashpot/core/threading.hpp>
#include <dashpot/guard/detail/event_channel.hpp>
#include <dashpot/guard/detail/transition_outlets.hpp>
#include <dashpot/guard/transition.hpp>
#include <dashpot/registry/removal.hpp>

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace dashpot::inline DASHPOT_ABI::detail {

class Feed;

/// An event of a target, on its way to the registry's listeners.
struct TargetEvent {
    std::shared_ptr<const Feed> feed; // keeps the name after the target is destroyed
    std::variant<Transition, Removal> what;
};

/// The queue for all targets of a registry. All events of the registry are in one order.
using TargetChannel = EventChannel<TargetEvent>;

/// Forwards a target's events to the registry's listeners. It has no queue of its own.
///
/// **Threads.** Any thread may call it. The feed must be owned by a shared_ptr.
class Feed final : public TransitionSink, public std::enable_shared_from_this<Feed> {
  public:
    Feed(std::string_view name, std::shared_ptr<TargetChannel> channel)
        : name_{name}, channel_{std::move(channel)} {}

    [[nodiscard]] std::string_view name() const noexcept { return name_; }

    /// Stops delivery: after this call no transition of the target reaches a listener, including
    /// transitions that are still queued. The release store pairs with the acquire load in
    /// tell_transition().
    void silence() noexcept { is_live_.store(false, std::memory_order_release); }

    bool push(const Transition& transition) noexcept override { return push_event(transition); }
    /// Queues a removal. It is called under the lock under which a new target of the same name would
    /// be added.
    void push(Removal reason) noexcept { (void)push_event(reason); }
    void deliver() noexcept override { channel_->deliver(); }

    /// Calls `listener` with the transition if the event is a transition and the target was not
    /// removed.
    template <class Listener>
    static void tell_transition(const TargetEvent& event, Listener& listener) {
        const auto* const transition = std::get_if<Transition>(&event.what);
        if (transition == nullptr || !event.feed->is_live_.load(std::memory_order_acquire)) return;
        listener(event.feed->name(), *transition);
    }

    /// Calls `listener` with the reason if the event is a removal.
    template <class Listener>
    static void tell_removal(const TargetEvent& event, Listener&& listener) {
        if (const auto* const reason = std::get_if<Removal>(&event.what)) {
            listener(event.feed->name(), *reason);
        }
    }

  private:
    template <class What>
    bool push_event(const What& what) noexcept {
        return channel_->push({shared_from_this(), what});
    }

    const std::string name_;
    const std::shared_ptr<TargetChannel> channel_;
    threading::atomic<bool> is_live_{true};
};

} // namespace dashpot::inline DASHPOT_ABI::detail

#endif
