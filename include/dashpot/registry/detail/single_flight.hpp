// SPDX-License-Identifier: MIT
#ifndef DASHPOT_REGISTRY_DETAIL_SINGLE_FLIGHT_HPP
#define DASHPOT_REGISTRY_DETAIL_SINGLE_FLIGHT_HPP

#include <dashpot/core/abi.hpp>
#include <dashpot/core/contract.hpp>
#include <dashpot/core/detail/waiting_threads.hpp>
#include <dashpot/core/threading.hpp>

#include <mutex>
#include <stdexcept>
#include <string_view>

namespace dashpot::inline DASHPOT_ABI::detail {

class SingleFlight;

/// One thread's part in the construction of a target. The first flight of a name leads: its thread
/// constructs the target. A flight that begins before the first one ends follows the first one.
///
/// **Cost.** It does not allocate: everything is on the stacks of the threads.
class Flight {
  public:
    explicit Flight(SingleFlight& flights) noexcept : flights_{flights} {}
    Flight(const Flight&) = delete;
    Flight& operator=(const Flight&) = delete;
    ~Flight() { end(); }

    /// Leads or follows, in one step. It may be called again after end() or wait(). `name` must outlive
    /// the flight.
    void begin(std::string_view name) noexcept;

    /// Returns true if this thread constructs the target.
    [[nodiscard]] bool leads() const noexcept { return leads_; }

    /// Waits until the flight that this one follows has ended.
    ///
    /// **Errors.** Throws std::logic_error if the wait would last forever, because the thread that
    /// leads is this thread, or waits for this thread.
    void wait();

    /// Ends the flight. If it leads, the threads that wait for it go on.
    void end() noexcept;

  private:
    friend class SingleFlight;

    SingleFlight& flights_;
    const threading::thread_id thread_ = threading::this_thread_id();
    bool leads_ = false;
    std::string_view name_{};
    bool is_under_way_ = false;   // guarded by SingleFlight::mutex_, as are all below
    Flight* leader_ = nullptr;    // of a flight that follows
    Flight* followers_ = nullptr; // of a flight that leads; a list through next_
    Flight* next_ = nullptr;
    threading::condition_variable ended_; // of a flight that follows: its leader's end
};

/// Single flight: of all threads that need the same new target, one constructs the target, and the
/// others wait for that thread. Threads that need other names do not wait.
///
/// **Threads.** Any thread may call it. No lock is held during a construction or a wait.
class SingleFlight {
  public:
    SingleFlight() = default;
    SingleFlight(const SingleFlight&) = delete;
    SingleFlight& operator=(const SingleFlight&) = delete;

    /// Returns true if a target of that name is under construction.
    [[nodiscard]] bool contains(std::string_view name) const noexcept {
        const std::lock_guard lock{mutex_};
        return leader_locked(name) != nullptr;
    }

    /// Calls `f` with the name of each target under construction, under the lock.
    template <class F>
    void for_each_name(F&& f) const {
        const std::lock_guard lock{mutex_};
        for (const Flight* each = leaders_; each != nullptr; each = each->next_) f(each->name_);
    }

  private:
    friend class Flight;

    [[nodiscard]] Flight* leader_locked(std::string_view name) const noexcept {
        Flight* each = leaders_;
        while (each != nullptr && each->name_ != name) each = each->next_;
        return each;
    }

    mutable threading::mutex mutex_;
    Flight* leaders_ = nullptr; // guarded by mutex_; a list through Flight::next_
};

inline void Flight::begin(std::string_view name) noexcept {
    const std::lock_guard lock{flights_.mutex_};
    name_ = name;
    leader_ = flights_.leader_locked(name);
    leads_ = leader_ == nullptr;
    Flight*& list = leads_ ? flights_.leaders_ : leader_->followers_;
    next_ = list;
    list = this;
    is_under_way_ = true;
}

inline void Flight::wait() {
    std::unique_lock lock{flights_.mutex_};
    if (!is_under_way_) return;
    WaitingThreads::Wait wait{thread_, leader_->thread_, leader_};
    if (!WaitingThreads::add(wait)) {
        throw std::logic_error{
            text_of({"Registry::get: target \"", name_,
                     "\" is under construction by this thread, or by a thread that waits for this "
                     "thread"})};
    }
    ended_.wait(lock, [this] { return !is_under_way_; });
}

inline void Flight::end() noexcept {
    const std::lock_guard lock{flights_.mutex_};
    if (!is_under_way_) return;
    is_under_way_ = false;
    Flight** place = leads_ ? &flights_.leaders_ : &leader_->followers_;
    while (*place != this) place = &(*place)->next_;
    *place = next_;
    if (followers_ == nullptr) return;
    WaitingThreads::end(this);
    while (Flight* const follower = followers_) {
        followers_ = follower->next_;
        follower->is_under_way_ = false;
        follower->ended_.notify_all();
    }
}

} // namespace dashpot::inline DASHPOT_ABI::detail

#endif
