// SPDX-License-Identifier: MIT
#include "schedules.hpp"

#include <dashpot/guard/circuit_breaker.hpp>
#include <dashpot/policy/consecutive_failures.hpp>
#include <dashpot/policy/count_window.hpp>
#include <dashpot/policy/time_window.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>

using namespace schedules;
using dashpot::BreakerOptions;
using dashpot::State;
using std::chrono::nanoseconds;

namespace {

/// A breaker that counts every success, so that none may be dropped as without effect.
template <class Derived, int threads, class Policy>
struct Counting : Program<Derived, threads> {
    using Breaker = dashpot::CircuitBreaker<Clock, Policy>;

    explicit Counting(Policy policy)
        : made{std::make_unique<Breaker>(policy, BreakerOptions{.count_totals = true}, Clock{})},
          breaker{*made} {
        Time::start();
    }
    std::uint64_t successes_in_all() const { return breaker.snapshot().totals->successes; }

    std::unique_ptr<Breaker> made;
    Breaker& breaker;
};

constexpr dashpot::CountWindow never_opens{.size = 16, .minimum_calls = 16, .failure_rate = 1.0};

/// Successes that wait in the stripes are collected by whoever changes something: each once.
template <int threads>
struct EachOnce : Counting<EachOnce<threads>, threads, dashpot::CountWindow> {
    EachOnce() : EachOnce::Counting{never_opens} {}

    void thread(unsigned i) {
        this->breaker.record_success(); // takes the lock and opens this thread's stripe
        this->breaker.record_success();
        if (i == 0) this->breaker.record_failure();
    }
    void after() {
        const auto seen = this->breaker.snapshot();
        HOLDS(seen.calls == 2 * threads + 1);
        HOLDS(seen.failures == 1);
        HOLDS(seen.totals->successes == 2 * threads);
    }
};

/// The same while somebody only looks, which collects too.
struct ALookTakesNone : Counting<ALookTakesNone, 2, dashpot::CountWindow> {
    ALookTakesNone() : Counting{never_opens} {}

    void thread(unsigned i) {
        if (i == 0) {
            for (int n = 0; n != 3; ++n) breaker.record_success();
        } else {
            const auto seen = breaker.snapshot();
            HOLDS(seen.calls == seen.totals->successes);
        }
    }
    void after() {
        HOLDS(breaker.snapshot().calls == 3);
        HOLDS(successes_in_all() == 3);
    }
};

/// A success counts in its own generation or not at all, and its caller is told which.
struct InItsGeneration : Counting<InItsGeneration, 2, dashpot::CountWindow> {
    InItsGeneration() : Counting{never_opens} {}
    std::optional<Breaker::Permit> permits[2];
    std::uint64_t counted = 0;

    void before() {
        for (auto& permit : permits) permit.emplace(breaker.try_acquire());
    }
    void thread(unsigned i) {
        if (i == 0) {
            for (auto& permit : permits) counted += permit->success();
        } else {
            breaker.reset();
        }
    }
    void after() {
        HOLDS(breaker.snapshot().calls == 0); // all were taken before the reset
        HOLDS(successes_in_all() == counted);
    }
};

/// The stripe is open in the new generation too, when the old one's success comes.
struct NotInTheNext : Counting<NotInTheNext, 2, dashpot::CountWindow> {
    NotInTheNext() : Counting{never_opens} {}
    std::optional<Breaker::Permit> late;
    bool counted = false;

    void before() { late.emplace(breaker.try_acquire()); }
    void thread(unsigned i) {
        if (i == 0) {
            breaker.record_success(); // opens this thread's stripe, in either generation
            counted = late->success();
        } else {
            breaker.reset();
        }
    }
    void after() {
        const auto seen = breaker.snapshot();
        HOLDS(seen.calls <= 1); // the first, if it came after the reset
        HOLDS(seen.totals->successes == 1 + std::uint64_t{counted});
    }
};

/// A time window holds each success in the bucket of the moment that was read for it.
struct InItsBucket : Counting<InItsBucket, 2, dashpot::TimeWindow> {
    InItsBucket()
        : Counting{dashpot::TimeWindow{
              .length = nanoseconds{20}, .buckets = 2, .minimum_calls = 100, .failure_rate = 1.0}} {}
    int in_second_bucket = 0;

    void thread(unsigned i) {
        if (i == 0) {
            for (int n = 0; n != 3; ++n) {
                breaker.record_success();
                in_second_bucket += Time::last_read[0] >= 10;
            }
        } else {
            Time::now = 15;
            breaker.record_failure();
        }
    }
    void after() {
        HOLDS(successes_in_all() == 3);
        Time::now = 25; // the first bucket is forgotten
        const auto seen = breaker.snapshot();
        HOLDS(seen.failures == 1);
        // The window's clock never steps back: what was read before, but told after the failure, is
        // told as of then.
        HOLDS(seen.calls >= 1 + static_cast<std::uint64_t>(in_second_bucket));
        HOLDS(seen.calls <= 4);
    }
};

/// A success that comes after a failure ends the run, however quiet the breaker was just before.
struct QuietIsNotStale : Program<QuietIsNotStale, 2> {
    using Breaker = dashpot::CircuitBreaker<Clock, dashpot::ConsecutiveFailures>;
    std::unique_ptr<Breaker> breaker =
        std::make_unique<Breaker>(dashpot::ConsecutiveFailures{.threshold = 2});
    dashpot::threading::atomic<bool> has_failed{false};

    void before() { Time::start(); }
    void thread(unsigned i) {
        if (i == 0) {
            breaker->record_failure();
            has_failed.store(true, std::memory_order_release);
        } else if (has_failed.load(std::memory_order_acquire)) {
            auto permit = breaker->try_acquire();
            HOLDS(permit.success());
            breaker->record_failure(); // the first of a new run
            HOLDS(breaker->state() == State::closed);
        }
    }
};

/// Two failures in a row open it, one of each thread; a success between them does not get lost.
struct QuietAndFailures : Program<QuietAndFailures, 2> {
    using Breaker = dashpot::CircuitBreaker<Clock, dashpot::ConsecutiveFailures>;
    std::unique_ptr<Breaker> breaker =
        std::make_unique<Breaker>(dashpot::ConsecutiveFailures{.threshold = 2});

    void before() { Time::start(); }
    void thread(unsigned i) {
        auto permit = breaker->try_acquire();
        if (i == 0) {
            HOLDS(permit.failure());
            (void)breaker->try_acquire().failure();
        } else {
            // No other success, so: before both failures, between them, or too late.
            const bool counted = permit.success();
            HOLDS(counted || breaker->state() == State::open);
        }
    }
    void after() {
        const auto seen = breaker->snapshot();
        HOLDS(seen.state == State::open ? seen.failures == 2 : seen.failures == 1);
    }
};

} // namespace

int main(int argc, char** argv) {
    using enum Search::Kind;
    using enum Mistake::Kind;
    return run(
        argc, argv,
        {{"each once", holds<EachOnce<2>>, {bound, 4}, {bound, 5}},
         {"each once of three", holds<EachOnce<3>>, {random, 20'000}, {random, 1'000'000}},
         {"a look takes none", holds<ALookTakesNone>, {bound, 4}, {bound, 5}},
         {"in its generation", holds<InItsGeneration>, {bound, 5}, {every}},
         {"not in the next", holds<NotInTheNext>, {bound, 4}, {bound, 5}},
         {"in its bucket", holds<InItsBucket>, {bound, 4}, {bound, 6}},
         {"quiet is not stale", holds<QuietIsNotStale>, {every}, {every}},
         {"quiet and failures", holds<QuietAndFailures>, {bound, 4}, {bound, 6}}},
        {{"collected_in_two_steps", "each once", {torn, "call_stripes.hpp", "collect", "exchange"}},
         {"left_in_two_steps",
          "each once",
          {torn, "call_stripes.hpp", "leave_success", "compare_exchange"}},
         {"stripe_is_looked_at_relaxed",
          "in its generation",
          {relaxed, "call_stripes.hpp", "leave_success", "load"}},
         {"stripe_is_opened_relaxed",
          "in its generation",
          {relaxed, "call_stripes.hpp", "open", "store"}},
         {"success_is_left_relaxed",
          "in its generation",
          {relaxed, "call_stripes.hpp", "leave_success", "compare_exchange"}},
         {"left_past_its_bucket", "in its bucket"},
         {"left_in_a_shut_stripe", "each once"}});
}
