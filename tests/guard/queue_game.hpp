// SPDX-License-Identifier: MIT
#ifndef DASHPOT_TESTS_GUARD_QUEUE_GAME_HPP
#define DASHPOT_TESTS_GUARD_QUEUE_GAME_HPP

#include "guard/queue_support.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <ostream>
#include <utility>
#include <vector>

/// Strings of operations, played to a queued bulkhead and to a list of waiters.
namespace model::queue_game {

using namespace std::chrono_literals;
using dashpot::Deadline;
using dashpot::Error;
using dashpot::Instant;
using dashpot::QueueOptions;
using dashpot::QueueOrder;
using std::chrono::nanoseconds;

constexpr std::size_t waiter_count = 6;

enum class Kind : std::uint8_t { take, enqueue, withdraw, release, expire, advance, resize, change };

struct Operation {
    Kind kind = Kind::take;
    std::uint32_t which = 0; // of the waiters, or of the permits
    nanoseconds time{0};
    std::optional<nanoseconds> deadline{};
    QueueOptions options{};
};

inline std::ostream& operator<<(std::ostream& out, const Operation& op) {
    switch (op.kind) {
    case Kind::take: return out << "try_acquire\n";
    case Kind::enqueue:
        out << "enqueue " << op.which % waiter_count;
        if (op.deadline) out << " with a deadline in " << op.deadline->count();
        return out << '\n';
    case Kind::withdraw: return out << "withdraw " << op.which % waiter_count << '\n';
    case Kind::release: return out << "release " << op.which << '\n';
    case Kind::expire: return out << "expire\n";
    case Kind::advance: return out << "advance by " << op.time.count() << '\n';
    case Kind::resize: return out << "resize to " << op.options.max_concurrent << '\n';
    case Kind::change: break;
    }
    return out << "reconfigure to " << op.options << '\n';
}

template <class Dice>
QueueOptions some_options(Dice& dice) {
    QueueOptions options{.max_concurrent = dice.below(4),
                         .max_queued = dice.below(5),
                         .max_wait = nanoseconds{1 + dice.below(12)},
                         .order = dice.pick({QueueOrder::fifo, QueueOrder::lifo})};
    if (dice.below(3) == 0) {
        options.controlled_delay =
            dashpot::ControlledDelay{nanoseconds{1 + dice.below(4)}, nanoseconds{1 + dice.below(8)}};
    }
    return options;
}

template <class Dice>
void add_some(Dice& dice, std::vector<Operation>& operations) {
    Operation op;
    op.which = dice.below(64);
    op.kind = dice.pick({Kind::take, Kind::enqueue, Kind::enqueue, Kind::enqueue, Kind::withdraw,
                         Kind::release, Kind::release, Kind::expire, Kind::advance, Kind::advance,
                         Kind::resize, Kind::change});
    op.time = nanoseconds{static_cast<std::int64_t>(dice.below(6)) - 1};
    if (dice.below(2) == 0) op.deadline = nanoseconds{static_cast<std::int64_t>(dice.below(10)) - 1};
    op.options = some_options(dice);
    if ((op.kind == Kind::change || op.kind == Kind::resize) && dice.below(3) != 0)
        op.kind = Kind::take;
    operations.push_back(op);
}

/// What the model says of one waiter.
struct Known {
    bool waits = false;
    bool holds = false;
    std::optional<Error> refused{};
    Instant since{};
    Deadline deadline{};
};

/// The rules of the design, word by word, on a list.
class Model {
  public:
    explicit Model(const QueueOptions& options) : options_{options} {}

    bool take() {
        if (!queue_.empty() || in_flight >= options_.max_concurrent) return false;
        ++in_flight;
        return true;
    }
    void enqueue(std::size_t i, Deadline deadline, Instant now) {
        Known& one = waiters[i];
        one = {.since = now, .deadline = deadline};
        if (!deadline.is_never() && now >= deadline.at()) {
            one.refused = Error::deadline_exceeded;
        } else if (take()) {
            one.holds = true;
        } else {
            if (queue_.size() >= options_.max_queued) expire(now);
            const bool lifo = options_.order == QueueOrder::lifo && options_.max_queued != 0;
            while (lifo && queue_.size() >= options_.max_queued)
                refuse(queue_.front(), Error::queue_full);
            if (queue_.size() >= options_.max_queued) {
                one.refused = Error::queue_full;
            } else {
                if (queue_.empty()) busy_since_ = now;
                one.waits = true;
                queue_.push_back(i);
            }
        }
    }
    bool withdraw(std::size_t i) {
        if (!waiters[i].waits) return !waiters[i].holds && !waiters[i].refused;
        leave(i);
        waiters[i] = {};
        return true;
    }
    void release(Instant now) {
        --in_flight;
        serve(now);
    }
    void expire(Instant now) {
        for (const std::size_t i : std::vector{queue_})
            if (const auto why = reason(i, now)) refuse(i, *why);
    }
    void change(const QueueOptions& options, Instant now) {
        options_ = options;
        serve(now);
    }
    [[nodiscard]] std::size_t queued() const { return queue_.size(); }
    [[nodiscard]] std::uint32_t available() const {
        return queue_.empty() && in_flight < options_.max_concurrent
                   ? options_.max_concurrent - in_flight
                   : 0;
    }
    [[nodiscard]] const QueueOptions& options() const { return options_; }

    /// Tries instants one after the other: no waiter is refused before it, and one is at it.
    [[nodiscard]] bool is_next_expiry(std::optional<Instant> at, Instant now) const {
        std::optional<Instant> first;
        for (Instant t = now - 100ns; t != now + 100ns && !first; t += 1ns)
            for (const std::size_t i : queue_)
                if (reason(i, t)) first = t;
        return first == at || (first == now - 100ns && at && *at <= *first);
    }

    std::array<Known, waiter_count> waiters{};
    std::uint32_t in_flight = 0;

  private:
    void serve(Instant now) {
        while (!queue_.empty() && in_flight < options_.max_concurrent) {
            const std::size_t i = options_.order == QueueOrder::lifo ? queue_.back() : queue_.front();
            if (const auto why = reason(i, now)) {
                refuse(i, *why);
                continue;
            }
            leave(i);
            waiters[i].holds = true;
            ++in_flight;
        }
    }
    [[nodiscard]] std::optional<Error> reason(std::size_t i, Instant now) const {
        const Known& one = waiters[i];
        const Instant too_long = one.since + options_.max_wait;
        if (!one.deadline.is_never() && one.deadline.at() <= now &&
            (one.deadline.at() < too_long || now < too_long)) {
            return Error::deadline_exceeded;
        }
        if (too_long <= now) return Error::queue_timeout;
        const auto& delay = options_.controlled_delay;
        if (delay && now - one.since > delay->target && now - busy_since_ >= delay->interval) {
            return Error::queue_timeout;
        }
        return std::nullopt;
    }
    void leave(std::size_t i) {
        waiters[i].waits = false;
        queue_.erase(std::find(queue_.begin(), queue_.end(), i));
    }
    void refuse(std::size_t i, Error why) {
        leave(i);
        waiters[i].refused = why;
    }

    QueueOptions options_;
    std::vector<std::size_t> queue_;
    Instant busy_since_{};
};

class Game {
  public:
    explicit Game(const QueueOptions& options)
        : clock_{Instant{1000ns}}, queue_{options, clock_}, model_{options} {}
    Game(const Game&) = delete;
    ~Game() {
        for (auto& waiter : waiters_) (void)queue_.withdraw(waiter);
    }

    /// False if the bulkhead is not what the list says.
    bool play(const Operation& op) {
        const std::size_t i = op.which % waiter_count;
        const Instant now = clock_.now();
        bool is_same = true;
        switch (op.kind) {
        case Kind::take: {
            auto permit = queue_.try_acquire();
            is_same = static_cast<bool>(permit) == model_.take();
            if (permit) permits_.push_back(std::move(permit));
            break;
        }
        case Kind::enqueue: {
            if (model_.waiters[i].waits || model_.waiters[i].holds) break;
            const Deadline deadline = op.deadline ? Deadline{now + *op.deadline} : Deadline{};
            queue_support::Noting& waiter = waiters_[i];
            waiter.grants = waiter.refusals = 0;
            waiter.refusal.reset();
            queue_.enqueue(waiter, deadline);
            model_.enqueue(i, deadline, now);
            break;
        }
        case Kind::withdraw: is_same = queue_.withdraw(waiters_[i]) == model_.withdraw(i); break;
        case Kind::release:
            if (model_.waiters[i].holds) {
                model_.waiters[i].holds = false;
                model_.waiters[i].refused = Error::cancelled; // it was called
                waiters_[i].grants = 0;
                waiters_[i].refusals = 1;
                waiters_[i].refusal = dashpot::Refusal{Error::cancelled};
                waiters_[i].held.release();
                model_.release(now);
            } else if (!permits_.empty()) {
                permits_.pop_back();
                model_.release(now);
            }
            break;
        case Kind::expire:
            queue_.expire(now);
            model_.expire(now);
            break;
        case Kind::advance: clock_.advance(op.time); break;
        case Kind::resize: {
            QueueOptions options = model_.options();
            options.max_concurrent = op.options.max_concurrent;
            queue_.resize(options.max_concurrent);
            model_.change(options, now);
            break;
        }
        case Kind::change:
            queue_.reconfigure(op.options);
            model_.change(op.options, now);
            break;
        }
        return is_same && is_as_modelled();
    }

  private:
    [[nodiscard]] bool is_as_modelled() const {
        for (std::size_t i = 0; i != waiter_count; ++i) {
            const queue_support::Noting& waiter = waiters_[i];
            const Known& known = model_.waiters[i];
            if (waiter.grants != (known.holds ? 1 : 0) || waiter.refusals != (known.refused ? 1 : 0)) {
                return false;
            }
            if (known.refused && waiter.refusal->reason != *known.refused) return false;
        }
        return queue_.queued() == model_.queued() && queue_.in_flight() == model_.in_flight &&
               queue_.available() == model_.available() && queue_.options() == model_.options() &&
               queue_.max_concurrent() == model_.options().max_concurrent &&
               model_.is_next_expiry(queue_.next_expiry(), clock_.now());
    }

    queue_support::ManualClock clock_;
    queue_support::Queue queue_;
    std::array<queue_support::Noting, waiter_count> waiters_;
    std::vector<queue_support::Queue::Permit> permits_;
    Model model_;
};

} // namespace model::queue_game

#endif
