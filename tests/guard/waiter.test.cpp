// SPDX-License-Identifier: MIT
#include <dashpot/guard/waiter.hpp>

#include "catch.hpp"
#include "guard/queue_support.hpp"

#include <concepts>
#include <memory>
#include <type_traits>
#include <utility>

namespace tests::guard_waiter {

using namespace queue_support;
using dashpot::QueuePermit;
using dashpot::Waiter;

TEST_CASE("QueuePermit: releases its slot once, however often it is called", "[guard]") {
    Queue queue{{.max_concurrent = 2}};
    auto permits = fill(queue);
    permits[0].release();
    CHECK_FALSE(permits[0]);
    permits[0].release();
    CHECK(queue.in_flight() == 1);
    permits.clear();
    CHECK(queue.in_flight() == 0);
}

TEST_CASE("QueuePermit: moves, and frees its slot once", "[guard]") {
    Queue queue{{.max_concurrent = 2}};
    QueuePermit from = queue.try_acquire();
    QueuePermit to = std::move(from);
    CHECK(to);
    CHECK_FALSE(from); // NOLINT(bugprone-use-after-move): that is the question
    QueuePermit other = queue.try_acquire();
    to = std::move(other); // gives the first one back
    CHECK(queue.in_flight() == 1);
    QueuePermit& self = to;
    to = std::move(self);
    CHECK(to);
    to = QueuePermit{};
    CHECK(queue.in_flight() == 0);
    QueuePermit nothing;
    CHECK_FALSE(nothing);
    nothing.release();
}

TEST_CASE("QueuePermit: a refusal moves with it", "[guard]") {
    Queue queue{{.max_concurrent = 0, .max_queued = 0}};
    QueuePermit refused = queue.acquire();
    CHECK(refused.refusal() == dashpot::Error::queue_full);
    CHECK_FALSE(refused.refusal().retry_after);
    QueuePermit moved = std::move(refused);
    CHECK(moved.refusal() == dashpot::Error::queue_full);
    QueuePermit assigned;
    assigned = std::move(moved);
    CHECK(assigned.refusal() == dashpot::Error::queue_full);
}

TEST_CASE("Waiter: is pinned where it is, may be owned by its base, and nothing of it throws",
          "[guard]") {
    STATIC_REQUIRE_FALSE(std::is_copy_constructible_v<Noting>);
    STATIC_REQUIRE_FALSE(std::is_move_constructible_v<Noting>);
    STATIC_REQUIRE(std::has_virtual_destructor_v<Waiter>);
    STATIC_REQUIRE_FALSE(std::is_copy_constructible_v<QueuePermit>);
    STATIC_REQUIRE_FALSE(std::is_convertible_v<QueuePermit, bool>);
    STATIC_REQUIRE(std::is_nothrow_move_constructible_v<QueuePermit>);
    STATIC_REQUIRE(std::is_nothrow_move_assignable_v<QueuePermit>);
    STATIC_REQUIRE(std::same_as<Queue::Permit, QueuePermit>);
    STATIC_REQUIRE(std::same_as<Queue::Waiter, Waiter>);
    Queue queue{{.max_concurrent = 1}};
    const std::unique_ptr<Waiter> owned = std::make_unique<Noting>();
    queue.enqueue(*owned);
    CHECK(queue.in_flight() == 1);
}

} // namespace tests::guard_waiter
