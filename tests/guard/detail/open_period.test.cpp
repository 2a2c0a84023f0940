// SPDX-License-Identifier: MIT
#include <dashpot/guard/detail/open_period.hpp>

#include "catch.hpp"

#include <chrono>
#include <cstdint>
#include <set>

namespace tests::guard_detail_open_period {

using namespace std::chrono_literals;
using dashpot::Backoff;
using dashpot::ExponentialBackoff;
using dashpot::Instant;
using dashpot::detail::OpenPeriod;
using std::chrono::nanoseconds;

namespace {

constexpr Instant at(nanoseconds time) { return Instant{time}; }
constexpr Backoff doubling{ExponentialBackoff{.initial = 1s}};
constexpr Backoff by_chance{ExponentialBackoff{.initial = 1h, .cap = 1h, .jitter = 0.5}};

constexpr bool waits_longer_each_time() {
    OpenPeriod open{doubling, 1};
    open.begin(doubling, at(3s), false);
    if (open.began_at() != at(3s) || open.wait().length != 1s) return false;
    open.begin(doubling, at(9s), true);
    if (open.began_at() != at(9s) || open.wait().length != 2s) return false;
    open.begin(doubling, at(20s), false); // CLOSED in between
    return open.wait().since == at(20s) && open.wait().length == 1s;
}
static_assert(waits_longer_each_time());

constexpr nanoseconds wait_drawn(const Backoff& backoff, std::uint64_t seed, std::uint64_t chance) {
    OpenPeriod open{backoff, seed};
    open.begin(backoff, at(0s), false);
    if (open.needs_chance()) open.draw_again(backoff, chance);
    return open.wait().length;
}

} // namespace

TEST_CASE("OpenPeriod: the probe timeout is the wait, then twice as long, up to ten minutes",
          "[guard]") {
    OpenPeriod open{doubling, 1};
    open.begin(doubling, at(0s), false);
    open.begin(doubling, at(5s), true);
    for (const auto timeout : {2s, 4s, 8s, 16s, 32s, 64s, 128s, 256s, 512s, 600s, 600s, 600s})
        CHECK(open.next_probe_timeout() == timeout);
    CHECK(open.wait().length == 2s); // the wait in OPEN is left alone
    open.begin(doubling, at(9s), true);
    CHECK(open.next_probe_timeout() == 4s);
}

TEST_CASE("OpenPeriod: a wait of ten minutes or more is the probe timeout as it is", "[guard]") {
    for (const nanoseconds wait : {nanoseconds{10min}, nanoseconds{11min}, (nanoseconds::max)()}) {
        OpenPeriod open{wait, 1};
        open.begin(wait, at(0s), false);
        for (int period = 0; period != 5; ++period) CHECK(open.next_probe_timeout() == wait);
    }
}

TEST_CASE("OpenPeriod: another reset timeout starts the probe timeout over, if it is in force",
          "[guard]") {
    OpenPeriod open{doubling, 1};
    open.begin(doubling, at(0s), false);
    (void)open.next_probe_timeout();
    open.change(30s, false);
    CHECK(open.wait().length == 1s);
    CHECK(open.next_probe_timeout() == 2s);
    open.change(30s, true);
    CHECK(open.began_at() == at(0s));
    CHECK(open.wait().length == 30s);
    CHECK(open.next_probe_timeout() == 30s);
    CHECK(open.next_probe_timeout() == 60s);
}

TEST_CASE("OpenPeriod: needs chance for a jitter without a seed, once for each wait", "[guard]") {
    OpenPeriod open{by_chance, 1};
    CHECK_FALSE(open.needs_chance());
    open.begin(by_chance, at(0s), false);
    CHECK(open.needs_chance());
    open.draw_again(by_chance, 1);
    CHECK_FALSE(open.needs_chance());
    open.begin(by_chance, at(0s), true);
    CHECK(open.needs_chance());
    open.change(10s, true);
    CHECK_FALSE(open.needs_chance()); // without jitter
    auto seeded = by_chance.curve();
    seeded.seed = 7;
    open.change(seeded, true);
    CHECK_FALSE(open.needs_chance());
}

TEST_CASE("OpenPeriod: copies of one draw other waits by other chances", "[guard]") {
    std::set<nanoseconds> waits;
    for (std::uint64_t process = 0; process != 100; ++process)
        waits.insert(wait_drawn(by_chance, 1, process << 32U));
    CHECK(waits.size() == 100);
    for (const nanoseconds wait : waits) {
        CHECK(wait > 30min);
        CHECK(wait <= 1h);
    }
    STATIC_REQUIRE(wait_drawn(by_chance, 1, 5) == wait_drawn(by_chance, 1, 5));
}

} // namespace tests::guard_detail_open_period
