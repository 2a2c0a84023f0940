// SPDX-License-Identifier: MIT
#ifndef DASHPOT_GUARD_SUBSCRIPTION_HPP
#define DASHPOT_GUARD_SUBSCRIPTION_HPP

#include <dashpot/core/abi.hpp>
#include <dashpot/guard/detail/listener_list.hpp>

#include <memory>
#include <utility>

namespace dashpot::inline DASHPOT_ABI {

/// Keeps a listener listening; when it goes, the listener goes.
///
/// **Contract.** Once it is destroyed (or cancelled, or assigned to), no call of the listener begins;
/// one that is running is waited for. Two calls are not waited for, since that would last forever: one
/// that this thread runs (a listener may end its own subscription), and one whose thread waits,
/// directly or over others, for a listener that this thread runs (listeners that end each other's).
/// Such a call goes on when this thread's listener has returned. It may outlive the breaker or registry
/// that it listens to.
/// **Threads.** One object, one thread at a time. Do not hold a lock that the listener takes.
/// **Cost.** O(listeners).
class [[nodiscard]] Subscription {
  public:
    /// Listens to nothing.
    Subscription() noexcept = default;

    /// For the guards; users get theirs from on_transition().
    Subscription(std::shared_ptr<detail::ListenerList> list,
                 std::shared_ptr<detail::Listener> listener) noexcept
        : list_{std::move(list)}, listener_{std::move(listener)} {}

    Subscription(Subscription&&) noexcept = default;
    Subscription& operator=(Subscription&& other) noexcept {
        if (this != &other) {
            cancel();
            list_ = std::move(other.list_);
            listener_ = std::move(other.listener_);
        }
        return *this;
    }
    ~Subscription() { cancel(); }

    /// Ends it now. Idempotent.
    void cancel() noexcept {
        if (!listener_) return;
        const auto list = std::move(list_);
        const auto listener = std::move(listener_);
        list->remove(*listener);
    }

    /// True until it is cancelled or moved from.
    explicit operator bool() const noexcept { return listener_ != nullptr; }

  private:
    std::shared_ptr<detail::ListenerList> list_;
    std::shared_ptr<detail::Listener> listener_;
};

} // namespace dashpot::inline DASHPOT_ABI

#endif
