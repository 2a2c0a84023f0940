// SPDX-License-Identifier: MIT
#ifndef DASHPOT_REGISTRY_DETAIL_TURN_HPP
#define DASHPOT_REGISTRY_DETAIL_TURN_HPP

#include <dashpot/core/abi.hpp>
#include <dashpot/core/threading.hpp>

#include <algorithm>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dashpot::inline DASHPOT_ABI::detail {

/// The names whose targets are under construction, each by one thread. Other threads wait only for the
/// name that they need.
///
/// **Threads.** Any thread may call it. No lock is held during a construction or a wait.
class Turns {
  public:
    /// Returns the names whose targets are under construction.
    [[nodiscard]] std::vector<std::string> names() const {
        std::vector<std::string> all;
        const std::lock_guard lock{mutex_};
        for (const auto& each : under_way_) all.push_back(each->name);
        return all;
    }

    [[nodiscard]] bool contains(std::string_view name) const {
        const std::lock_guard lock{mutex_};
        return find_locked(name) != under_way_.end();
    }

  private:
    friend class Turn;

    struct Making {
        explicit Making(std::string_view n) : name{n} {}
        const std::string name;
        const threading::thread_id maker = threading::this_thread_id();
        bool is_over = false; // guarded by mutex_
        threading::condition_variable ended;
    };
    using UnderWay = std::vector<std::shared_ptr<Making>>;

    [[nodiscard]] UnderWay::const_iterator find_locked(std::string_view name) const {
        return std::find_if(under_way_.begin(), under_way_.end(),
                            [&](const auto& each) { return each->name == name; });
    }

    /// Returns true if the maker waits for the calling thread, directly or through other threads.
    [[nodiscard]] bool waits_for_this_thread_locked(const Making* making) const {
        while (making != nullptr && !making->is_over) {
            if (making->maker == threading::this_thread_id()) return true;
            const auto wait = std::find_if(waits_.begin(), waits_.end(), [&](const auto& each) {
                return each.first == making->maker;
            });
            making = wait != waits_.end() ? wait->second : nullptr;
        }
        return false;
    }

    mutable threading::mutex mutex_;
    UnderWay under_way_;                                                // guarded by mutex_
    std::vector<std::pair<threading::thread_id, const Making*>> waits_; // guarded by mutex_
};

/// The turn of a thread to construct the target of a name. A thread has the turn if no other thread
/// has it. The turn ends with this object.
class [[nodiscard]] Turn {
  public:
    Turn(Turns& turns, std::string_view name) : turns_{turns} {
        const std::lock_guard lock{turns_.mutex_};
        if (const auto found = turns_.find_locked(name); found != turns_.under_way_.end()) {
            making_ = *found;
            return;
        }
        making_ = std::make_shared<Turns::Making>(name);
        turns_.under_way_.push_back(making_);
        is_mine_ = true;
    }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;
    ~Turn() {
        if (!is_mine_) return;
        const std::lock_guard lock{turns_.mutex_};
        making_->is_over = true;
        std::erase(turns_.under_way_, making_);
        making_->ended.notify_all();
    }

    [[nodiscard]] bool is_mine() const noexcept { return is_mine_; }

    /// Waits until the other thread's turn is over.
    ///
    /// **Errors.** Throws std::logic_error if the wait would last forever, because the thread with the
    /// turn is this thread or waits for it.
    void wait() {
        std::unique_lock lock{turns_.mutex_};
        if (turns_.waits_for_this_thread_locked(making_.get())) {
            throw std::logic_error{"Registry::get: target \"" + making_->name +
                                   "\" is asked for by the function that gives its options"};
        }
        const auto me = threading::this_thread_id();
        turns_.waits_.emplace_back(me, making_.get());
        making_->ended.wait(lock, [this] { return making_->is_over; });
        std::erase_if(turns_.waits_, [&](const auto& each) { return each.first == me; });
    }

  private:
    Turns& turns_;
    std::shared_ptr<Turns::Making> making_;
    bool is_mine_ = false;
};

} // namespace dashpot::inline DASHPOT_ABI::detail

#endif
