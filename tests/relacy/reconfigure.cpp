// SPDX-License-Identifier: MIT
#include "schedules.hpp"

#include <dashpot/guard/circuit_breaker.hpp>
#include <dashpot/policy/consecutive_failures.hpp>
#include <dashpot/policy/count_window.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>

using namespace schedules;
using dashpot::BreakerOptions;
using dashpot::ConsecutiveFailures;
using dashpot::CountWindow;
using dashpot::SlowCalls;
using dashpot::State;
using std::chrono::nanoseconds;

namespace {

constexpr CountWindow window(std::uint32_t size, std::optional<std::int64_t> longer_than) {
    CountWindow policy{.size = size, .minimum_calls = size, .failure_rate = 1.0};
    if (longer_than) policy.slow_calls = SlowCalls{nanoseconds{*longer_than}, 1.0};
    return policy;
}

/// One thread changes the policy, and says when it begins and when it has done so.
template <class Derived, class P>
struct Changing : Program<Derived, 2> {
    using Breaker = dashpot::CircuitBreaker<Clock, P>;

    Changing(const P& policy, const BreakerOptions& options)
        : breaker{std::make_unique<Breaker>(policy, options)} {
        Time::start();
    }

    void change(const P& policy, const BreakerOptions& options) {
        has_begun.store(true, std::memory_order_release);
        breaker->reconfigure(policy, options);
        is_done.store(true, std::memory_order_release);
    }

    /// A success that took 5; counted as surely judged by the old policy, or surely by the new.
    void succeed() {
        const bool is_by_new = is_done.load(std::memory_order_acquire);
        breaker->record_success(nanoseconds{5});
        by_new += is_by_new;
        by_old += !has_begun.load(std::memory_order_acquire);
    }

    std::unique_ptr<Breaker> breaker;
    dashpot::threading::atomic<bool> has_begun{false}, is_done{false};
    std::uint64_t by_old = 0, by_new = 0;
};

/// Each call is slow by the limit in force, though it is left in a stripe without the lock.
struct LimitOfItsOpening : Changing<LimitOfItsOpening, CountWindow> {
    LimitOfItsOpening() : Changing{window(16, 9), {}} {}

    void thread(unsigned i) {
        if (i == 0) {
            for (int n = 0; n != 3; ++n) succeed();
        } else {
            change(window(16, 3), {});
            changed = breaker->snapshot();
        }
    }
    void after() {
        const auto seen = breaker->snapshot();
        HOLDS(seen.calls == 3);
        HOLDS(seen.slow >= by_new);
        HOLDS(seen.slow <= 3 - by_old);
        HOLDS(seen.slow - changed.slow == seen.calls - changed.calls); // all that came after that look
    }
    dashpot::Snapshot changed;
};

/// The same while the limit is lifted: stripes are open before, and those who look see no limit at all.
struct LimitIsLifted : Changing<LimitIsLifted, CountWindow> {
    LimitIsLifted() : Changing{window(16, 3), {}} {}

    void thread(unsigned i) {
        if (i == 0) {
            for (int n = 0; n != 3; ++n) succeed();
        } else {
            change(window(16, 9), {});
            breaker->record_success(nanoseconds{5});
        }
    }
    void after() {
        const auto seen = breaker->snapshot();
        HOLDS(seen.calls == 4);
        HOLDS(seen.slow >= by_old);
        HOLDS(seen.slow <= 3 - by_new);
    }
};

/// Who finds a breaker quiet was judged by a policy that has no slow calls.
struct QuietEnds : Changing<QuietEnds, CountWindow> {
    QuietEnds() : Changing{window(3, std::nullopt), {}} {}

    void before() {
        for (int n = 0; n != 3; ++n) breaker->record_success();
        HOLDS(breaker->snapshot().calls == 3);
    }
    void thread(unsigned i) {
        if (i == 0) {
            succeed();
            succeed();
        } else {
            change(window(3, 3), {});
        }
    }
    void after() {
        const auto seen = breaker->snapshot();
        HOLDS(seen.slow >= by_new);
        HOLDS(seen.slow <= 2 - by_old);
    }
};

/// A permit that was timed is measured, though nobody asked for its length at the first look.
struct MeasuredLate : Changing<MeasuredLate, CountWindow> {
    MeasuredLate() : Changing{window(16, 9), {}} {}
    std::optional<Breaker::Permit> permit;

    void before() {
        permit.emplace(breaker->try_acquire());
        breaker->reconfigure(window(16, std::nullopt), {});
        Time::now = 5;
    }
    void thread(unsigned i) {
        if (i == 1) {
            change(window(16, 3), {});
            changed = breaker->snapshot();
            return;
        }
        const bool is_by_new = is_done.load(std::memory_order_acquire);
        HOLDS(permit->success());
        by_new += is_by_new;
        by_old += !has_begun.load(std::memory_order_acquire);
    }
    void after() {
        const auto seen = breaker->snapshot();
        HOLDS(seen.calls == 1);
        HOLDS(seen.slow >= by_new);
        HOLDS(seen.slow <= 1 - by_old);
        HOLDS(seen.slow - changed.slow == seen.calls - changed.calls); // if it came after that look
    }
    dashpot::Snapshot changed;
};

/// No success is lost or counted twice when another window takes over.
struct NoneIsLost : Changing<NoneIsLost, CountWindow> {
    NoneIsLost() : Changing{window(16, std::nullopt), {}} {}

    void thread(unsigned i) {
        if (i == 0) {
            for (int n = 0; n != 3; ++n) breaker->record_success();
        } else {
            breaker->record_failure();
            change(window(8, std::nullopt), {});
        }
    }
    void after() {
        const auto seen = breaker->snapshot();
        HOLDS(seen.calls == 4);
        HOLDS(seen.failures == 1);
    }
};

/// A refusal in OPEN names what is left of the old wait or of the new one, and once that is in force,
/// of that.
struct WaitChanges : Changing<WaitChanges, ConsecutiveFailures> {
    WaitChanges() : Changing{{.threshold = 1}, {.reset_timeout = nanoseconds{10}}} {}

    void before() {
        breaker->trip();
        Time::now = 4;
    }
    void thread(unsigned i) {
        if (i != 0) return change({.threshold = 1}, {.reset_timeout = nanoseconds{20}});
        bool was_new = false;
        for (int n = 0; n != 2; ++n) {
            const bool is_new = is_done.load(std::memory_order_acquire) || was_new;
            const auto mine = breaker->try_acquire();
            HOLDS(!mine);
            const auto left = mine.refusal().retry_after.value().count();
            HOLDS(left == 16 || (left == 6 && !is_new));
            was_new = left == 16;
            HOLDS(breaker->retry_after().count() == 16 || !was_new);
        }
    }
};

/// A shorter wait lets the next caller in, and one of two gets the probe.
struct WaitEnds : Changing<WaitEnds, ConsecutiveFailures> {
    WaitEnds() : Changing{{.threshold = 1}, {.reset_timeout = nanoseconds{10}}} {}
    std::optional<Breaker::Permit> permits[2];

    void before() {
        breaker->trip();
        Time::now = 4;
    }
    void thread(unsigned i) {
        if (i == 1) change({.threshold = 1}, {.reset_timeout = nanoseconds{3}});
        permits[i].emplace(breaker->try_acquire());
    }
    void after() {
        HOLDS(bool{*permits[0]} + bool{*permits[1]} == 1);
        HOLDS(breaker->state() == State::half_open);
    }
};

} // namespace

int main(int argc, char** argv) {
    using enum Search::Kind;
    return run(argc, argv,
               {{"limit of its opening", holds<LimitOfItsOpening>, {bound, 3}, {bound, 5}},
                {"limit is lifted", holds<LimitIsLifted>, {bound, 3}, {bound, 5}},
                {"quiet ends", holds<QuietEnds>, {bound, 4}, {every}},
                {"measured late", holds<MeasuredLate>, {bound, 4}, {every}},
                {"none is lost", holds<NoneIsLost>, {bound, 4}, {bound, 5}},
                {"wait changes", holds<WaitChanges>, {bound, 4}, {every}},
                {"wait ends", holds<WaitEnds>, {bound, 4}, {every}}},
               {{"unmeasured_calls_are_quick", "measured late"},
                {"quiet_while_slow_calls_are_judged", "quiet ends"},
                {"gate_keeps_the_old_wait", "wait changes"}});
}
