// SPDX-License-Identifier: MIT
#include <dashpot/guard/throttler.hpp>
#include <dashpot/testing/manual_clock.hpp>

#include "catch.hpp"
#include "guard/race.hpp"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace tests::guard_throttler_race {

using namespace std::chrono_literals;
using dashpot::Outcome;
using dashpot::testing::ManualClock;
using Throttler = dashpot::Throttler<ManualClock>;

TEST_CASE("Throttler: every answer of every thread is counted once") {
    ManualClock clock;
    Throttler throttler{{.length = 1000s, .buckets = 1000}, clock};
    std::atomic<std::uint64_t> accepted{0};
    std::atomic<std::uint64_t> failed{0};
    std::atomic<std::uint64_t> refused{0};
    race::together(8, [&](std::size_t i) {
        for (int turn = 0; turn != 10'000; ++turn) {
            if (i == 0 && turn % 1000 == 0) clock.advance(1s);
            if (turn % 512 == 0) (void)throttler.snapshot();
            auto permit = throttler.try_acquire();
            if (!permit) {
                ++refused;
            } else if (turn % 7 == 0) {
                permit.ignore();
            } else if ((turn / 1000 + static_cast<int>(i)) % 3 == 0) {
                permit.failure();
                ++failed;
            } else {
                permit.success();
                ++accepted;
            }
        }
    });
    const auto now = throttler.snapshot();
    CHECK(now.accepts == accepted);
    CHECK(now.requests == accepted + failed + refused);
    CHECK(now.refused == refused);
}

TEST_CASE("Throttler: threads together are refused the share that one would be") {
    ManualClock clock;
    Throttler throttler{{.minimum_calls = 1, .max_refused = 0.5}, clock};
    for (int i = 0; i != 1000; ++i) {
        if (auto permit = throttler.try_acquire()) permit.failure();
    }
    const std::uint64_t before = throttler.refused();
    race::together(8, [&](std::size_t) {
        for (int turn = 0; turn != 5'000; ++turn) {
            if (auto permit = throttler.try_acquire()) permit.failure();
        }
    });
    CHECK(throttler.refused() - before == 20'000);
}

} // namespace tests::guard_throttler_race
