// SPDX-License-Identifier: MIT
#include "../asio_support.hpp"

#include <dashpot/adapter/detail/asio_wait.hpp>

#include "catch.hpp"

#include <thread>

namespace tests::adapter_detail_asio_wait {

using namespace support;
using dashpot::pipeline;
using dashpot::QueuedBulkhead;
using dashpot::Timeout;
using dashpot::testing::ManualClock;

TEST_CASE("AsioWaitTest: AFreeSlotIsTakenWithoutAWait") {
    Ward ward;
    CHECK(ending_of([&] { return call(ward.queue, [] { return gives(1); }); }) == "value 1");
    CHECK(ward.is_free());
}

TEST_CASE("AsioWaitTest: ACallWaitsForASlotWithoutBlockingItsThread") {
    Ward ward;
    asio::io_context context;
    auto slot = ward.queue.try_acquire();
    Running first{context.get_executor(), [&] { return call(ward.queue, [] { return gives(1); }); }};
    Running second{context.get_executor(), [&] { return call(ward.queue, [] { return gives(2); }); }};
    context.poll();
    CHECK(ward.queue.queued() == 2);
    asio::post(context, [&] { slot.release(); });
    context.run_for(20s);
    CHECK(first.ending() == "value 1");
    CHECK(second.ending() == "value 2");
    CHECK(ward.is_free());
}

TEST_CASE("AsioWaitTest: ASlotMayBeFreedOnAnotherThread") {
    Ward ward;
    asio::io_context context;
    std::optional slot{ward.queue.try_acquire()};
    Running running{context.get_executor(), [&] { return call(ward.queue, [] { return gives(1); }); }};
    context.poll();
    std::thread other{[&] { slot.reset(); }};
    context.run_for(20s);
    other.join();
    CHECK(running.ending() == "value 1");
    CHECK(ward.is_free());
}

TEST_CASE("AsioWaitTest: AWaitEndsAfterMaxWaitAndAtTheDeadline") {
    QueuedBulkhead<> queue{{.max_concurrent = 0, .max_wait = 20ms}};
    CHECK(ending_of([&] { return call(queue, [] { return gives(1); }); }) == "queue_timeout");
    queue.reconfigure({.max_concurrent = 0, .max_wait = 1h});
    CHECK(ending_of([&] { return call(queue, {.timeout = 20ms}, [] { return gives(1); }); }) ==
          "deadline_exceeded");
    CHECK(ending_of([&] { return call(pipeline(Timeout{20ms}, queue), [] { return gives(1); }); }) ==
          "deadline_exceeded");
    CHECK(queue.queued() == 0);
    CHECK(queue.refused() == 3);
}

TEST_CASE("AsioWaitTest: AFullQueueRefusesAtOnce") {
    QueuedBulkhead<> queue{{.max_concurrent = 0, .max_queued = 0}};
    CHECK(ending_of([&] { return call(queue, [] { return gives(1); }); }) == "queue_full");
}

TEST_CASE("AsioWaitTest: ASlotThatIsGrantedToACancelledCallGoesOn") {
    Ward ward;
    asio::io_context context;
    auto slot = ward.queue.try_acquire();
    Running first{context.get_executor(), [&] { return call(ward.queue, never); }};
    Running second{context.get_executor(), [&] { return call(ward.queue, [] { return gives(2); }); }};
    for (int round = 0; round < 20; ++round) context.poll();
    slot.release(); // granted, but the call has not resumed
    first.cancel(asio::cancellation_type::terminal);
    context.restart();
    context.run_for(20s);
    CHECK(first.ending() == "cancelled");
    CHECK(second.ending() == "value 2");
    CHECK(ward.is_free());
}

TEST_CASE("AsioWaitTest: ACallIsDestroyedWithTheSlotThatItWasGranted") {
    Ward ward;
    {
        asio::io_context context;
        auto slot = ward.queue.try_acquire();
        Running running{context.get_executor(), [&] { return call(ward.queue, never); }};
        for (int round = 0; round < 20; ++round) context.poll();
        slot.release();
        CHECK(ward.queue.in_flight() == 1);
    }
    CHECK(ward.is_free());
}

TEST_CASE("AsioWaitTest: AStopEndsTheWait") {
    Ward ward;
    std::stop_source source;
    const auto slot = ward.queue.try_acquire();
    std::thread stopper;
    const CallOptions options{.stop = source.get_token()};
    CHECK(ending_of([&] {
              stopper = std::thread{[&] {
                  while (ward.queue.queued() == 0) std::this_thread::yield();
                  source.request_stop();
              }};
              return call(ward.queue, options, never);
          }) == "cancelled");
    stopper.join();
    CHECK(ward.queue.queued() == 0);
}

TEST_CASE("AsioWaitTest: ABulkheadThatIsDestroyedRefusesThoseThatWait") {
    asio::io_context context;
    std::optional<QueuedBulkhead<>> queue;
    queue.emplace(dashpot::QueueOptions{.max_concurrent = 0, .max_wait = 1h});
    Running running{context.get_executor(), [&] { return call(*queue, never); }};
    for (int round = 0; round < 20; ++round) context.poll();
    queue->reconfigure({.max_concurrent = 0, .max_queued = 0, .max_wait = 1h});
    CHECK_FALSE(running.is_over());
    queue->resize(1); // granted after all
    context.restart();
    context.run_for(50ms);
    CHECK(queue->in_flight() == 1);
    running.cancel(asio::cancellation_type::terminal);
    context.restart();
    context.run_for(20s);
    CHECK(running.ending() == "aborted");
}

} // namespace tests::adapter_detail_asio_wait
