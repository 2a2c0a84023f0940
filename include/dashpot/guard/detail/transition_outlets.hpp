// SPDX-License-Identifier: MIT
#ifndef DASHPOT_GUARD_DETAIL_TRANSITION_OUTLETS_HPP
#define DASHPOT_GUARD_DETAIL_TRANSITION_OUTLETS_HPP

#include <dashpot/core/abi.hpp>
#include <dashpot/guard/detail/event_channel.hpp>
#include <dashpot/guard/transition.hpp>

#include <cstddef>
#include <memory>
#include <utility>

namespace dashpot::inline DASHPOT_ABI::detail {

/// Receives the transitions of a breaker beside the breaker's own listeners: for a registry, which has
/// one queue for all of its targets.
///
/// **Threads.** Any.
class TransitionSink {
  public:
    TransitionSink() = default;
    TransitionSink(const TransitionSink&) = delete;
    TransitionSink& operator=(const TransitionSink&) = delete;
    virtual ~TransitionSink() = default;

    /// Called under the breaker's lock, in the order of the transitions. Must not call the breaker.
    /// @return true if deliver() has to be called once that lock is released
    virtual bool push(const Transition& transition) noexcept = 0;
    /// Called without a lock. Listeners run here.
    virtual void deliver() noexcept = 0;
};

/// Where the transitions of a breaker go: to its own listeners, and to the sink of what holds it.
///
/// **Threads.** The breaker's lock orders all calls.
class TransitionOutlets {
  public:
    using Channel = EventChannel<Transition>;

    /// What has to be delivered once the lock is released. It owns all that it needs: a listener may
    /// destroy the breaker.
    struct Delivery {
        std::shared_ptr<Channel> own;
        std::shared_ptr<TransitionSink> sink;

        void run() const noexcept {
            if (own) own->deliver();
            if (sink) sink->deliver();
        }
    };

    /// False if nothing can receive a transition.
    [[nodiscard]] bool are_open() const noexcept { return own_ != nullptr || sink_ != nullptr; }

    void set_sink(std::shared_ptr<TransitionSink> sink) noexcept { sink_ = std::move(sink); }

    /// The channel of the breaker's own listeners. **Cost.** The first call allocates the queue.
    [[nodiscard]] const std::shared_ptr<Channel>& own() {
        if (!own_) own_ = std::make_shared<Channel>();
        return own_;
    }

    /// How many listeners the breaker itself has.
    [[nodiscard]] std::size_t listeners() const noexcept { return own_ ? own_->size() : 0; }

    [[nodiscard]] Delivery push(const Transition& transition) noexcept {
        Delivery delivery;
        if (own_ && own_->push(transition)) delivery.own = own_;
        if (sink_ && sink_->push(transition)) delivery.sink = sink_;
        return delivery;
    }

  private:
    std::shared_ptr<Channel> own_;         // null until the breaker has a listener
    std::shared_ptr<TransitionSink> sink_; // null unless something holds the breaker
};

} // namespace dashpot::inline DASHPOT_ABI::detail

#endif
