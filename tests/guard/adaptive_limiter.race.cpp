// SPDX-License-Identifier: MIT
#include "catch.hpp"
#include "guard/race.hpp"

#include <dashpot/guard/adaptive_limiter.hpp>
#include <dashpot/policy/aimd.hpp>
#include <dashpot/policy/vegas.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <thread>

namespace tests::guard_adaptive_limiter_race {

namespace {

using dashpot::AdaptiveLimiter;
using dashpot::Aimd;
using dashpot::Gradient;
using dashpot::Priority;
using dashpot::Vegas;

} // namespace

TEMPLATE_TEST_CASE("AdaptiveLimiter: never more calls in flight than the highest limit, and every slot "
                   "comes back",
                   "", Gradient, Vegas, Aimd) {
    AdaptiveLimiter limiter{TestType{.initial = 5, .min = 4, .max = 6}};
    std::atomic<std::uint32_t> inside{0};
    std::atomic<int> too_many{0};
    std::atomic<std::uint64_t> refused{0};
    race::together(8, [&](std::size_t i) {
        for (int turn = 0; turn != 10'000; ++turn) {
            auto permit = limiter.try_acquire(i % 2 == 0 ? Priority::critical : Priority::normal);
            if (!permit) {
                ++refused;
                continue;
            }
            too_many += ++inside > 6 ? 1 : 0;
            if (turn % 16 == 0) std::this_thread::yield();
            --inside;
            switch (turn % 4) {
            case 0: permit.success(); break;
            case 1: permit.failure(); break;
            case 2: permit.ignore(); break;
            default: break; // dropped
            }
        }
    });
    CHECK(too_many == 0);
    CHECK(limiter.refused() == refused);
    CHECK(limiter.in_flight() == 0);
    CHECK(limiter.limit() >= 4);
    CHECK(limiter.limit() <= 6);
}

TEST_CASE("AdaptiveLimiter: as many threads as the limit says get in, however many ask at once") {
    constexpr std::size_t threads = 16;
    AdaptiveLimiter limiter{Aimd{.initial = 10}};
    std::array<std::optional<AdaptiveLimiter<dashpot::SteadyClock, Aimd>::Permit>, threads> permits;
    race::in_rounds(
        threads, 500, [&] { permits = {}; }, [&](std::size_t i) { permits[i] = limiter.try_acquire(); },
        [&] {
            std::uint32_t granted = 0;
            for (const auto& permit : permits) granted += *permit ? 1U : 0U;
            CHECK(granted == 10);
        });
}

TEST_CASE("AdaptiveLimiter: reconfigured under load, it ends exact") {
    AdaptiveLimiter limiter{Gradient{.initial = 8}};
    std::atomic<int> at_work{4};
    std::atomic<bool> is_over{false};
    race::together(5, [&](std::size_t i) {
        if (i == 0) {
            std::uint32_t highest = 10;
            return race::until(is_over, [&] {
                limiter.reconfigure(Gradient{.initial = 8, .max = highest});
                highest = 18 - highest;
            });
        }
        for (int turn = 0; turn != 10'000; ++turn) {
            if (auto permit = limiter.try_acquire()) permit.success();
        }
        if (--at_work == 0) is_over = true;
    });
    limiter.reconfigure(Gradient{.initial = 5, .max = 5});
    CHECK(limiter.limit() <= 5);
    CHECK(limiter.in_flight() == 0);
}

} // namespace tests::guard_adaptive_limiter_race
