// SPDX-License-Identifier: MIT
// The whole life of a breaker and a bulkhead, built with -fno-exceptions -fno-rtti. The header
// below includes every header of core/, policy/, guard/, pipeline/ and testing/.
#include "headers_without_exceptions.hpp"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <stop_token>
#include <vector>

#if DASHPOT_EXCEPTIONS
#error "this program is about living without exceptions"
#endif

namespace {

using namespace std::chrono_literals;
using dashpot::State;
using Clock = dashpot::testing::ManualClock;
using Breaker = dashpot::CircuitBreaker<Clock>;

void expect(bool holds, const char* what) {
    if (holds) return;
    std::fprintf(stderr, "does not hold: %s\n", what);
    std::exit(1);
}

void opens_probes_and_closes() {
    Clock clock;
    Breaker breaker{{.threshold = 2}, {.reset_timeout = 10s}, clock};
    std::vector<State> seen;
    const auto subscription =
        breaker.on_transition([&](const dashpot::Transition& t) { seen.push_back(t.to); });

    for (int i = 0; i < 2; ++i) {
        expect(breaker.allow(), "closed allows");
        breaker.record_failure();
    }
    expect(breaker.state() == State::open, "opens at the threshold");
    expect(!breaker.allow(), "open refuses");
    expect(breaker.retry_after() == 10s, "open says how long");

    clock.advance(10s);
    auto probe = breaker.try_acquire();
    expect(bool(probe), "the first caller after the wait is the probe");
    auto second = breaker.try_acquire();
    expect(!second && second.refusal().reason == dashpot::Error::probes_in_flight,
           "there is one probe");
    expect(probe.success(), "the probe counts");
    expect(seen == std::vector{State::open, State::half_open, State::closed}, "events come in order");
}

void call_gives_a_value_or_a_refusal() {
    Breaker breaker{{.threshold = 1}, {}, Clock{}};
    const auto value = breaker.call([] { return 42; });
    expect(value.has_value() && *value == 42, "a call returns what its function returned");
    (void)breaker.call([] { return 5; }, [](int) { return dashpot::Outcome::failure; });
    const auto refused = breaker.call([] { return 6; });
    expect(!refused.has_value() && refused.error().reason == dashpot::Error::circuit_open,
           "a refusal is a value");
}

void bulkhead_holds_its_limit() {
    dashpot::Bulkhead bulkhead{1};
    auto permit = bulkhead.try_acquire();
    expect(bool(permit) && bulkhead.in_flight() == 1, "a free slot is given");
    expect(!bulkhead.try_acquire(), "a full bulkhead refuses");
    permit.release();
    expect(bulkhead.in_flight() == 0, "a released slot is free");
}

void rate_limiter_waits_and_refuses() {
    Clock clock;
    dashpot::RateLimiter<Clock> limiter{{.permits = 10, .per = 1s, .burst = 1}, clock};
    expect(bool(limiter.try_acquire()), "a full bucket grants");
    const auto refused = limiter.try_acquire();
    expect(!refused && refused.refusal().retry_after == 100ms, "an empty one says how long");
    auto reservation = limiter.reserve(1s);
    expect(reservation && reservation.wait() == 100ms && reservation.cancel(), "a place is given back");
    expect(bool(limiter.acquire(dashpot::Deadline{})), "acquire waits");
    expect(clock.now() == dashpot::Instant{100ms}, "for as long as it takes");
    limiter.reconfigure({.permits = 1, .per = 1s});
    expect(limiter.limit().permits == 1, "the limit changes");
}

void retry_budget_pays_for_what_succeeded() {
    dashpot::RetryBudget budget{{.ratio = 0.5, .capacity = 1}};
    expect(budget.try_withdraw() && !budget.try_withdraw(), "it starts full");
    budget.deposit();
    budget.deposit();
    expect(budget.balance() == 1.0, "it earns on success");
}

void queue_hands_its_slot_over() {
    struct Waiting : dashpot::Waiter {
        void granted(dashpot::QueuePermit slot) noexcept override {
            slot.release();
            ++grants;
        }
        void refused(dashpot::Refusal) noexcept override { ++refusals; }
        int grants = 0;
        int refusals = 0;
    } first, second;
    Clock clock;
    dashpot::QueuedBulkhead<Clock> queue{{.max_concurrent = 1, .max_wait = 1s}, clock};
    auto permit = queue.acquire();
    queue.enqueue(first, dashpot::Deadline{clock.now() + 10ms});
    queue.enqueue(second);
    expect(queue.queued() == 2, "callers wait");
    clock.advance(10ms);
    permit.release();
    expect(first.refusals == 1 && second.grants == 1, "a slot goes to a caller that still waits");
    expect(queue.acquire(dashpot::Deadline{clock.now()}).refusal() == dashpot::Error::deadline_exceeded,
           "a deadline that has passed refuses");
}

void limiter_learns() {
    Clock clock;
    dashpot::AdaptiveLimiter<Clock, dashpot::Aimd> limiter{{.initial = 2}, clock};
    auto first = limiter.try_acquire();
    auto second = limiter.try_acquire();
    expect(!limiter.try_acquire(dashpot::Priority::high), "a full limiter refuses");
    expect(first.failure() && limiter.limit() == 1 && limiter.in_flight() == 1,
           "a drop lowers the limit");
    expect(second.success(), "an admitted call counts");
}

void pipeline_tries_again_and_falls_back() {
    Clock clock;
    Breaker breaker{{.threshold = 2}, {.reset_timeout = 10s}, clock};
    int handled = 0;
    const dashpot::Fallback cached{[&](const auto&) { return ++handled, 9; }};
    const auto protect =
        dashpot::pipeline(cached, dashpot::Timeout{1min}, dashpot::Retry{.max_attempts = 2, .wait = 1s},
                          breaker, dashpot::Timeout{5s})
            .with(clock);
    const auto negative_fails = [](int value) {
        return value < 0 ? dashpot::Outcome::failure : dashpot::Outcome::success;
    };
    int calls = 0;
    const auto reply = protect.call(
        [&](const dashpot::Attempt& attempt) {
            expect(attempt.remaining() == 5s, "each attempt has its own timeout");
            return ++calls == 1 ? -1 : 1;
        },
        negative_fails);
    expect(reply.has_value() && *reply == 1 && calls == 2, "a failure is tried again");
    expect(clock.now() == dashpot::Instant{1s}, "after the wait");
    expect(protect.call([] { return -1; }, negative_fails).value() == 9, "a failed value is answered");
    expect(protect.call([] { return 1; }).value() == 9, "a refusal is answered");
    expect(handled == 2 && breaker.state() == State::open, "the breaker recorded the failures");
    std::stop_source source;
    source.request_stop();
    expect(protect.call({.stop = source.get_token()}, [] { return 1; }).error() ==
               dashpot::Error::cancelled,
           "a stopped call is cancelled");
}

void throttler_refuses_a_share() {
    Clock clock;
    dashpot::Throttler<Clock> throttler{{.minimum_calls = 10}, clock};
    for (int i = 0; i != 10; ++i) expect(throttler.try_acquire().failure(), "few calls are admitted");
    int refused = 0;
    for (int i = 0; i != 10; ++i) refused += throttler.try_acquire() ? 0 : 1;
    expect(refused == 9, "then nine of ten are refused");
}

} // namespace

int main() {
    opens_probes_and_closes();
    call_gives_a_value_or_a_refusal();
    bulkhead_holds_its_limit();
    rate_limiter_waits_and_refuses();
    retry_budget_pays_for_what_succeeded();
    queue_hands_its_slot_over();
    limiter_learns();
    pipeline_tries_again_and_falls_back();
    throttler_refuses_a_share();
    std::puts("works without exceptions");
}
