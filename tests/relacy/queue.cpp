// SPDX-License-Identifier: MIT
#include "schedules.hpp"

#include <dashpot/guard/queued_bulkhead.hpp>

#include <memory>
#include <utility>

using dashpot::Error;
using dashpot::QueueOptions;
using dashpot::QueuePermit;
using std::chrono::nanoseconds;
using namespace schedules;

namespace {

using Queue = dashpot::QueuedBulkhead<Clock>;

/// A waiter that counts how often it was called. It keeps its slot.
struct Noting : dashpot::Waiter {
    void granted(QueuePermit slot) noexcept override {
        held = std::move(slot);
        ++grants;
    }
    void refused(dashpot::Refusal) noexcept override { ++refusals; }

    QueuePermit held;
    int grants = 0;
    int refusals = 0;
};

/// A queue with one slot, which is taken.
template <class Derived, int threads>
struct OneSlot : Program<Derived, threads> {
    explicit OneSlot(const QueueOptions& options = {.max_concurrent = 1})
        : queue{std::make_unique<Queue>(options)}, held{queue->try_acquire()} {
        Time::start();
    }

    /// What holds once every permit is gone: no slot is lost and none doubled.
    void check_at_the_end() const {
        HOLDS(queue->in_flight() == 0);
        HOLDS(queue->queued() == 0);
        HOLDS(queue->available() == queue->max_concurrent());
    }

    std::unique_ptr<Queue> queue;
    QueuePermit held;
};

/// A release and a withdrawal: the waiter has the slot, or it is gone and the slot is free.
struct GrantAgainstWithdraw : OneSlot<GrantAgainstWithdraw, 2> {
    Noting waiter;
    bool is_withdrawn = false;

    void before() { queue->enqueue(waiter); }
    void thread(unsigned i) {
        if (i == 0) {
            held.release();
        } else {
            is_withdrawn = queue->withdraw(waiter);
        }
    }
    void after() {
        HOLDS(waiter.refusals == 0);
        HOLDS(waiter.grants == (is_withdrawn ? 0 : 1));
        HOLDS(queue->in_flight() == (is_withdrawn ? 0U : 1U));
        waiter.held.release();
        check_at_the_end();
    }
};

/// A release and a time-out: the waiter is granted or refused, exactly one of the two, once.
struct GrantAgainstExpiry : OneSlot<GrantAgainstExpiry, 2> {
    GrantAgainstExpiry() : OneSlot{{.max_concurrent = 1, .max_wait = nanoseconds{10}}} {}
    Noting waiter;

    void before() { queue->enqueue(waiter); }
    void thread(unsigned i) {
        if (i == 0) {
            held.release();
        } else {
            queue->expire(dashpot::Instant{nanoseconds{10}});
        }
    }
    void after() {
        HOLDS(waiter.grants + waiter.refusals == 1);
        HOLDS(queue->in_flight() == (waiter.grants == 1 ? 1U : 0U));
        waiter.held.release();
        check_at_the_end();
    }
};

/// A release and a newcomer: it gets the slot, at once or from the hand-over. No wake-up is lost.
struct GrantAgainstArrival : OneSlot<GrantAgainstArrival, 2> {
    Noting waiter;

    void thread(unsigned i) {
        if (i == 0) {
            held.release();
        } else {
            queue->enqueue(waiter);
        }
    }
    void after() {
        HOLDS(waiter.grants == 1);
        HOLDS(queue->in_flight() == 1);
        waiter.held.release();
        check_at_the_end();
    }
};

/// Threads that wait: each gets the slot, one at a time, and what was done under it
/// happens before what its next holder does.
template <int threads>
struct OneAtATime : OneSlot<OneAtATime<threads>, threads> {
    plain<int> visits{0};

    void before() { this->held.release(); }
    void thread(unsigned) {
        const QueuePermit slot = this->queue->acquire();
        HOLDS(slot);
        visits = visits + 1;
    }
    void after() {
        HOLDS(visits == threads);
        this->check_at_the_end();
    }
};

/// A limit that grows while a slot is freed: both waiters get one.
struct GrowAgainstGrant : OneSlot<GrowAgainstGrant, 2> {
    Noting waiters[3];

    void before() {
        for (Noting& waiter : waiters) queue->enqueue(waiter);
    }
    void thread(unsigned i) {
        if (i == 0) {
            held.release();
        } else {
            queue->resize(2);
        }
    }
    void after() {
        HOLDS(waiters[0].grants == 1);
        HOLDS(waiters[1].grants == 1);
        HOLDS(waiters[2].grants == 0);
        HOLDS(queue->in_flight() == 2);
        for (Noting& waiter : waiters) waiter.held.release();
        HOLDS(waiters[2].grants == 1);
        waiters[2].held.release();
        check_at_the_end();
    }
};

/// A limit that shrinks while a slot is freed and another caller comes: at most one more is let in,
/// and none of the calls in flight is lost from the count.
struct ShrinkAgainstGrant : OneSlot<ShrinkAgainstGrant, 3> {
    ShrinkAgainstGrant() : OneSlot{{.max_concurrent = 2}} {}
    QueuePermit second;
    Noting waiter;

    void before() { second = queue->try_acquire(); }
    void thread(unsigned i) {
        if (i == 0) held.release();
        if (i == 1) queue->resize(1);
        if (i == 2) queue->enqueue(waiter);
    }
    void after() {
        HOLDS(queue->in_flight() == 1U + static_cast<std::uint32_t>(waiter.grants));
        HOLDS(queue->max_concurrent() == 1);
        second.release();
        HOLDS(waiter.grants == 1);
        HOLDS(queue->in_flight() == 1);
        waiter.held.release();
        check_at_the_end();
    }
};

/// No caller overtakes one that waits: the slot is never seen free while it is handed over.
struct NoneOvertakes : OneSlot<NoneOvertakes, 2> {
    Noting waiter;

    void before() { queue->enqueue(waiter); }
    void thread(unsigned i) {
        if (i == 0) {
            held.release();
        } else {
            HOLDS(!queue->try_acquire());
            HOLDS(queue->in_flight() == 1);
        }
    }
    void after() {
        HOLDS(waiter.grants == 1);
        waiter.held.release();
        check_at_the_end();
    }
};

/// The path without the lock: what was done under a slot is seen by its next holder.
struct Handed : OneSlot<Handed, 2> {
    plain<int> work{0};

    void thread(unsigned i) {
        if (i == 0) {
            work = 1;
            held.release();
        } else if (const QueuePermit mine = queue->try_acquire()) {
            HOLDS(work == 1);
        }
    }
    void after() { check_at_the_end(); }
};

} // namespace

int main(int argc, char** argv) {
    using enum Search::Kind;
    using enum Mistake::Kind;
    return run(
        argc, argv,
        {{"grant against withdraw", holds<GrantAgainstWithdraw>, {every}, {every}},
         {"grant against expiry", holds<GrantAgainstExpiry>, {every}, {every}},
         {"grant against arrival", holds<GrantAgainstArrival>, {bound, 4}, {every}},
         {"one at a time", holds<OneAtATime<2>>, {bound, 3}, {bound, 5}},
         {"one of three at a time", holds<OneAtATime<3>>, {random, 10'000}, {random, 1'000'000}},
         {"grow against grant", holds<GrowAgainstGrant>, {every}, {every}},
         {"shrink against grant", holds<ShrinkAgainstGrant>, {bound, 3}, {bound, 4}},
         {"none overtakes", holds<NoneOvertakes>, {every}, {every}},
         {"handed", holds<Handed>, {every}, {every}}},
        {{"slot_is_freed_without_order",
          "handed",
          {relaxed, "queue_core.hpp", "free_slot", "compare_exchange"}},
         {"slot_is_got_without_order",
          "handed",
          {relaxed, "queue_core.hpp", "try_take", "compare_exchange"}},
         {"gate_is_shut_in_two_steps",
          "grant against arrival",
          {torn, "queue_core.hpp", "shut_gate_locked", "compare_exchange"}},
         {"slot_is_taken_in_two_steps",
          "shrink against grant",
          {torn, "queue_core.hpp", "free_slot", "compare_exchange"}},
         {"resize_in_two_steps",
          "shrink against grant",
          {torn, "queue_core.hpp", "apply_locked", "compare_exchange"}},
         {"waiting_thread_is_not_woken", "one at a time", {left_out, "queue_core.hpp", "", "notify"}},
         {"granted_waiter_is_withdrawn", "grant against withdraw"},
         {"expired_queue_leaves_the_gate_shut", "grant against expiry"},
         {"grown_limit_wakes_none", "grow against grant"},
         {"slot_is_free_in_between", "none overtakes"}});
}
