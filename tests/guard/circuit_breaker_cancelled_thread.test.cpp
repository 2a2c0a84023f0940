// SPDX-License-Identifier: MIT
// A thread that is cancelled while it is in a call: its stack unwinds, by an exception that is no C++
// object and must not be swallowed.
#include "catch.hpp"

#include <dashpot/guard/circuit_breaker.hpp>
#include <dashpot/testing/manual_clock.hpp>

// With LLVM's libunwind even an empty program crashes that has a destructor and cancels a thread: glibc
// unwinds by libgcc's, and the two do not know each other's contexts.
#if defined(__linux__) && !defined(_LIBCPP_VERSION)

#include <exception>
#include <functional>
#include <semaphore>

#include <pthread.h>
#include <unistd.h>

using dashpot::Outcome;
using dashpot::State;
using Breaker = dashpot::CircuitBreaker<dashpot::testing::ManualClock>;

namespace {

/// Cancels a thread while it runs `body(wait_for_ever)`.
void cancel_within(std::function<void(const std::function<int()>&)> body) {
    struct Job {
        std::function<void(const std::function<int()>&)> body;
        std::binary_semaphore waits{0};
    } job{std::move(body)};
    pthread_t thread{};
    REQUIRE(pthread_create(
                &thread, nullptr,
                [](void* data) -> void* {
                    auto& own = *static_cast<Job*>(data);
                    own.body([&own]() -> int {
                        own.waits.release();
                        for (;;) pause(); // a point of cancellation
                    });
                    return nullptr;
                },
                &job) == 0);
    job.waits.acquire();
    REQUIRE(pthread_cancel(thread) == 0);
    void* result = nullptr;
    REQUIRE(pthread_join(thread, &result) == 0);
    CHECK(result == PTHREAD_CANCELED);
}

} // namespace

TEST_CASE("A call: whose thread is cancelled is a failure, as for any unwinding", "[guard]") {
    Breaker breaker{{.threshold = 1}};
    cancel_within([&](const std::function<int()>& wait) { (void)breaker.call(wait); });
    CHECK(breaker.state() == State::open);
}

TEST_CASE("A call: a classifier is not asked about the cancellation of its thread", "[guard]") {
    Breaker breaker{{.threshold = 1}};
    bool was_asked = false;
    cancel_within([&](const std::function<int()>& wait) {
        (void)breaker.call(wait, [&](const std::exception_ptr&) {
            was_asked = true;
            return Outcome::ignored;
        });
    });
    CHECK_FALSE(was_asked);
    CHECK(breaker.state() == State::open);
}

#endif
