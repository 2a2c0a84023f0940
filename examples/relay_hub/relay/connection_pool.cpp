// SPDX-License-Identifier: MIT
#include "connection_pool.hpp"

#include <algorithm>
#include <new>
#include <utility>

#include <poll.h>

namespace relay_hub {
namespace {

/// Returns false if the target has closed or broken the connection, or sent what nobody asked for.
bool is_silent(const TargetConnection& connection) noexcept {
    pollfd watched{connection.socket.get(), POLLIN | POLLRDHUP, 0};
    return ::poll(&watched, 1, 0) == 0;
}

bool is_usable(const TargetConnection& connection, example::SteadyTime now,
               const AddressList& addresses) noexcept {
    return now < connection.idle_until && is_silent(connection) &&
           std::ranges::find(addresses, connection.address) != addresses.end();
}

} // namespace

std::optional<TargetConnection> ConnectionPool::take(example::SteadyTime now,
                                                     const AddressList& addresses) {
    const std::lock_guard lock{mutex_};
    if (habit_ == Habit::on_trial) return std::nullopt;
    while (!idle_.empty()) {
        TargetConnection connection = std::move(idle_.back());
        idle_.pop_back();
        if (!is_usable(connection, now, addresses)) continue;
        connection.is_reused = true;
        connection.is_on_trial = habit_ == Habit::unknown;
        if (connection.is_on_trial) habit_ = Habit::on_trial;
        return connection;
    }
    return std::nullopt;
}

void ConnectionPool::give_back(TargetConnection connection, example::SteadyTime now,
                               std::chrono::nanoseconds idle, bool says_kept) noexcept {
    const std::lock_guard lock{mutex_};
    const bool was_on_trial = std::exchange(connection.is_on_trial, false);
    if (habit_ == Habit::closes && now >= closes_until_) habit_ = Habit::unknown;
    if (was_on_trial || (says_kept && habit_ == Habit::unknown)) habit_ = Habit::keeps;
    connection.idle_until = std::min(now + idle, connection.opened + max_age);
    // The call that gives it back is among calls_ still.
    if (habit_ == Habit::closes || now >= connection.idle_until || idle_.size() + calls_ > limit_)
        return;
    try {
        idle_.push_back(std::move(connection));
    } catch (const std::bad_alloc&) { // it is closed, and the answer goes back all the same
    }
}

void ConnectionPool::lose(const TargetConnection& connection, example::SteadyTime now,
                          bool was_closed) noexcept {
    const std::lock_guard lock{mutex_};
    if (!connection.is_on_trial) {
        // Another server may have taken its place, or it may keep connections for a while only.
        if (connection.is_reused && was_closed && habit_ == Habit::keeps) {
            habit_ = Habit::unknown;
            idle_.clear();
        }
        return;
    }
    habit_ = was_closed ? Habit::closes : Habit::unknown;
    if (!was_closed) return;
    closes_until_ = now + distrust;
    idle_.clear();
}

void ConnectionPool::tidy(example::SteadyTime now, const AddressList& addresses) {
    const std::lock_guard lock{mutex_};
    std::erase_if(idle_, [&](const TargetConnection& connection) {
        return !is_usable(connection, now, addresses);
    });
}

void ConnectionPool::set_limit(std::size_t limit) noexcept {
    const std::lock_guard lock{mutex_};
    limit_ = limit;
    shrink_locked();
}

std::size_t ConnectionPool::idle() const noexcept {
    const std::lock_guard lock{mutex_};
    return idle_.size();
}

void ConnectionPool::change_calls(int by) noexcept {
    const std::lock_guard lock{mutex_};
    calls_ = by > 0 ? calls_ + 1 : calls_ - 1;
    shrink_locked();
}

void ConnectionPool::shrink_locked() noexcept {
    while (!idle_.empty() && idle_.size() + calls_ > limit_) idle_.erase(idle_.begin());
}

} // namespace relay_hub
