// SPDX-License-Identifier: MIT
#include <dashpot/policy/detail/limit_window.hpp>

#include "catch.hpp"
#include "policy/limit_support.hpp"

#include <chrono>
#include <cstdint>

namespace tests::policy_detail_limit_window {

using namespace std::chrono_literals;
using namespace limit_support;
using dashpot::detail::LimitWindow;
using dashpot::detail::reduced;

TEST_CASE("LimitWindow: ends with a second and ten samples, not with one of them alone", "[policy]") {
    LimitWindow window;
    for (int i = 0; i != 100; ++i) CHECK_FALSE(window.add(call(10s, 1ms, 1))); // no time passes
    CHECK_FALSE(window.add(call(11s - 1ns, 1ms, 1)));
    CHECK(window.add(call(11s, 1ms, 1)));
    for (int i = 0; i != 9; ++i) CHECK_FALSE(window.add(call(20s + i * 10s, 1ms, 1)));
    CHECK(window.add(call(200s, 1ms, 1)));
}

TEST_CASE("LimitWindow: each sample is in exactly one window", "[policy]") {
    LimitWindow window;
    std::uint32_t calls = 0;
    int windows = 0;
    for (int i = 0; i != 1000; ++i) {
        if (const auto summary = window.add(call(i * 10ms, 1ms, 1))) {
            calls += summary->calls;
            ++windows;
        }
    }
    CHECK(windows == 9);
    CHECK(calls == 9 * 101);
}

TEST_CASE("LimitWindow: has the mean latency, the peak and whether there were drops", "[policy]") {
    LimitWindow window;
    for (int i = 0; i != 5; ++i) (void)window.add(call(0s, 10ms, 3));
    for (int i = 0; i != 4; ++i) (void)window.add(call(0s, 20ms, 7));
    (void)window.add(call(0s, 1h, 9, true)); // neither a call nor a latency
    const auto summary = window.add(call(1s, 20ms, 1));
    REQUIRE(summary);
    CHECK(summary->calls == 10);
    CHECK(summary->latency == 15e6);
    CHECK(summary->peak == 9);
    CHECK(summary->has_drops);
    for (int i = 0; i != 9; ++i) (void)window.add(call(2s, 1ms, 1));
    const auto next = window.add(call(3s, 1ms, 1));
    REQUIRE(next);
    CHECK(next->peak == 1);
    CHECK_FALSE(next->has_drops);
}

TEST_CASE("LimitWindow: a clock that steps back neither ends a window nor makes it long", "[policy]") {
    LimitWindow window;
    for (int i = 0; i != 20; ++i) (void)window.add(call(1h, 1ms, 1));
    CHECK_FALSE(window.add(call(0s, 1ms, 1)));
    CHECK_FALSE(window.add({Instant{2s}, Instant{500ms}, 1, false})); // ended before it began
    const auto summary = window.add(call(1s, 1ms, 1));
    REQUIRE(summary);
    CHECK(summary->calls == 22);
    CHECK(summary->latency == 1e6);
}

TEST_CASE("LimitWindow: says until when mostly short calls have ended", "[policy]") {
    LimitWindow window;
    int early = 0;
    for (int second = 0; second != 30; ++second) {
        for (int i = 0; i != 10; ++i) {
            if (const auto summary = window.add(call(second * 1s, 1s, 1))) early += summary->is_early;
        }
    }
    CHECK(early == 9); // ten times the latency, and one more
}

TEST_CASE("reduced: takes at least one, and at most half", "[policy]") {
    STATIC_REQUIRE(reduced(std::uint32_t{100}, 900'000'000) == 90);
    STATIC_REQUIRE(reduced(std::uint32_t{20}, 950'000'000) == 19);
    STATIC_REQUIRE(reduced(std::uint32_t{5}, 999'999'999) == 4);
    STATIC_REQUIRE(reduced(std::uint32_t{100}, 100'000'000) == 50);
    STATIC_REQUIRE(reduced(std::uint32_t{3}, 1) == 2);
    STATIC_REQUIRE(reduced(std::uint32_t{1}, 900'000'000) == 1);
    STATIC_REQUIRE(reduced(4'000'000'000U, 900'000'000) == 3'600'000'000U);
    STATIC_REQUIRE(reduced(100.0) == 90.0);
    STATIC_REQUIRE(reduced(4.5) == 3.0);
    STATIC_REQUIRE(reduced(1.5) == 0.75);
}

} // namespace tests::policy_detail_limit_window
