// SPDX-License-Identifier: MIT
// Learned limits that climbed while idle, sank for good, or took the wrong calls for a signal.
#include <dashpot/guard/adaptive_limiter.hpp>
#include <dashpot/policy/aimd.hpp>
#include <dashpot/policy/vegas.hpp>
#include <dashpot/testing/manual_clock.hpp>

#include "catch.hpp"

#include <chrono>
#include <coroutine>
#include <cstdint>
#include <stdexcept>
#include <utility>
#include <vector>

namespace tests::field_cases_adaptive_limits {

using namespace std::chrono_literals;
using dashpot::AdaptiveLimiter;
using dashpot::Aimd;
using dashpot::Gradient;
using dashpot::Vegas;
using dashpot::testing::ManualClock;

namespace {

template <class P>
struct Rig {
    explicit Rig(P policy) : limiter{policy, clock} {}

    /// `calls` calls, `at_once` in flight, each taking `latency`.
    void calls(int calls, std::uint32_t at_once, std::chrono::nanoseconds latency) {
        for (int i = 0; i < calls; i += static_cast<int>(at_once)) {
            std::vector<typename AdaptiveLimiter<ManualClock, P>::Permit> permits;
            for (std::uint32_t one = 0; one != at_once; ++one) permits.push_back(limiter.try_acquire());
            clock.advance(latency);
            for (auto& permit : permits) permit.success();
        }
    }

    ManualClock clock;
    AdaptiveLimiter<ManualClock, P> limiter;
};

} // namespace

/// A call that waits until it is cancelled, which destroys what it holds.
class Suspended {
  public:
    struct promise_type {
        Suspended get_return_object() {
            return Suspended{std::coroutine_handle<promise_type>::from_promise(*this)};
        }
        std::suspend_never initial_suspend() noexcept { return {}; }
        std::suspend_always final_suspend() noexcept { return {}; }
        void return_void() {}
        void unhandled_exception() { throw; }
    };
    explicit Suspended(std::coroutine_handle<promise_type> handle) : handle_{handle} {}
    Suspended(Suspended&& other) noexcept : handle_{std::exchange(other.handle_, nullptr)} {}
    ~Suspended() {
        if (handle_) handle_.destroy();
    }

  private:
    std::coroutine_handle<promise_type> handle_;
};

Suspended hold(AdaptiveLimiter<ManualClock, Aimd>& limiter) {
    const auto permit = limiter.try_acquire();
    co_await std::suspend_always{};
}

TEMPLATE_TEST_CASE("AdaptiveLimiter: the limit does not climb while it is not used", "", Gradient,
                   Vegas, Aimd) {
    Rig<TestType> rig{TestType{.initial = 20, .max = 200}};
    rig.calls(10'000, 1, 10ms);
    CHECK(rig.limiter.limit() == 20);
    for (int minute = 0; minute != 8 * 60; ++minute) {
        rig.clock.advance(1min);
        rig.calls(1, 1, 10ms);
    }
    CHECK(rig.limiter.limit() == 20);
}

TEMPLATE_TEST_CASE(
    "AdaptiveLimiter: fast rejections do not become the fastest answers, and refusals and "
    "ignored calls are no samples",
    "", Gradient, Vegas) {
    Rig<TestType> rig{TestType{.initial = 20, .min = 10}};
    rig.calls(2000, 5, 10ms);
    const std::uint32_t before = rig.limiter.limit();
    for (int i = 0; i != 50; ++i) { // the caller's own errors, and calls that were given up
        auto permit = rig.limiter.try_acquire();
        rig.clock.advance(1us);
        permit.ignore();
    }
    CHECK(rig.limiter.limit() == before);
    for (int i = 0; i != 50; ++i) {
        auto permit = rig.limiter.try_acquire();
        rig.clock.advance(100us);
        permit.failure();
    }
    CHECK(rig.limiter.limit() == 10);
    for (int i = 0; i != 100; ++i) rig.calls(1000, rig.limiter.limit(), 11ms);
    CHECK(rig.limiter.limit() > 20); // 11 ms are no queue beside 10 ms
}

TEST_CASE("AdaptiveLimiter: slots come back however their holder leaves") {
    Rig<Aimd> rig{{.initial = 4}};
    CHECK_THROWS_AS(
        [&] {
            const auto permit = rig.limiter.try_acquire();
            throw std::runtime_error{"no answer"};
        }(),
        std::runtime_error);
    { const auto cancelled = hold(rig.limiter); }
    (void)rig.limiter.try_acquire();
    rig.limiter.try_acquire().release();
    CHECK(rig.limiter.in_flight() == 0);
    CHECK(rig.limiter.limit() == 4); // an exception is no sign of overload
}

TEMPLATE_TEST_CASE(
    "AdaptiveLimiter: the limit stays in its range, and does not fall for reaching the end "
    "of it",
    "", Gradient, Vegas, Aimd) {
    Rig<TestType> rig{TestType{.initial = 20, .min = 3, .max = 50}};
    for (int i = 0; i != 100; ++i) rig.calls(200, rig.limiter.limit(), 10ms);
    for (int i = 0; i != 1000; ++i) {
        if (rig.limiter.limit() == 50) break;
        rig.calls(5000, rig.limiter.limit(), 10ms);
    }
    CHECK(rig.limiter.limit() == 50);
    CHECK_THROWS_AS(Rig<TestType>{TestType({.initial = 15, .min = 20, .max = 10})},
                    std::invalid_argument);
    CHECK_THROWS_AS(Rig<TestType>{TestType({.initial = 9, .min = 10})}, std::invalid_argument);
}

} // namespace tests::field_cases_adaptive_limits
