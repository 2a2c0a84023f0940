// SPDX-License-Identifier: MIT
#include "unattended.hpp"

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>
#include <utility>

namespace example {

struct Unattended::State {
    std::mutex mutex;
    std::condition_variable changed;
    std::function<void()> next;
    std::uint64_t given = 0; // how much work there was so far
    std::uint64_t done = 0;  // up to which of it all has ended
    bool has_thread = false;
    bool is_stopped = false;
};

Unattended::Unattended() : state_{std::make_shared<State>()} {}

bool Unattended::run(std::function<void()> work, std::chrono::nanoseconds patience) {
    std::unique_lock lock{state_->mutex};
    if (state_->is_stopped) return false;
    const std::uint64_t number = ++state_->given;
    state_->next = std::move(work);
    if (!state_->has_thread) {
        std::thread{[state = state_] { work_off(*state); }}.detach();
        state_->has_thread = true;
    }
    state_->changed.wait_for(lock, patience,
                             [&] { return state_->done >= number || state_->is_stopped; });
    return state_->done >= number;
}

void Unattended::work_off(State& state) {
    std::unique_lock lock{state.mutex};
    while (state.next && !state.is_stopped) {
        const std::function<void()> work = std::exchange(state.next, nullptr);
        const std::uint64_t number = state.given;
        lock.unlock();
        work();
        lock.lock();
        state.done = number;
        state.changed.notify_all();
    }
    state.has_thread = false;
}

void Unattended::stop() noexcept {
    const std::lock_guard lock{state_->mutex};
    state_->is_stopped = true;
    state_->changed.notify_all();
}

} // namespace example
