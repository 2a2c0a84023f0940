// SPDX-License-Identifier: MIT
#include "catch.hpp"
#include "guard/race.hpp"

#include <dashpot/guard/bulkhead.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <thread>
#include <utility>

namespace tests::guard_bulkhead_race {

namespace {

using dashpot::Bulkhead;

/// Counts who is inside, and how often there were more than the limit.
class Inside {
  public:
    void enter(std::uint32_t limit) { too_many_ += ++now_ > limit ? 1 : 0; }
    void leave() { --now_; }
    int too_many() const { return too_many_; }

  private:
    std::atomic<std::uint32_t> now_{0};
    std::atomic<int> too_many_{0};
};

} // namespace

TEST_CASE("Bulkhead: never more calls in flight than the limit, and every slot comes back") {
    const auto limit = GENERATE(1U, 3U, 7U);
    Bulkhead hull{limit};
    Inside inside;
    std::atomic<int> admitted{0};
    std::atomic<std::uint64_t> refused{0};
    std::atomic<int> misread{0};
    race::together(8, [&](std::size_t i) {
        for (int turn = 0; turn != 20'000; ++turn) {
            auto slot = hull.try_acquire();
            misread += hull.in_flight() <= limit && hull.available() <= limit ? 0 : 1;
            if (!slot) {
                ++refused;
                continue;
            }
            ++admitted;
            inside.enter(limit);
            if (turn % 8 == 0) std::this_thread::yield();
            inside.leave();
            if (i % 2 == 0) slot.release();
            if (i % 4 == 0) slot.release(); // idempotent
        }
    });
    CHECK(inside.too_many() == 0);
    CHECK(misread == 0);
    CHECK(admitted > 0);
    CHECK(hull.refused() == refused);
    CHECK(hull.in_flight() == 0);
    CHECK(hull.available() == limit);
}

TEST_CASE("Bulkhead: no thread is refused while there is a slot for each") {
    const auto threads = GENERATE(std::size_t{2}, std::size_t{8});
    Bulkhead hull{static_cast<std::uint32_t>(threads)};
    std::atomic<int> refused{0};
    race::together(threads, [&](std::size_t) {
        for (int turn = 0; turn != 50'000; ++turn) refused += hull.try_acquire() ? 0 : 1;
    });
    CHECK(refused == 0);
    CHECK(hull.in_flight() == 0);
}

TEST_CASE("Bulkhead: as many threads as there are slots get in, however many ask at once") {
    const auto limit = GENERATE(0U, 1U, 5U);
    constexpr std::size_t threads = 16;
    Bulkhead hull{limit};
    std::array<std::optional<Bulkhead::Permit>, threads> slots;
    race::in_rounds(
        threads, 1000, [&] { slots = {}; }, [&](std::size_t i) { slots[i] = hull.try_acquire(); },
        [&] {
            std::uint32_t granted = 0;
            for (const auto& slot : slots) granted += *slot ? 1U : 0U;
            CHECK(granted == limit);
            CHECK(hull.in_flight() == limit);
        });
}

// resilience4j/resilience4j#2489
TEST_CASE("Bulkhead: resized under load it never admits above the larger limit, and ends exact") {
    constexpr std::uint32_t small = 2;
    constexpr std::uint32_t large = 6;
    Bulkhead hull{large};
    Inside inside;
    std::atomic<bool> is_over{false};
    std::atomic<int> misread{0};
    std::atomic<int> at_work{6};
    race::together(8, [&](std::size_t i) {
        if (i < 2) {
            for (std::uint32_t next = small; !is_over; next = small + large - next) hull.resize(next);
            return;
        }
        for (int turn = 0; turn != 200'000; ++turn) {
            const auto slot = hull.try_acquire();
            misread += hull.in_flight() <= large && hull.available() <= large ? 0 : 1;
            if (!slot) continue;
            inside.enter(large);
            if (turn % 256 == 0) std::this_thread::yield();
            inside.leave();
        }
        if (--at_work == 0) is_over = true;
    });
    hull.resize(small);
    CHECK(inside.too_many() == 0);
    CHECK(misread == 0);
    CHECK(hull.in_flight() == 0);
    CHECK(hull.max_concurrent() == small);
    CHECK(hull.available() == small);
    const auto first = hull.try_acquire();
    const auto second = hull.try_acquire();
    CHECK(first);
    CHECK(second);
    CHECK_FALSE(hull.try_acquire());
}

TEST_CASE("Bulkhead: what was done under a slot is seen by its next holder") {
    Bulkhead hull{1};
    int guarded = 0; // a plain int: the slot is all that orders the threads
    std::atomic<int> admitted{0};
    race::together(4, [&](std::size_t i) {
        for (int turn = 0; turn != 10'000; ++turn) {
            if (i == 0 && turn % 16 == 0) hull.resize(1);
            auto slot = hull.try_acquire();
            if (!slot) continue;
            ++guarded;
            ++admitted;
            const Bulkhead::Permit moved = std::move(slot); // the slot goes with it
            if (turn % 64 == 0) std::this_thread::yield();
            ++guarded;
        }
    });
    CHECK(guarded == 2 * admitted);
    CHECK(hull.in_flight() == 0);
}

} // namespace tests::guard_bulkhead_race
