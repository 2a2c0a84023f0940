// SPDX-License-Identifier: MIT
#include <dashpot/guard/circuit_breaker.hpp>
#include <dashpot/testing/manual_clock.hpp>

#include "catch.hpp"

#include <chrono>
#include <cstdint>
#include <set>

#if !defined(_WIN32)
#include <sys/wait.h>
#include <unistd.h>

namespace tests::guard_circuit_breaker_forked {

using namespace std::chrono_literals;
using dashpot::CircuitBreaker;
using dashpot::ExponentialBackoff;
using dashpot::testing::ManualClock;

namespace {

constexpr int workers = 8;

/// The waits that the workers of a server draw which made its breaker before it forked, all of them at
/// the same instant of the breaker's clock. `open` opens the breaker, in each worker.
template <class Open>
std::set<std::int64_t> waits_of_workers(const ExponentialBackoff& backoff, bool is_open_before,
                                        const Open& open) {
    CircuitBreaker<ManualClock> breaker{{.threshold = 1}, {.reset_timeout = backoff}, ManualClock{}};
    if (is_open_before) breaker.trip();
    int ends[2];
    REQUIRE(::pipe(ends) == 0);
    for (int worker = 0; worker != workers; ++worker) {
        const ::pid_t child = ::fork();
        REQUIRE(child >= 0);
        if (child != 0) continue;
        open(breaker);
        const std::int64_t wait = breaker.retry_after().count();
        ::_exit(::write(ends[1], &wait, sizeof wait) == sizeof wait ? 0 : 1);
    }
    std::set<std::int64_t> waits;
    for (int worker = 0; worker != workers; ++worker) {
        int status = -1;
        REQUIRE(::wait(&status) > 0);
        REQUIRE(status == 0);
        std::int64_t wait = 0;
        REQUIRE(::read(ends[0], &wait, sizeof wait) == sizeof wait);
        waits.insert(wait);
    }
    ::close(ends[0]);
    ::close(ends[1]);
    return waits;
}

constexpr ExponentialBackoff jittered{.initial = 1h, .factor = 1.0, .cap = 1h, .jitter = 0.5};

} // namespace

TEST_CASE("CircuitBreaker: forked workers draw waits of their own, also at the same instant",
          "[guard]") {
    const auto fail = [](auto& breaker) { breaker.record_failure(); };
    CHECK(waits_of_workers(jittered, false, fail).size() == workers);
}

TEST_CASE("CircuitBreaker: forked workers draw waits of their own by reconfigure()", "[guard]") {
    const auto longer = [](auto& breaker) {
        breaker.reconfigure({.threshold = 1},
                            {.reset_timeout = ExponentialBackoff{
                                 .initial = 2h, .factor = 1.0, .cap = 2h, .jitter = 0.5}});
    };
    CHECK(waits_of_workers(jittered, true, longer).size() == workers);
}

TEST_CASE("CircuitBreaker: forked workers draw the same wait by a seed", "[guard]") {
    auto seeded = jittered;
    seeded.seed = 7;
    CHECK(waits_of_workers(seeded, false, [](auto& breaker) { breaker.record_failure(); }).size() == 1);
}

} // namespace tests::guard_circuit_breaker_forked
#endif
