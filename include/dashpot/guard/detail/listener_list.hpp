// SPDX-License-Identifier: MIT
#ifndef DASHPOT_GUARD_DETAIL_LISTENER_LIST_HPP
#define DASHPOT_GUARD_DETAIL_LISTENER_LIST_HPP

#include <dashpot/core/abi.hpp>
#include <dashpot/core/detail/waiting_threads.hpp>
#include <dashpot/core/threading.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace dashpot::inline DASHPOT_ABI::detail {

/// One listener, whatever it listens to.
struct Listener {
    Listener() = default;
    Listener(const Listener&) = delete;
    Listener& operator=(const Listener&) = delete;
    virtual ~Listener() = default;

    std::uint64_t number = 0;      // in order of subscription; guarded by the list's mutex
    std::uint64_t first_event = 0; // receives this one and later ones; guarded by the list's mutex
    threading::thread_id runner{}; // the thread that runs it now; guarded by the list's mutex
    bool is_awaited = false;       // its subscription waits for its end; guarded by the list's mutex
    bool is_on_its_own = false;    // its subscription did not wait; guarded by the list's mutex
};

/// The listeners, and which are being called: what a Subscription needs, for any kind of event.
///
/// **Threads.** Any.
class ListenerList {
  public:
    ListenerList() = default;
    ListenerList(const ListenerList&) = delete;
    ListenerList& operator=(const ListenerList&) = delete;

    /// Takes the listener out, so that no call of it begins, and waits for one that another thread
    /// is running. The caller still owns it: nothing of the user's is destroyed under the lock.
    ///
    /// It does not wait if that would last forever: for a call that this thread runs, or whose thread
    /// waits, directly or over others, for a listener that this thread runs.
    void remove(Listener& listener) noexcept {
        std::unique_lock lock{mutex_};
        for (std::size_t i = 0; i != listeners_.size(); ++i) {
            if (listeners_[i].get() != &listener) continue;
            listeners_.erase(listeners_.begin() + static_cast<std::ptrdiff_t>(i));
            break;
        }
        if (listener.runner == threading::thread_id{}) return;
        WaitingThreads::Wait wait{threading::this_thread_id(), listener.runner, &listener};
        if (!WaitingThreads::add(wait)) {
            listener.is_on_its_own = true;
            return;
        }
        listener.is_awaited = true;
        call_ended_.wait(lock, [&] { return listener.runner == threading::thread_id{}; });
    }

    /// How many listen.
    [[nodiscard]] std::size_t size() const noexcept {
        const std::lock_guard lock{mutex_};
        return listeners_.size();
    }

  protected:
    ~ListenerList() = default;

    void add_locked(std::shared_ptr<Listener> listener, std::uint64_t first_event) {
        listener->number = ++last_number_;
        listener->first_event = first_event;
        listeners_.push_back(std::move(listener));
    }

    /// The first listener after `number` that is to receive `event`, or null.
    [[nodiscard]] std::shared_ptr<Listener> next_locked(std::uint64_t number,
                                                        std::uint64_t event) const noexcept {
        std::size_t begin = 0;
        for (std::size_t end = listeners_.size(); begin != end;) {
            const std::size_t middle = begin + (end - begin) / 2;
            if (listeners_[middle]->number <= number) {
                begin = middle + 1;
            } else {
                end = middle;
            }
        }
        // Later listeners began with later events, so the first one too late ends the round.
        if (begin == listeners_.size() || listeners_[begin]->first_event > event) return nullptr;
        return listeners_[begin];
    }

    mutable threading::mutex mutex_;
    threading::condition_variable call_ended_;
    std::vector<std::shared_ptr<Listener>> listeners_; // by number; guarded by mutex_
    std::uint64_t last_number_ = 0;                    // guarded by mutex_
};

} // namespace dashpot::inline DASHPOT_ABI::detail

#endif
