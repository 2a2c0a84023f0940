// SPDX-License-Identifier: MIT
#ifndef DASHPOT_GUARD_DETAIL_WAIT_QUEUE_HPP
#define DASHPOT_GUARD_DETAIL_WAIT_QUEUE_HPP

#include <dashpot/core/abi.hpp>
#include <dashpot/core/deadline.hpp>
#include <dashpot/core/duration.hpp>
#include <dashpot/core/error.hpp>
#include <dashpot/guard/queue_options.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <utility>

namespace dashpot::inline DASHPOT_ABI::detail {

/// A place in a queue, owned by the thread or the Waiter that waits. It is in one list at most.
struct QueueNode {
    enum class Fate : std::uint8_t {
        idle,   ///< It does not wait.
        queued, ///< It waits for a slot.
        due,    ///< It was granted or refused, and is to be notified.
        over    ///< It was notified, or is being notified.
    };

    QueueNode() = default;
    QueueNode(const QueueNode&) = delete;
    QueueNode& operator=(const QueueNode&) = delete;

    QueueNode* before = nullptr;
    QueueNode* after = nullptr;
    Instant since{}; // when it joined
    Deadline deadline{};
    std::optional<Error> refusal{}; // of one that is due: empty if it was granted
    Fate fate = Fate::idle;
    bool is_thread = false;
};

/// A list of nodes that it does not own. Every operation is O(1).
class NodeList {
  public:
    constexpr NodeList() noexcept = default;
    NodeList(const NodeList&) = delete;
    NodeList& operator=(const NodeList&) = delete;

    [[nodiscard]] constexpr bool is_empty() const noexcept { return first_ == nullptr; }
    [[nodiscard]] constexpr std::uint32_t size() const noexcept { return size_; }
    [[nodiscard]] constexpr QueueNode* first() const noexcept { return first_; }
    [[nodiscard]] constexpr QueueNode* last() const noexcept { return last_; }

    constexpr void push_back(QueueNode& node) noexcept {
        node.before = last_;
        node.after = nullptr;
        (last_ != nullptr ? last_->after : first_) = &node;
        last_ = &node;
        ++size_;
    }

    constexpr void remove(QueueNode& node) noexcept {
        (node.before != nullptr ? node.before->after : first_) = node.after;
        (node.after != nullptr ? node.after->before : last_) = node.before;
        node.before = nullptr;
        node.after = nullptr;
        --size_;
    }

    /// Moves every node of `other` to the end of this list.
    constexpr void append(NodeList& other) noexcept {
        while (QueueNode* const node = other.first()) {
            other.remove(*node);
            push_back(*node);
        }
    }

  private:
    QueueNode* first_ = nullptr;
    QueueNode* last_ = nullptr;
    std::uint32_t size_ = 0;
};

/// The rules of a queue for slots: which node gets the next slot, and which is refused, when and why.
///
/// **Contract.** It is passed the time. Nodes that are refused are moved to the list `due`, in the
/// order in which they were refused. It does not know slots: its user calls next() for each free one.
/// **Threads.** One at a time.
/// **Cost.** join() is O(1) unless the queue is full, and so is next() for each node that it removes.
/// expire() and next_expiry() look at every node. Nothing allocates.
class WaitQueue {
  public:
    constexpr explicit WaitQueue(const QueueOptions& options) noexcept : options_{options} {}

    [[nodiscard]] constexpr const QueueOptions& options() const noexcept { return options_; }

    /// Applies to those that wait already too. No node leaves the queue by it.
    constexpr void reconfigure(const QueueOptions& options) noexcept { options_ = options; }

    [[nodiscard]] constexpr bool is_empty() const noexcept { return nodes_.is_empty(); }
    [[nodiscard]] constexpr std::uint32_t size() const noexcept { return nodes_.size(); }

    /// Adds a node, or refuses it. Makes room by what has expired; under lifo the oldest nodes also
    /// make room.
    constexpr void join(QueueNode& node, Deadline deadline, Instant now, NodeList& due) noexcept {
        node.since = now;
        node.deadline = deadline;
        if (has_passed(deadline, now)) return refuse(node, Error::deadline_exceeded, due);
        if (is_full()) expire(now, due);
        if (is_full() && (options_.order == QueueOrder::fifo || options_.max_queued == 0)) {
            return refuse(node, Error::queue_full, due);
        }
        while (is_full()) take_out_and_refuse(*nodes_.first(), Error::queue_full, due);
        if (nodes_.is_empty()) busy_since_ = now;
        node.refusal.reset();
        node.fate = QueueNode::Fate::queued;
        nodes_.push_back(node);
    }

    /// Takes out the node that gets the next slot, and refuses those before it that waited too long.
    /// Returns null if no node is left.
    [[nodiscard]] constexpr QueueNode* next(Instant now, NodeList& due) noexcept {
        while (QueueNode* const node =
                   options_.order == QueueOrder::lifo ? nodes_.last() : nodes_.first()) {
            if (const auto reason = refusal(*node, now)) {
                take_out_and_refuse(*node, *reason, due);
                continue;
            }
            nodes_.remove(*node);
            node->fate = QueueNode::Fate::due;
            return node;
        }
        return nullptr;
    }

    /// Refuses every node that has waited too long at `now`.
    constexpr void expire(Instant now, NodeList& due) noexcept {
        for (QueueNode* node = nodes_.first(); node != nullptr;) {
            QueueNode* const next = node->after;
            if (const auto reason = refusal(*node, now)) take_out_and_refuse(*node, *reason, due);
            node = next;
        }
    }

    /// Takes out a node that waits.
    constexpr void remove(QueueNode& node) noexcept {
        nodes_.remove(node);
        node.fate = QueueNode::Fate::idle;
    }

    /// Refuses a node that waits.
    constexpr void take_out_and_refuse(QueueNode& node, Error reason, NodeList& due) noexcept {
        nodes_.remove(node);
        refuse(node, reason, due);
    }

    /// Refuses a node that does not wait.
    static constexpr void refuse(QueueNode& node, Error reason, NodeList& due) noexcept {
        node.refusal = reason;
        node.fate = QueueNode::Fate::due;
        due.push_back(node);
    }

    /// Returns why a node that waits is refused at `now`, or nothing if it may go on waiting.
    [[nodiscard]] constexpr std::optional<Error> refusal(const QueueNode& node,
                                                         Instant now) const noexcept {
        const std::chrono::nanoseconds waited = between(node.since, now);
        const bool is_too_long = waited >= options_.max_wait;
        if (has_passed(node.deadline, now) &&
            (!is_too_long || between(node.since, node.deadline.at()) < options_.max_wait)) {
            return Error::deadline_exceeded;
        }
        if (is_too_long || (options_.controlled_delay && waited > options_.controlled_delay->target &&
                            between(busy_since_, now) >= options_.controlled_delay->interval)) {
            return Error::queue_timeout;
        }
        return std::nullopt;
    }

    /// Returns the first instant at which a node that waits is refused if the queue does not become
    /// empty before. Returns nothing if there is no such instant.
    [[nodiscard]] constexpr std::optional<Instant> expiry(const QueueNode& node) const noexcept {
        std::optional<Instant> first = after(node.since, options_.max_wait);
        if (!node.deadline.is_never()) first = earlier_of(first, node.deadline.at());
        if (options_.controlled_delay) {
            const auto overload = after(busy_since_, options_.controlled_delay->interval);
            const auto late = after(node.since, saturating_add(options_.controlled_delay->target,
                                                               std::chrono::nanoseconds{1}));
            if (overload && late) first = earlier_of(first, *overload < *late ? *late : *overload);
        }
        return first;
    }

    /// Returns the earliest expiry() of all nodes.
    [[nodiscard]] constexpr std::optional<Instant> next_expiry() const noexcept {
        std::optional<Instant> first;
        for (const QueueNode* node = nodes_.first(); node != nullptr; node = node->after) {
            if (const auto its = expiry(*node)) first = earlier_of(first, *its);
        }
        return first;
    }

    /// The node that has waited longest, or null; its `after` leads to the others.
    [[nodiscard]] constexpr QueueNode* first() const noexcept { return nodes_.first(); }

  private:
    [[nodiscard]] constexpr bool is_full() const noexcept {
        return nodes_.size() >= options_.max_queued;
    }

    [[nodiscard]] static constexpr bool has_passed(const Deadline& deadline, Instant now) noexcept {
        return !deadline.is_never() && now >= deadline.at();
    }

    [[nodiscard]] static constexpr Instant earlier_of(const std::optional<Instant>& a,
                                                      Instant b) noexcept {
        return a && *a < b ? *a : b;
    }

    /// Returns start + length, or nothing if that is beyond the end of time.
    [[nodiscard]] static constexpr std::optional<Instant>
    after(Instant start, std::chrono::nanoseconds length) noexcept {
        const Instant end{saturating_add(start.time_since_epoch(), length)};
        if (between(start, end) < length) return std::nullopt;
        return end;
    }

    QueueOptions options_;
    NodeList nodes_;       // in the order of arrival
    Instant busy_since_{}; // since when there is a node, if there is one
};

} // namespace dashpot::inline DASHPOT_ABI::detail

#endif
