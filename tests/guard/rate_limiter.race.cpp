// SPDX-License-Identifier: MIT
#include <dashpot/guard/rate_limiter.hpp>
#include <dashpot/testing/manual_clock.hpp>

#include "catch.hpp"
#include "guard/race.hpp"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <thread>
#include <vector>

namespace tests::guard_rate_limiter_race {

using namespace std::chrono_literals;
using dashpot::Deadline;
using dashpot::Error;
using dashpot::Instant;
using dashpot::RateLimit;
using dashpot::testing::ManualClock;
using Limiter = dashpot::RateLimiter<ManualClock>;

namespace {

const RateLimit in_a_word{.permits = 1000, .per = 1s, .burst = 10};
const RateLimit under_the_lock{.permits = 1000, .per = 1'000'003us, .burst = 10};

/// A clock that lets threads sleep until a test moves it, or wakes them.
class SlowClock : public ManualClock {
  public:
    void sleep_until(time_point at, const std::stop_token& stop) const {
        while (now() < at && !stop.stop_requested()) std::this_thread::yield();
    }
};

} // namespace

TEST_CASE("RateLimiter: threads together get what the time has earned, to the permit") {
    const RateLimit& limit = GENERATE(true, false) ? in_a_word : under_the_lock;
    ManualClock clock;
    Limiter limiter{limit, clock};
    std::atomic<std::uint64_t> granted{0};
    std::atomic<std::uint64_t> refused{0};
    std::atomic<int> at_work{4};
    race::together(5, [&](std::size_t i) {
        if (i == 0) {
            while (at_work != 0) clock.advance(1777ns);
            return;
        }
        for (int turn = 0; turn != 20'000; ++turn) {
            const std::uint32_t wanted = 1 + static_cast<std::uint32_t>(turn) % 3;
            if (const auto permit = limiter.try_acquire(wanted)) {
                granted += wanted;
            } else {
                ++refused;
                if (permit.refusal().retry_after > limit.per) granted += 1'000'000;
            }
        }
        --at_work;
    });
    // What is left now, too: no permit was lost, and none was granted twice.
    while (limiter.try_acquire()) ++granted;
    ++refused;
    CHECK(limiter.refused() == refused);
    const auto earned = static_cast<std::uint64_t>(clock.now().time_since_epoch().count()) * 1000 /
                        static_cast<std::uint64_t>(limit.per.count());
    CHECK(granted <= earned + 10);
}

TEST_CASE("RateLimiter: as many threads as there are permits get one, however many ask at once") {
    const RateLimit& limit = GENERATE(true, false) ? in_a_word : under_the_lock;
    constexpr std::size_t threads = 16;
    ManualClock clock;
    Limiter limiter{limit, clock};
    std::atomic<int> granted{0};
    race::in_rounds(
        threads, 1000,
        [&] {
            granted = 0;
            clock.advance(1h);
        },
        [&](std::size_t) { granted += limiter.try_acquire() ? 1 : 0; }, [&] { CHECK(granted == 10); });
}

TEST_CASE("RateLimiter: no permit is refused while there is one for each thread") {
    ManualClock clock;
    Limiter limiter{{.permits = 4'000'000'000, .per = 1s, .burst = 4'000'000'000}, clock};
    std::atomic<int> refused{0};
    race::together(8, [&](std::size_t) {
        for (int turn = 0; turn != 50'000; ++turn) refused += limiter.try_acquire() ? 0 : 1;
    });
    CHECK(refused == 0);
    CHECK(limiter.available() == 4'000'000'000 - 8 * 50'000);
}

TEST_CASE("RateLimiter: reconfigured under load it grants no more than the larger limit allows") {
    ManualClock clock;
    Limiter limiter{in_a_word, clock};
    std::atomic<std::uint64_t> granted{0};
    std::atomic<int> at_work{4};
    race::together(6, [&](std::size_t i) {
        if (i == 0) {
            while (at_work != 0) clock.advance(1777ns);
        } else if (i == 1) {
            for (int turn = 0; at_work != 0; ++turn)
                limiter.reconfigure(turn % 2 == 0 ? under_the_lock
                                                  : RateLimit{.permits = 500, .per = 1s, .burst = 3});
        } else {
            for (int turn = 0; turn != 20'000; ++turn) {
                if (limiter.try_acquire()) ++granted;
                auto reservation = limiter.reserve(0ns);
                if (reservation) ++granted;
                if (turn % 64 == 0) (void)limiter.available();
            }
            --at_work;
        }
    });
    const auto earned =
        static_cast<std::uint64_t>(clock.now().time_since_epoch().count()) * 1000 / 1'000'000'000;
    CHECK(granted <= earned + 10);
}

TEST_CASE("RateLimiter: reservations of several threads have different times") {
    const RateLimit& limit = GENERATE(true, false) ? in_a_word : under_the_lock;
    ManualClock clock;
    Limiter limiter{limit, clock};
    CHECK(limiter.try_acquire(10));
    std::atomic<std::uint64_t> sum{0};
    race::together(4, [&](std::size_t) {
        for (int turn = 0; turn != 250; ++turn)
            sum += static_cast<std::uint64_t>(limiter.reserve(1h).wait().count());
    });
    std::uint64_t expected = 0;
    const auto one = static_cast<std::uint64_t>(limit.per.count() / 1000);
    for (std::uint64_t i = 1; i <= 1000; ++i) expected += i * one;
    CHECK(sum == expected);
}

TEST_CASE("RateLimiter: a thread that waits goes by the new rate at once") {
    dashpot::RateLimiter<> limiter{{.permits = 1, .per = 1h}};
    CHECK(limiter.try_acquire());
    std::atomic<int> granted{0};
    {
        const auto wait = [&] { granted += limiter.acquire(Deadline{}) ? 1 : 0; };
        const std::jthread first{wait};
        const std::jthread second{wait};
        while (limiter.waiting() != 2) std::this_thread::yield();
        limiter.reconfigure({.permits = 1000, .per = 1s});
    }
    CHECK(granted == 2);
    CHECK(limiter.waiting() == 0);
}

TEST_CASE("RateLimiter: a clock that lets threads sleep is woken when the rate changes") {
    const SlowClock clock;
    dashpot::RateLimiter<SlowClock> limiter{{.permits = 1, .per = 1h}, clock};
    CHECK(limiter.try_acquire());
    Instant first_at;
    Instant second_at;
    const auto wait = [&](Instant& at) {
        if (limiter.acquire(Deadline{})) at = clock.now();
    };
    {
        const std::jthread first{[&] { wait(first_at); }};
        while (limiter.waiting() != 1) std::this_thread::yield();
        const std::jthread second{[&] { wait(second_at); }};
        while (limiter.waiting() != 2) std::this_thread::yield();
        limiter.reconfigure({.permits = 1000, .per = 1s});
        SlowClock moved = clock;
        while (limiter.waiting() == 2) moved.advance(10us);
        while (limiter.waiting() == 1) moved.advance(10us);
    }
    CHECK(first_at >= Instant{1ms});
    CHECK(second_at >= Instant{2ms});
    CHECK(second_at < Instant{1h});
}

TEST_CASE("RateLimiter: a slower rate holds a waiting thread longer, or refuses it") {
    const SlowClock clock;
    dashpot::RateLimiter<SlowClock> limiter{{.permits = 1000, .per = 1s, .burst = 2}, clock};
    CHECK(limiter.try_acquire(2));
    std::optional<dashpot::Refusal> late;
    std::optional<dashpot::Refusal> large;
    Instant granted_at;
    {
        const std::jthread patient{[&] {
            if (limiter.acquire(Deadline{})) granted_at = clock.now();
        }};
        while (limiter.waiting() != 1) std::this_thread::yield();
        const std::jthread hurried{[&] { late = limiter.acquire(Deadline{Instant{500ms}}).refusal(); }};
        while (limiter.waiting() != 2) std::this_thread::yield();
        const std::jthread greedy{[&] { large = limiter.acquire(Deadline{}, {}, 2).refusal(); }};
        while (limiter.waiting() != 3) std::this_thread::yield();
        limiter.reconfigure({.permits = 1, .per = 1s, .burst = 1});
        while (limiter.waiting() != 1) std::this_thread::yield();
        SlowClock moved = clock;
        moved.advance(1s - 1ns);
        CHECK(limiter.waiting() == 1);
        moved.advance(1ns);
    }
    CHECK(granted_at == Instant{1s});
    REQUIRE(late);
    CHECK(late->reason == Error::deadline_exceeded);
    CHECK(late->retry_after >= 2s);
    REQUIRE(large);
    CHECK(*large == dashpot::Refusal{Error::rate_limited, std::chrono::nanoseconds::max()});
    CHECK(limiter.try_acquire().refusal().retry_after == 1s);
}

TEST_CASE("RateLimiter: a thread that stops waiting leaves its place to those behind") {
    const SlowClock clock;
    dashpot::RateLimiter<SlowClock> limiter{{.permits = 1, .per = 1s}, clock};
    CHECK(limiter.try_acquire());
    const bool is_reserved = GENERATE(false, true);
    std::stop_source source;
    Instant granted_at;
    bool was_cancelled = false;
    {
        const std::jthread first{[&] {
            was_cancelled = limiter.acquire(Deadline{}, source.get_token()).refusal() ==
                            dashpot::Refusal{Error::cancelled};
        }};
        while (limiter.waiting() != 1) std::this_thread::yield();
        if (is_reserved) CHECK(limiter.reserve(1h).wait() == 2s);
        const std::jthread second{[&] {
            if (limiter.acquire(Deadline{})) granted_at = clock.now();
        }};
        while (limiter.waiting() != 2) std::this_thread::yield();
        source.request_stop();
        while (limiter.waiting() != 1) std::this_thread::yield();
        SlowClock moved = clock;
        moved.advance(1s);
        if (is_reserved) { // that one was promised its time: the place before it is forfeited
            CHECK(limiter.try_acquire().refusal().retry_after == 3s);
            moved.advance(1s);
            CHECK(limiter.waiting() == 1);
            moved.advance(1s);
        }
    }
    CHECK(was_cancelled);
    CHECK(granted_at == (is_reserved ? Instant{3s} : Instant{1s}));
}

TEST_CASE("RateLimiter: threads that wait are stopped at once, one by one and all at once") {
    dashpot::RateLimiter<> limiter{{.permits = 1, .per = 1h}};
    CHECK(limiter.try_acquire());
    std::atomic<int> cancelled{0};
    std::stop_source one;
    std::stop_source all;
    {
        const auto wait = [&](const std::stop_source& source) {
            cancelled +=
                limiter.acquire(Deadline{}, source.get_token()).refusal().reason == Error::cancelled;
        };
        std::vector<std::jthread> threads;
        threads.emplace_back([&] { wait(one); });
        for (int i = 0; i != 8; ++i) threads.emplace_back([&] { wait(all); });
        while (limiter.waiting() != 9) std::this_thread::yield();
        one.request_stop();
        while (limiter.waiting() != 8) std::this_thread::yield();
        all.request_stop();
    }
    CHECK(cancelled == 9);
    const auto left = limiter.try_acquire().refusal().retry_after;
    REQUIRE(left);
    CHECK(*left <= 1h); // all places were left to those behind
}

} // namespace tests::guard_rate_limiter_race
