// SPDX-License-Identifier: MIT
// Counts what the calling thread allocates: nothing on any path of a call.
#include <dashpot/guard/adaptive_limiter.hpp>
#include <dashpot/guard/queued_bulkhead.hpp>
#include <dashpot/guard/rate_limiter.hpp>
#include <dashpot/guard/retry_budget.hpp>
#include <dashpot/guard/throttler.hpp>
#include <dashpot/pipeline/fallback.hpp>
#include <dashpot/pipeline/pipeline.hpp>
#include <dashpot/pipeline/retry.hpp>
#include <dashpot/pipeline/timeout.hpp>
#include <dashpot/policy/aimd.hpp>
#include <dashpot/policy/vegas.hpp>
#include <dashpot/registry/registry.hpp>
#include <dashpot/testing/manual_clock.hpp>

#include "guard/breaker_support.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <limits>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <utility>

namespace {
thread_local std::size_t allocations = 0;

void* allocate(std::size_t size) noexcept {
    ++allocations;
    return std::malloc(size != 0 ? size : 1);
}

void* allocate(std::size_t size, std::align_val_t alignment) noexcept {
    ++allocations;
    const auto align = static_cast<std::size_t>(alignment);
    return std::aligned_alloc(align, (size + align - 1) / align * align);
}

/// Out of line, so that no compiler sees free() of what it takes for new's.
[[gnu::noinline]] void give_back(void* memory) noexcept { std::free(memory); }

void* or_throw(void* memory) { return memory != nullptr ? memory : throw std::bad_alloc{}; }
} // namespace

// NOLINTBEGIN: all of them, so that new and delete always match
void* operator new(std::size_t size) { return or_throw(allocate(size)); }
void* operator new[](std::size_t size) { return or_throw(allocate(size)); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return allocate(size); }
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept { return allocate(size); }
void* operator new(std::size_t size, std::align_val_t align) { return or_throw(allocate(size, align)); }
void* operator new[](std::size_t size, std::align_val_t align) {
    return or_throw(allocate(size, align));
}
void* operator new(std::size_t size, std::align_val_t align, const std::nothrow_t&) noexcept {
    return allocate(size, align);
}
void* operator new[](std::size_t size, std::align_val_t align, const std::nothrow_t&) noexcept {
    return allocate(size, align);
}
void operator delete(void* memory) noexcept { give_back(memory); }
void operator delete[](void* memory) noexcept { give_back(memory); }
void operator delete(void* memory, std::size_t) noexcept { give_back(memory); }
void operator delete[](void* memory, std::size_t) noexcept { give_back(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { give_back(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { give_back(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { give_back(memory); }
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { give_back(memory); }
// NOLINTEND

using namespace std::chrono_literals;
using dashpot::Bulkhead;
using dashpot::Outcome;
using dashpot::Result;
using dashpot::State;
using dashpot::Transition;
using dashpot::testing::ManualClock;
using Breaker = support::Breaker;
using Registry = dashpot::Registry<ManualClock>;

namespace {

/// How often `f` allocates. Nothing in it may CHECK: that allocates.
template <class F>
std::size_t allocations_of(F&& f) {
    const std::size_t before = allocations;
    std::forward<F>(f)();
    return allocations - before;
}

struct Rig {
    ManualClock clock;
    Breaker breaker{{.threshold = 2}, {.reset_timeout = 10s}, clock};
};

} // namespace

TEST_CASE("Allocations: are counted here", "[registry]") {
    CHECK(allocations_of([] { (void)std::make_unique<int>(42); }) == 1);
    CHECK(allocations_of([] {}) == 0);
}

TEST_CASE("Allocations: none for a call in two steps, in any state", "[registry]") {
    Rig rig;
    bool as_expected = true;
    CHECK(allocations_of([&] {
              for (int i = 0; i != 3; ++i) {
                  as_expected &= rig.breaker.allow();
                  rig.breaker.record_success();
                  rig.breaker.record_ignored();
                  rig.breaker.record_failure();
                  as_expected &= rig.breaker.state() == State::closed;
                  rig.breaker.record_failure();
                  as_expected &= rig.breaker.state() == State::open && !rig.breaker.allow();
                  as_expected &= rig.breaker.retry_after() == 10s;
                  rig.clock.advance(10s);
                  as_expected &= rig.breaker.allow() && !rig.breaker.allow();
                  rig.breaker.record_ignored();
                  as_expected &= rig.breaker.allow();
                  rig.breaker.record_success();
              }
          }) == 0);
    CHECK(as_expected);
}

TEST_CASE("Allocations: none for a queue's slots, waiters, time-outs and changes", "[registry]") {
    struct Waiting : dashpot::Waiter {
        void granted(dashpot::QueuePermit slot) noexcept override { slot.release(); }
        void refused(dashpot::Refusal) noexcept override { ++refusals; }
        int refusals = 0;
    } waiters[3];
    ManualClock clock;
    dashpot::QueuedBulkhead<ManualClock> queue{{.max_concurrent = 1, .max_wait = 1s}, clock};
    bool as_expected = true;
    CHECK(allocations_of([&] {
              for (int i = 0; i != 3; ++i) {
                  auto held = queue.acquire(dashpot::Deadline::after(1s, clock));
                  as_expected &= !queue.try_acquire();
                  for (Waiting& waiter : waiters) queue.enqueue(waiter);
                  as_expected &= queue.withdraw(waiters[1]) && queue.next_expiry().has_value();
                  queue.resize(2);
                  queue.reconfigure({.max_concurrent = 1, .max_wait = 1s});
                  queue.enqueue(waiters[1]);
                  clock.advance(1s);
                  queue.expire(clock.now());
                  as_expected &= queue.queued() == 0;
                  held.release();
              }
          }) == 0);
    CHECK(as_expected);
    CHECK(waiters[1].refusals == 3);
}

TEMPLATE_TEST_CASE("Allocations: none for an adaptive limiter, whatever it learns", "[registry]",
                   dashpot::Gradient, dashpot::Vegas, dashpot::Aimd) {
    ManualClock clock;
    dashpot::AdaptiveLimiter<ManualClock, TestType> limiter{{}, clock};
    CHECK(allocations_of([&] {
              for (int i = 0; i != 1000; ++i) {
                  auto permit = limiter.try_acquire();
                  clock.advance(100ms);
                  if (i % 100 == 0) {
                      permit.failure();
                  } else {
                      permit.success();
                  }
              }
              limiter.reconfigure(limiter.policy());
          }) == 0);
}

TEST_CASE("Allocations: none for permits, in any state", "[registry]") {
    Rig rig;
    bool as_expected = true;
    CHECK(allocations_of([&] {
              auto permit = rig.breaker.try_acquire();
              auto moved = std::move(permit);
              as_expected &= moved.success();
              as_expected &= rig.breaker.try_acquire().failure();
              as_expected &= rig.breaker.try_acquire().ignore();
              { const auto dropped = rig.breaker.try_acquire(); }
              as_expected &= rig.breaker.try_acquire().record(Outcome::failure);
              as_expected &= !rig.breaker.try_acquire();
              rig.clock.advance(10s);
              auto lost = rig.breaker.try_acquire();
              rig.clock.advance(10s);
              auto probe = rig.breaker.try_acquire();
              as_expected &= !lost.success() && probe.success();
          }) == 0);
    CHECK(as_expected);
    CHECK(rig.breaker.state() == State::closed);
}

TEST_CASE("Allocations: none for commands and snapshots", "[registry]") {
    Rig rig;
    CHECK(allocations_of([&] {
              rig.breaker.trip();
              rig.breaker.disable();
              rig.breaker.force_open();
              rig.breaker.reset();
              (void)rig.breaker.snapshot();
          }) == 0);
}

TEST_CASE("Allocations: none for a call or its refusal", "[registry]") {
    Rig rig;
    CHECK(allocations_of([&] {
              (void)rig.breaker.call([] { return 42; });
              (void)rig.breaker.call([] {});
              (void)rig.breaker.call([] { return 42; }, [](int) { return Outcome::failure; });
              rig.breaker.trip();
              (void)rig.breaker.call([] { return 42; });
          }) == 0);
}

TEST_CASE("Allocations: none for a call through a pipeline, however it ends", "[registry]") {
    Rig rig;
    ManualClock clock;
    dashpot::QueuedBulkhead<ManualClock> queue{{.max_concurrent = 1, .max_queued = 1}, clock};
    dashpot::RateLimiter<ManualClock> limiter{{.permits = 1000, .per = 1s}, clock};
    dashpot::RetryBudget budget;
    const dashpot::Fallback zero{[](const dashpot::Refusal&) { return 0; }};
    const dashpot::Retry retry{.max_attempts = 3, .budget = &budget};
    const auto protect = dashpot::pipeline(zero, dashpot::Timeout{2s}, retry, limiter, rig.breaker,
                                           queue, dashpot::Timeout{500ms})
                             .with(clock);
    const dashpot::CallOptions late{.deadline = dashpot::Deadline{dashpot::Instant{}}};
    clock.advance(1s);
    const auto judged = [](int value) { return value < 0 ? Outcome::failure : Outcome::success; };
    int calls = 0;
    int sum = 0;
    CHECK(allocations_of([&] {
              sum += protect.call([&] { return ++calls; }, judged).value();
              sum += protect.call([&] { return ++calls < 3 ? -1 : 1; }, judged).value(); // a retry
              sum += protect.call(late, [&] { return ++calls; }, judged).value();
              const auto slot = queue.try_acquire();
              sum += protect.call([&] { return ++calls; }, judged).value(); // waits, and is refused
              rig.breaker.trip();
              sum += protect.call([&] { return ++calls; }, judged).value();
          }) == 0);
    CHECK(calls == 3);
    CHECK(sum == 2);
}

TEST_CASE("Allocations: none for permits of a rate limiter, nor for a thread that waits",
          "[registry]") {
    ManualClock clock;
    dashpot::RateLimiter<ManualClock> limiter{{.permits = 10, .per = 1s}, clock};
    dashpot::RateLimiter<ManualClock> locked{{.permits = 67, .per = 1001ns}, clock};
    dashpot::RateLimiter<> sleeping{{.permits = 1000, .per = 1s, .burst = 1}};
    bool as_expected = true;
    CHECK(allocations_of([&] {
              for (auto* each : {&limiter, &locked}) {
                  while (each->try_acquire()) {}
                  auto reservation = each->reserve(1s);
                  as_expected &= reservation && !each->try_acquire() && reservation.cancel();
                  as_expected &= each->snapshot().refused == 2 && each->available() == 0;
                  each->reconfigure({.permits = 5, .per = 1s});
              }
              for (int i = 0; i != 3; ++i) as_expected &= bool{sleeping.acquire(dashpot::Deadline{})};
          }) == 0);
    CHECK(as_expected);
}

TEST_CASE("Allocations: none for a retry budget", "[registry]") {
    dashpot::RetryBudget budget{{.ratio = 0.5, .capacity = 2}};
    bool as_expected = true;
    CHECK(allocations_of([&] {
              budget.deposit();
              as_expected &= budget.try_withdraw() && budget.try_withdraw() && !budget.try_withdraw();
              budget.deposit();
              budget.give_back();
              budget.reconfigure({.ratio = 0.1, .capacity = 1});
              as_expected &= budget.snapshot().balance == 1;
          }) == 0);
    CHECK(as_expected);
}

TEST_CASE("Allocations: none for a throttler, whether it refuses or not", "[registry]") {
    ManualClock clock;
    dashpot::Throttler<ManualClock> throttler{{}, clock};
    std::uint64_t refused = 0;
    CHECK(allocations_of([&] {
              for (int i = 0; i != 100; ++i) (void)throttler.try_acquire().success();
              for (int i = 0; i != 500; ++i) {
                  if (auto permit = throttler.try_acquire()) permit.failure();
                  clock.advance(10ms);
              }
              refused = throttler.snapshot().refused;
          }) == 0);
    CHECK(refused > 100);
}

TEST_CASE("Allocations: none through transitions that a listener receives", "[registry]") {
    Rig rig;
    int heard = 0;
    const auto first = rig.breaker.on_transition([&](const Transition&) { ++heard; });
    const auto second = rig.breaker.on_transition([&](const Transition&) { ++heard; });
    CHECK(allocations_of([&] {
              for (int i = 0; i != 100; ++i) {
                  rig.breaker.record_failure();
                  rig.breaker.record_failure();
                  rig.clock.advance(10s);
                  (void)rig.breaker.allow();
                  rig.breaker.record_success();
              }
          }) == 0);
    CHECK(heard == 600);
}

TEST_CASE("Allocations: none for sixteen events that wait for their listener", "[registry]") {
    Rig rig;
    int heard = 0;
    const auto meddling = rig.breaker.on_transition([&](const Transition&) {
        if (++heard != 1) return;
        for (int i = 0; i != 8; ++i) {
            rig.breaker.reset();
            rig.breaker.trip();
        }
    });
    CHECK(allocations_of([&] { rig.breaker.trip(); }) == 0);
    CHECK(heard == 17);
}

TEST_CASE("Allocations: the first listener of a registry costs the same however many targets there are",
          "[registry]") {
    Registry few;
    Registry many;
    (void)few.get("0");
    for (int i = 0; i != 1000; ++i) (void)many.get(std::to_string(i));
    dashpot::Subscription subscription;
    const auto listen_to = [&](Registry& registry) {
        return allocations_of(
            [&] { subscription = registry.on_transition([](std::string_view, const Transition&) {}); });
    };
    const std::size_t for_few = listen_to(few);
    CHECK(listen_to(many) == for_few);
    const auto core = many.get("0");
    CHECK(allocations_of([&] {
              core->breaker().trip();
              core->breaker().reset();
          }) == 0);
}

TEST_CASE("Allocations: a target costs the same with listeners of its registry and without",
          "[registry]") {
    Registry registry;
    // The least of many: a new name may also make a table of its shard grow, and chance chooses the
    // shard.
    const auto least_of_many = [&](const std::string& prefix) {
        std::size_t least = std::numeric_limits<std::size_t>::max();
        for (int i = 0; i != 100; ++i) {
            const std::string name = prefix + std::to_string(i);
            least = std::min(least, allocations_of([&] { (void)registry.get(name); }));
        }
        return least;
    };
    const std::size_t before = least_of_many("before");
    const auto subscription = registry.on_transition([](std::string_view, const Transition&) {});
    CHECK(least_of_many("after") == before);
}

TEST_CASE("Allocations: none for a bulkhead", "[registry]") {
    bool as_expected = true;
    CHECK(allocations_of([&] {
              Bulkhead bulkhead{1};
              auto permit = bulkhead.try_acquire();
              as_expected &= permit && !bulkhead.try_acquire();
              auto moved = std::move(permit);
              moved.release();
              bulkhead.resize(0);
              as_expected &= !bulkhead.try_acquire();
          }) == 0);
    CHECK(as_expected);
}

TEST_CASE("Allocations: none for entering a target, let in or refused", "[registry]") {
    ManualClock clock;
    dashpot::Target<ManualClock> target{
        "CORE",
        {.policy = {.threshold = 2}, .breaker = {.reset_timeout = 10s}, .max_concurrent = 1},
        clock};
    bool as_expected = true;
    CHECK(allocations_of([&] {
              auto entry = target.try_enter();
              as_expected &= entry && !target.try_enter();
              auto moved = std::move(entry);
              as_expected &= moved.failure();
              (void)target.call([] { return 42; }, [](int) { return Outcome::failure; });
              (void)target.call([] { return 42; }, [](int) { return Outcome::failure; });
              as_expected &= !target.try_enter();
              clock.advance(10s);
              as_expected &= target.try_enter().success();
          }) == 0);
    CHECK(as_expected);
}

TEST_CASE("Allocations: none for finding a target that exists, whatever the length of its name",
          "[registry]") {
    Registry targets{{}, {}, ManualClock{}};
    constexpr std::string_view long_name =
        "a name that is too long for the buffer inside a std::string";
    const auto made = targets.get(long_name);
    std::shared_ptr<Registry::target_type> found;
    CHECK(allocations_of([&] { found = targets.get(long_name); }) == 0);
    CHECK(found == made);
    CHECK(allocations_of([&] { found = targets.find(long_name); }) == 0);
    CHECK(allocations_of(
              [&] { found = targets.find("another name that is too long for its buffer"); }) == 0);
    CHECK(found == nullptr);
}

TEST_CASE("Allocations: none for an eviction, so that it cannot lose the options that a function gave",
          "[registry]") {
    Registry targets{{}, {}, ManualClock{}};
    const std::string name = "a name that is too long for the buffer inside a std::string";
    (void)targets.get(name,
                      [](std::string_view) { return dashpot::TargetOptions<>{.max_concurrent = 3}; });
    std::size_t evicted = 0;
    CHECK(allocations_of([&] { evicted = targets.evict_idle(); }) == 0);
    CHECK(evicted == 1);
    CHECK(targets.get(name)->bulkhead().max_concurrent() == 3);
}

TEST_CASE("Allocations: none for an event that reaches a registry's listener", "[registry]") {
    Registry targets{{}, {}, ManualClock{}};
    int heard = 0;
    const auto subscription =
        targets.on_transition([&](std::string_view, const Transition&) { ++heard; });
    const auto core = targets.get("CORE");
    CHECK(allocations_of([&] {
              for (int i = 0; i != 100; ++i) {
                  core->breaker().trip();
                  core->breaker().reset();
              }
          }) == 0);
    CHECK(heard == 200);
}
