// SPDX-License-Identifier: MIT
#include <dashpot/guard/detail/wait_queue.hpp>

#include "catch.hpp"

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>

namespace tests::guard_detail_wait_queue {

using namespace std::chrono_literals;
using namespace dashpot;
using detail::NodeList;
using detail::QueueNode;
using detail::WaitQueue;

namespace {

using Node = QueueNode;

constexpr Instant at(std::chrono::nanoseconds time) { return Instant{time}; }

/// A queue, three nodes, and those that were refused, first to last.
struct Rig {
    constexpr explicit Rig(const QueueOptions& options) : queue{options} {}
    constexpr void join(std::size_t i, std::chrono::nanoseconds now, Deadline deadline = {}) {
        queue.join(nodes[i], deadline, at(now), due);
    }
    [[nodiscard]] constexpr bool waits(std::size_t i) const {
        return nodes[i].fate == QueueNode::Fate::queued;
    }
    [[nodiscard]] constexpr bool is_refused(std::size_t i, Error reason) const {
        return nodes[i].fate == QueueNode::Fate::due && nodes[i].refusal == reason;
    }
    /// The number of the node that gets a slot, or 9.
    constexpr std::size_t next(std::chrono::nanoseconds now) {
        const QueueNode* const node = queue.next(at(now), due);
        for (std::size_t i = 0; i != nodes.size(); ++i)
            if (node == &nodes[i]) return i;
        return 9;
    }

    WaitQueue queue;
    std::array<Node, 4> nodes{};
    NodeList due;
};

constexpr std::size_t of_three(QueueOrder order) {
    Rig rig{{.order = order}};
    for (std::size_t i = 0; i != 3; ++i) rig.join(i, 0s);
    return rig.next(0s) * 100 + rig.next(0s) * 10 + rig.next(0s);
}

} // namespace

TEST_CASE("WaitQueue: gives slots in the order of arrival, or newest first, also at compile time",
          "[guard]") {
    STATIC_REQUIRE(of_three(QueueOrder::fifo) == 12);
    STATIC_REQUIRE(of_three(QueueOrder::lifo) == 210);
}

TEST_CASE("WaitQueue: a wait of exactly the longest is too long, a nanosecond less is not", "[guard]") {
    Rig rig{{.max_wait = 1s}};
    rig.join(0, 5s);
    CHECK(rig.queue.expiry(rig.nodes[0]) == at(6s));
    rig.queue.expire(at(6s - 1ns), rig.due);
    CHECK(rig.waits(0));
    rig.queue.expire(at(6s), rig.due);
    CHECK(rig.is_refused(0, Error::queue_timeout));
    CHECK(rig.queue.is_empty());
    CHECK_FALSE(rig.queue.next_expiry());
}

TEST_CASE("WaitQueue: the reason is what came first, however late it is looked at", "[guard]") {
    Rig rig{{.max_wait = 1s}};
    rig.join(0, 0s, Deadline{at(1s - 1ns)});
    rig.join(1, 0s, Deadline{at(1s)});
    rig.join(2, 0s, Deadline{at(2s)});
    rig.queue.expire(at(1h), rig.due);
    CHECK(rig.is_refused(0, Error::deadline_exceeded));
    CHECK(rig.is_refused(1, Error::queue_timeout)); // both at once: the deadline did not come first
    CHECK(rig.is_refused(2, Error::queue_timeout));
}

TEST_CASE("WaitQueue: a deadline ends the wait at its own instant", "[guard]") {
    Rig rig{{.max_wait = 1h}};
    rig.join(0, 0s, Deadline{at(5s)});
    CHECK(rig.queue.next_expiry() == at(5s));
    CHECK(rig.next(5s) == 9);
    CHECK(rig.is_refused(0, Error::deadline_exceeded));
    rig.join(1, 5s, Deadline{at(5s)});
    CHECK(rig.is_refused(1, Error::deadline_exceeded)); // it has passed already
    rig.join(2, 5s, Deadline{at(6s)});
    CHECK(rig.next(6s - 1ns) == 2);
}

TEST_CASE("WaitQueue: full, it refuses the newcomer under fifo and the oldest under lifo", "[guard]") {
    Rig fifo{{.max_queued = 2}};
    for (std::size_t i = 0; i != 3; ++i) fifo.join(i, 0s);
    CHECK(fifo.is_refused(2, Error::queue_full));
    CHECK(fifo.queue.size() == 2);
    Rig lifo{{.max_queued = 2, .order = QueueOrder::lifo}};
    for (std::size_t i = 0; i != 3; ++i) lifo.join(i, 0s);
    CHECK(lifo.is_refused(0, Error::queue_full));
    CHECK(lifo.queue.size() == 2);
    CHECK(lifo.next(0s) == 2);
    CHECK(lifo.next(0s) == 1);
}

TEST_CASE("WaitQueue: with no place to wait the newcomer is refused in either order", "[guard]") {
    const auto order = GENERATE(QueueOrder::fifo, QueueOrder::lifo);
    Rig rig{{.max_queued = 0, .order = order}};
    rig.join(0, 0s);
    CHECK(rig.is_refused(0, Error::queue_full));
}

TEST_CASE("WaitQueue: a waiter that has expired does not count as one that waits", "[guard]") {
    const auto order = GENERATE(QueueOrder::fifo, QueueOrder::lifo);
    Rig rig{{.max_queued = 1, .max_wait = 1s, .order = order}};
    rig.join(0, 0s);
    rig.join(1, 1s);
    CHECK(rig.is_refused(0, Error::queue_timeout));
    CHECK(rig.waits(1));
}

TEST_CASE(
    "WaitQueue: made shorter it refuses none that waits, and the next newcomer fits or makes room",
    "[guard]") {
    Rig fifo{{.max_queued = 3}};
    for (std::size_t i = 0; i != 3; ++i) fifo.join(i, 0s);
    fifo.queue.reconfigure({.max_queued = 2});
    CHECK(fifo.queue.size() == 3);
    fifo.join(3, 0s);
    CHECK(fifo.is_refused(3, Error::queue_full));
    Rig lifo{{.max_queued = 3, .order = QueueOrder::lifo}};
    for (std::size_t i = 0; i != 3; ++i) lifo.join(i, 0s);
    lifo.queue.reconfigure({.max_queued = 2, .order = QueueOrder::lifo});
    CHECK(lifo.queue.size() == 3);
    lifo.join(3, 0s);
    CHECK(lifo.queue.size() == 2);
    CHECK(lifo.is_refused(0, Error::queue_full));
    CHECK(lifo.is_refused(1, Error::queue_full));
}

TEST_CASE("WaitQueue: another longest wait applies to those that wait already", "[guard]") {
    Rig rig{{.max_wait = 10s}};
    rig.join(0, 0s);
    rig.queue.reconfigure({.max_wait = 2s});
    CHECK(rig.queue.next_expiry() == at(2s));
    rig.queue.expire(at(2s), rig.due);
    CHECK(rig.is_refused(0, Error::queue_timeout));
}

TEST_CASE("WaitQueue: waits beyond the end of time never end, and a clock that steps back ends none",
          "[guard]") {
    Rig rig{{.max_wait = std::chrono::hours::max()}};
    rig.join(0, 1s);
    CHECK_FALSE(rig.queue.next_expiry());
    rig.queue.expire((Instant::max)(), rig.due);
    CHECK(rig.waits(0));
    Rig back{{.max_wait = 1s}};
    back.join(0, 10s);
    back.queue.expire((Instant::min)(), back.due);
    CHECK(back.waits(0));
}

TEST_CASE("ControlledDelay: refuses those that waited longer than the target once the queue was never "
          "empty for the interval",
          "[guard]") {
    const QueueOptions options{.controlled_delay = ControlledDelay{5ms, 100ms}};
    Rig rig{options};
    rig.join(0, 0s);
    rig.join(1, 95ms);
    rig.join(2, 96ms);
    CHECK(rig.queue.next_expiry() ==
          at(100ms)); // node 0: it has waited longer than the target long ago
    rig.queue.expire(at(100ms - 1ns), rig.due);
    CHECK(rig.waits(0));
    rig.queue.expire(at(100ms), rig.due);
    CHECK(rig.is_refused(0, Error::queue_timeout));
    CHECK(rig.waits(1)); // exactly the target is not longer
    CHECK(rig.queue.next_expiry() == at(100ms + 1ns));
    CHECK(rig.next(100ms + 1ns) == 2);
    CHECK(rig.is_refused(1, Error::queue_timeout));
    rig.join(3, 101ms); // the queue was empty: the interval begins again
    CHECK(rig.queue.next_expiry() == at(201ms));
    CHECK(rig.next(201ms - 1ns) == 3);
}

TEST_CASE("NodeList: keeps its order when nodes leave anywhere", "[guard]") {
    NodeList list;
    std::array<Node, 3> nodes{};
    for (Node& node : nodes) list.push_back(node);
    list.remove(nodes[1]);
    CHECK(list.size() == 2);
    CHECK(list.first() == &nodes[0]);
    CHECK(list.first()->after == &nodes[2]);
    CHECK(list.last()->before == &nodes[0]);
    list.remove(nodes[2]);
    CHECK(list.last() == &nodes[0]);
    NodeList other;
    other.append(list);
    CHECK(list.is_empty());
    CHECK(other.first() == &nodes[0]);
    other.remove(nodes[0]);
    CHECK(other.is_empty());
    CHECK(other.last() == nullptr);
}

} // namespace tests::guard_detail_wait_queue
